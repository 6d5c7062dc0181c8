#include "core/compiler/passes/collectives/all_reduce_decomposer.h"

#include "core/compiler/passes/collectives/collective_attributes.h"
#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/spmd/op_factors.h"

namespace hilo {
namespace {

constexpr int64_t kMostElements = 256 * 1024;

std::optional<Literal> startOf(const Instruction& allReduce) {
  const auto combiner = plainCombiner(allReduce.get<Attr::ToApply>());
  return combiner ? neutralElement(*combiner, allReduce.shape().elementType()) : std::nullopt;
}

bool isSmall(const Instruction& i) {
  return i.opcode() == Opcode::AllReduce && i.operandCount() == 1 && i.shape().isArray() &&
         i.shape().elementCount() <= kMostElements && liesRowMajor(i.shape()) &&
         liesRowMajor(i.operand(0)->shape()) && groupSizeOf(i) && startOf(i);
}

std::vector<int64_t> manyOf(Shape shape, int64_t count) {
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes.insert(sizes.begin(), count);
  return sizes;
}

Instruction* gatheredAndReduced(Instruction& i) {
  Instruction* value = i.operand(0);
  Instruction* one = reshapeTo(value, manyOf(value->shape(), 1), i);
  const Shape all =
      arrayLike(value->shape(), value->shape().elementType(), manyOf(value->shape(), *groupSizeOf(i)));
  Instruction* gather = createAmongSame(i, Opcode::AllGather, all, one, i);
  const int64_t first[] = {0};
  gather->set<Attr::Dimensions>(first);
  Instruction* start = i.parent().createConstant(*startOf(i), &i);
  Instruction* reduce = i.parent().create(Opcode::Reduce, i.shape(), {gather, start}, {}, &i);
  reduce->set<Attr::Dimensions>(first);
  reduce->set<Attr::ToApply>(i.get<Attr::ToApply>());
  return reduce;
}

}  // namespace

Result<bool> decomposeAllReduces(Module& module, PassContext& context) {
  return rewriteEach(module, context, "decomposed", isSmall, gatheredAndReduced);
}

}  // namespace hilo
