#include "core/compiler/passes/canonicalize/float_normalization.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

constexpr ElementType widerOf(ElementType narrow) {
  switch (narrow) {
    case ElementType::BF16:
    case ElementType::F8E8M0FNU:
      return ElementType::F32;
    case ElementType::S4:
      return ElementType::S8;
    case ElementType::U4:
      return ElementType::U8;
    default:
      return ElementType::F16;
  }
}

// Conversions and what chooses among values take any type.
bool takesAnyType(Opcode opcode) {
  return opcode == Opcode::Convert || opcode == Opcode::BitcastConvert || opcode == Opcode::Select ||
         opcode == Opcode::Copy || opcode == Opcode::StochasticConvert || opcode == Opcode::ReducePrecision;
}

template <ElementType narrow>
bool computes(const Instruction& i) {
  if (!isElementwise(i.opcode()) || takesAnyType(i.opcode()) || !i.shape().isArray()) return false;
  return i.shape().elementType() == narrow ||
         std::ranges::any_of(i.operands(), [](const Instruction* operand) {
           return operand->shape().elementType() == narrow;
         });
}

template <ElementType narrow>
Instruction* widened(Instruction& i) {
  constexpr ElementType kWide = widerOf(narrow);
  std::vector<Instruction*> operands;
  for (Instruction* operand : i.operands())
    operands.push_back(operand->shape().elementType() == narrow ? convertTo(operand, kWide, i) : operand);
  Instruction* made = i.parent().createLike(i, operands, &i);
  if (i.shape().elementType() == narrow) made->setShape(i.shape().withElementType(kWide));
  return convertTo(made, i.shape().elementType(), i);
}

// A reduction of one array whose reducer computes in the narrow type.
template <ElementType narrow>
bool reduces(const Instruction& i) {
  if (i.opcode() != Opcode::Reduce || i.operandCount() != 2 || i.shape().elementType() != narrow)
    return false;
  return std::ranges::all_of(i.get<Attr::ToApply>()->instructions(), [](const Instruction* inner) {
    return inner->shape().isArray() && inner->shape().elementType() == narrow &&
           (inner->opcode() == Opcode::Parameter || computes<narrow>(*inner));
  });
}

template <ElementType narrow>
Computation* widenedReducer(Computation& reducer) {
  Module& module = reducer.module();
  Computation* wide = module.createComputation(module.uniqueName(reducer.name()), &reducer);
  absl::flat_hash_map<const Instruction*, Instruction*> copies;
  for (const Instruction* i : reducer.instructions()) {
    const Shape shape = i->shape().withElementType(widerOf(narrow));
    std::vector<Instruction*> operands;
    for (const Instruction* operand : i->operands()) operands.push_back(copies.at(operand));
    copies[i] = i->opcode() == Opcode::Parameter ? wide->createParameter(i->parameterNumber(), shape)
                                                 : wide->createLike(*i, operands);
    copies[i]->setShape(shape);
  }
  wide->setRoot(copies.at(reducer.root()));
  return wide;
}

// Sums are kept in the wider type until the last.
template <ElementType narrow>
Instruction* widenedReduction(Instruction& i) {
  constexpr ElementType kWide = widerOf(narrow);
  const std::vector<Instruction*> operands = {convertTo(i.operand(0), kWide, i),
                                              convertTo(i.operand(1), kWide, i)};
  Instruction* made = i.parent().createLike(i, operands, &i);
  made->set<Attr::ToApply>(widenedReducer<narrow>(*i.get<Attr::ToApply>()));
  made->setShape(i.shape().withElementType(kWide));
  return convertTo(made, narrow, i);
}

// What collectives combine by stays: the library does it, in the narrow type too.
absl::flat_hash_set<const Computation*> collectiveCombiners(const Module& module) {
  absl::flat_hash_set<const Computation*> combiners;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (opcodeClass(i->opcode()) == OpcodeClass::Collective && i->has(Attr::ToApply))
        combiners.insert(i->get<Attr::ToApply>());
    }
  }
  return combiners;
}

template <ElementType narrow>
bool widenEach(Module& module, PassContext& context) {
  const auto combiners = collectiveCombiners(module);
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    if (combiners.contains(computation)) continue;
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (i->has(Attr::ControlPredecessors) || (i->users().empty() && !i->isRoot()) || !computes<narrow>(*i))
        continue;
      if (!context.mayChange(*i)) return changed;
      Instruction* instead = widened<narrow>(*i);
      context.remark(*i, "widened", fmt::format("now %{}", instead->name()));
      computation->replaceAllUses(i, instead);
      computation->remove(i);
      changed = true;
    }
  }
  return changed;
}

}  // namespace

template <ElementType narrow>
Result<bool> normalizeFloats(Module& module, PassContext& context) {
  // Reductions while their reducers are still in the narrow type.
  const bool reduced = rewriteEach(module, context, "widened", reduces<narrow>, widenedReduction<narrow>);
  return widenEach<narrow>(module, context) || reduced;
}

#define NORMALIZE(type) template Result<bool> normalizeFloats<ElementType::type>(Module&, PassContext&);
NORMALIZE(BF16)
NORMALIZE(F4E2M1FN)
NORMALIZE(F8E3M4)
NORMALIZE(F8E4M3)
NORMALIZE(F8E4M3B11FNUZ)
NORMALIZE(F8E4M3FN)
NORMALIZE(F8E4M3FNUZ)
NORMALIZE(F8E5M2)
NORMALIZE(F8E5M2FNUZ)
NORMALIZE(F8E8M0FNU)
NORMALIZE(S4)
NORMALIZE(U4)
#undef NORMALIZE

}  // namespace hilo
