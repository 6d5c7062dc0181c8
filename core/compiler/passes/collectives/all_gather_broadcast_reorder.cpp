#include "core/compiler/passes/collectives/all_gather_broadcast_reorder.h"

#include <algorithm>

#include "core/compiler/passes/collectives/collective_attributes.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool repeatsElsewhere(const Instruction& gather) {
  const Instruction& broadcast = *gather.operand(0);
  for (size_t d = 0; d < gather.shape().rank(); ++d) {
    const auto dimension = static_cast<int64_t>(d);
    if (dimension != gather.dimensions()[0] && gather.shape().dimension(d) > 1 &&
        std::ranges::find(broadcast.dimensions(), dimension) == broadcast.dimensions().end())
      return true;
  }
  return false;
}

bool gathersBroadcast(const Instruction& i) {
  return i.opcode() == Opcode::AllGather && i.operandCount() == 1 && i.shape().isArray() &&
         i.operand(0)->opcode() == Opcode::Broadcast && !i.get<Attr::ConstrainLayout>().value_or(false) &&
         liesRowMajor(i.shape()) && liesRowMajor(i.operand(0)->shape()) &&
         liesRowMajor(i.operand(0)->operand(0)->shape()) && repeatsElsewhere(i);
}

Instruction* gatherAlong(Instruction& gather, Instruction* value, int64_t dimension, int64_t size) {
  Instruction* made = gather.parent().createLike(gather, {{value}}, &gather);
  std::vector<int64_t> sizes(value->shape().dimensions().begin(), value->shape().dimensions().end());
  sizes[static_cast<size_t>(dimension)] = size;
  made->setShape(arrayLike(value->shape(), value->shape().elementType(), sizes));
  made->set<Attr::Dimensions>(std::vector<int64_t>{dimension});
  giveOwnChannel(*made);
  return made;
}

// The gathered dimension is one of the value's.
Instruction* gatheredAlongOwn(Instruction& gather, int64_t place) {
  const Instruction& broadcast = *gather.operand(0);
  const int64_t size = gather.shape().dimension(static_cast<size_t>(gather.dimensions()[0]));
  Instruction* made = gatherAlong(gather, broadcast.operand(0), place, size);
  return broadcastTo(made, gather.shape().dimensions(), broadcast.dimensions(), gather);
}

// The value has no such dimension: a new first one, which then stands in front of the gathered one.
Instruction* gatheredAlongNew(Instruction& gather) {
  const Instruction& broadcast = *gather.operand(0);
  Instruction* value = broadcast.operand(0);
  const int64_t along = gather.dimensions()[0];
  const int64_t size = broadcast.shape().dimension(static_cast<size_t>(along));
  const int64_t devices = gather.shape().dimension(static_cast<size_t>(along)) / size;
  std::vector<int64_t> one(value->shape().dimensions().begin(), value->shape().dimensions().end());
  one.insert(one.begin(), 1);
  Instruction* made = gatherAlong(gather, reshapeTo(value, one, gather), 0, devices);
  std::vector<int64_t> sizes(broadcast.shape().dimensions().begin(), broadcast.shape().dimensions().end());
  sizes.insert(sizes.begin() + along, devices);
  std::vector<int64_t> places = {along};
  for (const int64_t d : broadcast.dimensions()) places.push_back(d + (d > along ? 1 : 0));
  return reshapedAs(broadcastTo(made, sizes, places, gather), gather.shape(), gather);
}

Instruction* gatheredBefore(Instruction& gather) {
  const auto dimensions = gather.operand(0)->dimensions();
  const auto place = std::ranges::find(dimensions, gather.dimensions()[0]) - dimensions.begin();
  return place == static_cast<int64_t>(dimensions.size()) ? gatheredAlongNew(gather)
                                                          : gatheredAlongOwn(gather, place);
}

}  // namespace

Result<bool> gatherBeforeBroadcasts(Module& module, PassContext& context) {
  return rewriteEach(module, context, "moved", gathersBroadcast, gatheredBefore);
}

}  // namespace hilo
