#include "core/compiler/passes/simplify/index_list.h"

#include "core/analysis/saturating.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {

IndexList listOfIndices(Instruction* indices, int64_t vectorDim, Instruction& before) {
  const Shape shape = indices->shape();
  std::vector<int64_t> order;
  IndexList list;
  int64_t count = 1, length = 1;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.rank()); ++d) {
    if (d == vectorDim) continue;
    order.push_back(d);
    list.dimensions.push_back(shape.dimension(static_cast<size_t>(d)));
    count = saturatingMultiply(count, list.dimensions.back());
  }
  if (vectorDim < static_cast<int64_t>(shape.rank())) {
    order.push_back(vectorDim);
    length = shape.dimension(static_cast<size_t>(vectorDim));
  }
  list.vectors = reshapeTo(transposeBy(indices, order, before), std::vector<int64_t>{count, length}, before);
  return list;
}

}  // namespace hilo
