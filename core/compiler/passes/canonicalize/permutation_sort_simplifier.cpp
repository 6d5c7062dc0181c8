#include "core/compiler/passes/canonicalize/permutation_sort_simplifier.h"

#include <algorithm>
#include <numeric>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool comparesKeysByLess(const Instruction& sort) {
  const Computation& comparator = *sort.get<Attr::ToApply>();
  const Instruction& root = *comparator.root();
  return root.opcode() == Opcode::Compare && root.get<Attr::Direction>() == ComparisonDirection::Lt &&
         root.operand(0) == comparator.parameters()[0] && root.operand(1) == comparator.parameters()[1];
}

// Where the elements of another sort along `dimension` came from.
bool arePlaces(const Instruction& keys, int64_t dimension) {
  if (keys.opcode() != Opcode::GetTupleElement || keys.operand(0)->opcode() != Opcode::Sort) return false;
  const Instruction& sort = *keys.operand(0);
  const Instruction& sorted = *sort.operand(static_cast<size_t>(keys.tupleIndex()));
  if (sort.dimensions()[0] != dimension || sorted.opcode() != Opcode::Iota ||
      sorted.get<Attr::IotaDimension>() != dimension || !isIntegral(sorted.shape().elementType()))
    return false;
  // Numbers of places that its type does not hold would come again.
  const int bits = elementBits(sorted.shape().elementType());
  return sorted.shape().dimension(static_cast<size_t>(dimension)) <= int64_t{1} << std::min(bits - 1, 62);
}

bool isPermutation(const Instruction& i) {
  return i.opcode() == Opcode::Sort && i.operandCount() == 2 && !i.dimensions().empty() &&
         liesRowMajor(i.operand(0)->shape()) && liesRowMajor(i.operand(1)->shape()) &&
         comparesKeysByLess(i) && arePlaces(*i.operand(0), i.dimensions()[0]);
}

Instruction* places(Shape shape, int64_t dimension, Instruction& before) {
  Instruction* made = before.parent().create(Opcode::Iota, shape, {}, {}, &before);
  made->set<Attr::IotaDimension>(dimension);
  return made;
}

// Of each element, where it goes.
Instruction* targets(Instruction& sort) {
  const Shape shape = sort.operand(0)->shape();
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes.push_back(1);
  std::vector<Instruction*> parts;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.rank()); ++d) {
    parts.push_back(d == sort.dimensions()[0]
                        ? reshapeTo(sort.operand(0), sizes, sort)
                        : places(arrayLike(shape, shape.elementType(), sizes), d, sort));
  }
  if (parts.size() == 1) return parts[0];
  sizes.back() = static_cast<int64_t>(parts.size());
  Instruction* all = sort.parent().create(Opcode::Concatenate, arrayLike(shape, shape.elementType(), sizes),
                                          parts, {}, &sort);
  all->set<Attr::Dimensions>(std::vector{static_cast<int64_t>(shape.rank())});
  return all;
}

// Takes what comes.
Computation* replacement(Instruction& sort, ElementType type) {
  Module& module = sort.module();
  Computation* made = module.createComputation(module.uniqueName("replace"), &sort.parent());
  made->createParameter(0, Shape::scalar(type));
  made->setRoot(made->createParameter(1, Shape::scalar(type)));
  return made;
}

Instruction* scattered(Instruction& sort) {
  Instruction* values = sort.operand(1);
  const Shape shape = values->shape();
  const auto rank = static_cast<int64_t>(shape.rank());
  std::vector<int64_t> all(shape.rank());
  std::iota(all.begin(), all.end(), 0);
  Instruction* nothing = algebra::makeSplat(sort, shape, 0);
  Instruction* scatter =
      sort.parent().create(Opcode::Scatter, shape, {nothing, targets(sort), values}, {}, &sort);
  scatter->set<Attr::UpdateWindowDims>(std::vector<int64_t>{});
  scatter->set<Attr::InsertedWindowDims>(all);
  scatter->set<Attr::ScatterDimsToOperandDims>(all);
  scatter->set<Attr::IndexVectorDim>(rank);
  scatter->set<Attr::UniqueIndices>(true);
  scatter->set<Attr::ToApply>(replacement(sort, shape.elementType()));
  Instruction* keys = places(sort.operand(0)->shape(), sort.dimensions()[0], sort);
  return sort.parent().create(Opcode::Tuple, sort.shape(), {keys, scatter}, {}, &sort);
}

}  // namespace

Result<bool> simplifyPermutationSorts(Module& module, PassContext& context) {
  return rewriteEach(module, context, "simplified", isPermutation, scattered);
}

}  // namespace hilo
