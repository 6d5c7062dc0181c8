#include "core/compiler/passes/canonicalize/topk_decomposer.h"

#include "core/analysis/few_best.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// The instruction, or the call that topk-rewriter makes, which names its own comparison of values.
bool isTopKOfAnyForm(const Instruction& i) {
  return i.opcode() == Opcode::TopK ||
         (i.opcode() == Opcode::CustomCall && i.get<Attr::CustomCallTarget>() == "TopK" &&
          i.shape().isTuple() && i.shape().tupleShapes().size() == 2);
}

bool isTopK(const Instruction& i) {
  return isTopKOfAnyForm(i) && i.operandCount() == 1 && !i.operand(0)->shape().isDynamic() &&
         i.operand(0)->shape().rank() > 0 && i.shape().isTuple();
}

// Equal elements may come in any order: the instruction says so, or the call's configuration.
bool isUnstable(const Instruction& topk) {
  return !topk.get<Attr::IsStable>().value_or(true) ||
         topk.get<Attr::BackendConfig>().find("is_stable = false") != std::string_view::npos;
}

// Pairs of a value and a position, by value.
Computation* comparatorOf(const Instruction& topk) {
  Module& module = topk.module();
  Computation* made = module.createComputation(module.uniqueName("compare"), &topk.parent());
  const ElementType type = topk.operand(0)->shape().elementType();
  const bool isLargest = topk.get<Attr::Largest>().value_or(true);
  const Shape value = Shape::scalar(type).withDefaultLayout(),
              position = Shape::scalar(ElementType::S32).withDefaultLayout();
  Instruction* a = made->createParameter(0, value);
  Instruction* b = made->createParameter(1, value);
  made->createParameter(2, position);
  made->createParameter(3, position);
  Instruction* compare =
      made->create(Opcode::Compare, Shape::scalar(ElementType::Pred).withDefaultLayout(), {a, b});
  compare->set<Attr::Direction>(isLargest ? ComparisonDirection::Gt : ComparisonDirection::Lt);
  if (isFloat(type)) compare->set<Attr::ComparisonTypeKind>(ComparisonType::TotalOrder);
  made->setRoot(compare);
  return made;
}

Instruction* decomposed(Instruction& topk) {
  Computation& computation = topk.parent();
  Instruction* values = topk.operand(0);
  const auto last = static_cast<int64_t>(values->shape().rank()) - 1;
  Instruction* positions =
      computation.create(Opcode::Iota, values->shape().withElementType(ElementType::S32), {}, {}, &topk);
  positions->set<Attr::IotaDimension>(last);
  const Shape sorted[] = {values->shape(), positions->shape()};
  Instruction* sort = computation.create(Opcode::Sort, Shape::tuple(sorted), {values, positions}, {}, &topk);
  sort->set<Attr::Dimensions>(std::vector<int64_t>{last});
  if (!isUnstable(topk)) sort->set<Attr::IsStable>(true);
  sort->set<Attr::ToApply>(comparatorOf(topk));
  std::vector<Instruction*> results;
  for (int64_t k = 0; k < 2; ++k) {
    const Shape asked = topk.shape().tupleShapes()[static_cast<size_t>(k)];
    Instruction* cut = cutTo(elementOfTuple(sort, k, topk), asked.dimensions(), topk);
    results.push_back(convertTo(cut, asked.elementType(), topk));
  }
  return computation.create(Opcode::Tuple, topk.shape(), results, {}, &topk);
}

}  // namespace

Result<bool> decomposeTopK(Module& module, PassContext& context, const TopKDecomposing& settings) {
  const auto isTaken = [&](const Instruction& i) {
    return isTopK(i) && !(settings.leavesFew && isOfFewBest(i));
  };
  return rewriteEach(module, context, "decomposed", isTaken, decomposed);
}

}  // namespace hilo
