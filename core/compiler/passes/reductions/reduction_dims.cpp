#include "core/compiler/passes/reductions/reduction_dims.h"

#include <algorithm>

#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {

namespace {

Shape resultShape(const Instruction& reduce, size_t k) {
  return reduce.shape().isTuple() ? reduce.shape().tupleShapes()[k] : reduce.shape();
}

// Element `k` of what is chosen: the select takes it from both sides as they came.
bool selectsElement(const Instruction& select, size_t k, size_t count) {
  if (select.opcode() != Opcode::Select) return false;
  const Instruction &one = *select.operand(1), &other = *select.operand(2);
  return one.opcode() == Opcode::Parameter && other.opcode() == Opcode::Parameter &&
         one.parameterNumber() % static_cast<int64_t>(count) == static_cast<int64_t>(k) &&
         other.parameterNumber() % static_cast<int64_t>(count) == static_cast<int64_t>(k) && &one != &other;
}

// Of two groups of values the one or the other, by one predicate.
bool choosesOneSide(const Computation& combiner, size_t count) {
  const Instruction& root = *combiner.root();
  if (root.opcode() != Opcode::Tuple || root.operandCount() != count) return false;
  for (size_t k = 0; k < count; ++k) {
    const Instruction& chosen = *root.operand(k);
    if (!selectsElement(chosen, k, count) || chosen.operand(0) != root.operand(0)->operand(0)) return false;
    const auto side = [&](const Instruction& select) {
      return select.operand(1)->parameterNumber() >= static_cast<int64_t>(count);
    };
    if (side(chosen) != side(*root.operand(0))) return false;
  }
  return true;
}

}  // namespace

std::span<Instruction* const> reducedArrays(const Instruction& reduce) {
  return reduce.operands().first(reduce.operandCount() / 2);
}

bool reducesRowMajor(const Instruction& i) {
  if (i.opcode() != Opcode::Reduce) return false;
  return std::ranges::all_of(reducedArrays(i), [](const Instruction* array) {
    return liesRowMajor(array->shape()) && array->shape().elementCount() > 0;
  });
}

bool isPlainReduction(const Instruction& i) {
  if (!reducesRowMajor(i)) return false;
  for (size_t k = 0; k < reducedArrays(i).size(); ++k) {
    if (!liesRowMajor(resultShape(i, k))) return false;
  }
  return true;
}

std::vector<Instruction*> resultsOf(Instruction* reduce, Instruction& before) {
  if (!reduce->shape().isTuple()) return {reduce};
  std::vector<Instruction*> results;
  for (size_t k = 0; k < reduce->shape().tupleShapes().size(); ++k)
    results.push_back(elementOfTuple(reduce, static_cast<int64_t>(k), before));
  return results;
}

Instruction* reduceOver(std::span<Instruction* const> arrays, std::span<const int64_t> dims,
                        Instruction& reduce) {
  std::vector<Instruction*> operands(arrays.begin(), arrays.end());
  for (size_t k = arrays.size(); k < reduce.operandCount(); ++k) operands.push_back(reduce.operand(k));
  std::vector<Shape> shapes;
  for (size_t k = 0; k < arrays.size(); ++k) {
    const Shape array = arrays[k]->shape();
    std::vector<int64_t> kept;
    for (size_t d = 0; d < array.rank(); ++d) {
      if (std::ranges::find(dims, static_cast<int64_t>(d)) == dims.end()) kept.push_back(array.dimension(d));
    }
    shapes.push_back(arrayLike(array, resultShape(reduce, k).elementType(), kept));
  }
  Instruction* made = reduce.parent().createLike(reduce, operands, &reduce);
  made->setShape(reduce.shape().isTuple() ? Shape::tuple(shapes) : shapes[0]);
  made->set<Attr::Dimensions>(dims);
  return made;
}

bool isReducedDim(const Instruction& reduce, size_t dimension) {
  return std::ranges::find(reduce.dimensions(), static_cast<int64_t>(dimension)) != reduce.dimensions().end();
}

bool mayStartTwice(const Instruction& reduce) {
  const Computation& combiner = *reduce.get<Attr::ToApply>();
  if (reduce.operandCount() > 2) return choosesOneSide(combiner, reducedArrays(reduce).size());
  if (reduce.operandCount() != 2 || combiner.instructionCount() != 3) return false;
  switch (combiner.root()->opcode()) {
    case Opcode::Add:
      return algebra::isAll(*reduce.operand(1), 0);
    case Opcode::Multiply:
      return algebra::isAll(*reduce.operand(1), 1);
    case Opcode::Maximum:
    case Opcode::Minimum:
    case Opcode::And:
    case Opcode::Or:
      return true;
    default:
      return false;
  }
}

Instruction* reduceGroups(Instruction& reduce, const std::vector<DimGroup>& groups) {
  std::vector<int64_t> sizes, dims;
  for (const DimGroup& group : groups) {
    if (group.isReduced) dims.push_back(static_cast<int64_t>(sizes.size()));
    sizes.push_back(group.size);
  }
  std::vector<Instruction*> arrays;
  for (Instruction* array : reducedArrays(reduce)) arrays.push_back(reshapeTo(array, sizes, reduce));
  Instruction* made = reduceOver(arrays, dims, reduce);
  if (!made->shape().isTuple()) return reshapedAs(made, reduce.shape(), reduce);
  std::vector<Instruction*> results = resultsOf(made, reduce);
  for (size_t k = 0; k < results.size(); ++k)
    results[k] = reshapedAs(results[k], reduce.shape().tupleShapes()[k], reduce);
  return reduce.parent().create(Opcode::Tuple, reduce.shape(), results, {}, &reduce);
}

}  // namespace hilo
