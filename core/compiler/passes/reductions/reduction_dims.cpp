#include "core/compiler/passes/reductions/reduction_dims.h"

#include <algorithm>

#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/algebra/constants.h"

namespace hilo {

bool isPlainReduction(const Instruction& i) {
  return i.opcode() == Opcode::Reduce && i.operandCount() == 2 && liesRowMajor(i.shape()) &&
         liesRowMajor(i.operand(0)->shape()) && i.shape().elementCount() > 0;
}

bool isReducedDim(const Instruction& reduce, size_t dimension) {
  return std::ranges::find(reduce.dimensions(), static_cast<int64_t>(dimension)) != reduce.dimensions().end();
}

bool mayStartTwice(const Instruction& reduce) {
  const Computation& combiner = *reduce.get<Attr::ToApply>();
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
  std::vector<int64_t> sizes, kept, dims;
  for (const DimGroup& group : groups) {
    if (group.isReduced) dims.push_back(static_cast<int64_t>(sizes.size()));
    if (!group.isReduced) kept.push_back(group.size);
    sizes.push_back(group.size);
  }
  Instruction* operand = reshapeTo(reduce.operand(0), sizes, reduce);
  Instruction* made = reduce.parent().createLike(reduce, {{operand, reduce.operand(1)}}, &reduce);
  made->setShape(arrayLike(reduce.shape(), reduce.shape().elementType(), kept));
  made->set<Attr::Dimensions>(dims);
  return reshapedAs(made, reduce.shape(), reduce);
}

}  // namespace hilo
