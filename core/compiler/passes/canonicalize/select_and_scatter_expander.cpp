#include "core/compiler/passes/canonicalize/select_and_scatter_expander.h"

#include <numeric>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool isSelectAndScatter(const Instruction& i) {
  return i.opcode() == Opcode::SelectAndScatter && liesRowMajor(i.shape()) && i.shape().rank() > 0 &&
         liesRowMajor(i.operand(0)->shape()) && liesRowMajor(i.operand(1)->shape()) &&
         i.operand(1)->shape().elementCount() > 0;
}

// What `select` gives of two values, written into another computation.
Instruction* selected(const Computation& select, Computation& into, Instruction* a, Instruction* b) {
  absl::flat_hash_map<const Instruction*, Instruction*> made;
  for (const Instruction* i : select.instructions()) {
    if (i->opcode() == Opcode::Parameter) {
      made[i] = i->parameterNumber() == 0 ? a : b;
      continue;
    }
    std::vector<Instruction*> operands;
    for (const Instruction* operand : i->operands()) operands.push_back(made.at(operand));
    made[i] = into.createLike(*i, operands);
  }
  return made.at(select.root());
}

// Of two candidates, each a value and its place along every dimension, the one that `select` takes. A first
// place of -1 says that there is no candidate.
Computation* chooser(Instruction& scatter, size_t rank) {
  Module& module = scatter.module();
  Computation* made = module.createComputation(module.uniqueName("choose"), &scatter.parent());
  const Shape value = Shape::scalar(scatter.shape().elementType()), place = Shape::scalar(ElementType::S32),
              answer = Shape::scalar(ElementType::Pred);
  std::vector<Instruction*> candidates[2];
  for (auto& candidate : candidates) {
    for (size_t k = 0; k <= rank; ++k)
      candidate.push_back(
          made->createParameter(static_cast<int64_t>(made->parameters().size()), k == 0 ? value : place));
  }
  Instruction* none = made->createConstant(Literal::scalar<int32_t>(ElementType::S32, -1));
  const auto isThere = [&](Instruction* first) {
    Instruction* compare = made->create(Opcode::Compare, answer, {first, none});
    compare->set<Attr::Direction>(ComparisonDirection::Ne);
    return compare;
  };
  Instruction* wins = selected(*scatter.get<Attr::Select>(), *made, candidates[0][0], candidates[1][0]);
  wins = made->create(Opcode::And, answer, {wins, isThere(candidates[0][1])});
  Instruction* alone = made->create(Opcode::Not, answer, {isThere(candidates[1][1])});
  wins = made->create(Opcode::Or, answer, {wins, alone});
  std::vector<Instruction*> taken;
  std::vector<Shape> shapes;
  for (size_t k = 0; k <= rank; ++k) {
    shapes.push_back(candidates[0][k]->shape());
    taken.push_back(made->create(Opcode::Select, shapes.back(), {wins, candidates[0][k], candidates[1][k]}));
  }
  made->setRoot(made->create(Opcode::Tuple, Shape::tuple(shapes), taken));
  return made;
}

// The value and place that each window selects.
Instruction* chosenPlaces(Instruction& scatter) {
  Computation& computation = scatter.parent();
  const Shape from = scatter.operand(0)->shape(), source = scatter.operand(1)->shape();
  const size_t rank = from.rank();
  Instruction* none = algebra::makeSplat(scatter, Shape::scalar(ElementType::S32), -1);
  std::vector<Instruction*> operands = {scatter.operand(0)}, starts = {scatter.operand(2)};
  std::vector<Shape> shapes = {source};
  for (size_t d = 0; d < rank; ++d) {
    Instruction* places = computation.create(
        Opcode::Iota, arrayLike(from, ElementType::S32, from.dimensions()), {}, {}, &scatter);
    places->set<Attr::IotaDimension>(static_cast<int64_t>(d));
    operands.push_back(places);
    starts.push_back(none);
    shapes.push_back(arrayLike(source, ElementType::S32, source.dimensions()));
  }
  operands.insert(operands.end(), starts.begin(), starts.end());
  Instruction* chosen =
      computation.create(Opcode::ReduceWindow, Shape::tuple(shapes), operands, {}, &scatter);
  chosen->set<Attr::Window>(scatter.get<Attr::Window>());
  chosen->set<Attr::ToApply>(chooser(scatter, rank));
  return chosen;
}

Instruction* indexVectors(Instruction& scatter, Instruction* chosen) {
  const Shape source = scatter.operand(1)->shape();
  std::vector<int64_t> sizes(source.dimensions().begin(), source.dimensions().end());
  sizes.push_back(1);
  std::vector<Instruction*> parts;
  for (size_t d = 0; d < source.rank(); ++d)
    parts.push_back(reshapeTo(elementOfTuple(chosen, static_cast<int64_t>(d) + 1, scatter), sizes, scatter));
  if (parts.size() == 1) return parts[0];
  sizes.back() = static_cast<int64_t>(parts.size());
  Instruction* all = scatter.parent().create(Opcode::Concatenate, arrayLike(source, ElementType::S32, sizes),
                                             parts, {}, &scatter);
  const int64_t last[] = {static_cast<int64_t>(source.rank())};
  all->set<Attr::Dimensions>(last);
  return all;
}

Instruction* expanded(Instruction& i) {
  Instruction* indices = indexVectors(i, chosenPlaces(i));
  Instruction* start = broadcastTo(i.operand(2), i.shape().dimensions(), {}, i);
  if (start->shape() != i.shape()) start->setShape(i.shape());
  Instruction* made = i.parent().create(Opcode::Scatter, i.shape(), {start, indices, i.operand(1)}, {}, &i);
  std::vector<int64_t> all(i.shape().rank());
  std::iota(all.begin(), all.end(), 0);
  made->set<Attr::UpdateWindowDims>(std::vector<int64_t>{});
  made->set<Attr::InsertedWindowDims>(all);
  made->set<Attr::ScatterDimsToOperandDims>(all);
  made->set<Attr::IndexVectorDim>(static_cast<int64_t>(i.shape().rank()));
  made->set<Attr::ToApply>(i.get<Attr::Scatter>());
  return made;
}

}  // namespace

Result<bool> expandSelectAndScatters(Module& module, PassContext& context) {
  return rewriteEach(module, context, "expanded", isSelectAndScatter, expanded);
}

}  // namespace hilo
