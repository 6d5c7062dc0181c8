#include "core/compiler/passes/collectives/all_gather_pad_slice.h"

#include <algorithm>
#include <set>

#include "core/compiler/passes/collectives/collective_attributes.h"
#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/collectives/own_parts.h"
#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/hlo/eval/collective_groups.h"

namespace hilo {
namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

struct PaddedSlice {
  Instruction* gather = nullptr;
  size_t dimension = 0;
  int64_t before = 0;            // zeros of the slice in front of what was gathered
  std::vector<int64_t> targets;  // partitions in whose slice it lies
  std::vector<Pairs> pairs;      // for each part, who sends it to whom
};

// Zeros at one side, along one dimension.
bool padsOneSide(const Instruction& pad, size_t dimension) {
  const auto padding = pad.get<Attr::Padding>();
  for (size_t d = 0; d < padding.size(); ++d) {
    const bool isPadded = padding[d].low != 0 || padding[d].high != 0;
    if (padding[d].interior != 0 || padding[d].low < 0 || padding[d].high < 0 ||
        isPadded != (d == dimension) || (padding[d].low != 0 && padding[d].high != 0))
      return false;
  }
  return algebra::isAll(*pad.operand(1), 0);
}

bool joinsByFlattenedId(const Instruction& gather) {
  const auto mode = groupModeOf(gather);
  return mode && *mode == DeviceGroupMode::FlattenedId && gather.module().replicaCount() == 1 &&
         gather.module().partitionCount() > 1;
}

// As XLA asks: along each group of the all-gather slices start one behind the other.
bool ascendInGroups(const std::vector<int64_t>& offsets, const Instruction& gather) {
  for (int64_t device = 0; device < static_cast<int64_t>(offsets.size()); ++device) {
    const auto group = groupOf(gather, gridOf(gather.module()), device);
    const auto offsetOf = [&offsets](int64_t id) { return offsets[static_cast<size_t>(id)]; };
    if (!group || !std::ranges::is_sorted(*group, {}, offsetOf)) return false;
  }
  return true;
}

// The partitions that have all of [low, low + size) at one place of their slices; nullopt: one has a piece.
std::optional<PaddedSlice> sliceWithTargets(const std::vector<int64_t>& offsets, int64_t slice, int64_t low,
                                            int64_t size) {
  PaddedSlice found;
  for (int64_t device = 0; device < static_cast<int64_t>(offsets.size()); ++device) {
    const int64_t offset = offsets[static_cast<size_t>(device)];
    if (offset >= low + size || offset + slice <= low) continue;
    const int64_t before = low - offset;
    if (before < 0 || before + size > slice || (!found.targets.empty() && found.before != before))
      return std::nullopt;
    found.before = before;
    found.targets.push_back(device);
  }
  return found.targets.empty() ? std::nullopt : std::optional(std::move(found));
}

// False where one would have to send twice.
bool findPairs(PaddedSlice& found) {
  std::set<int64_t> sources;
  for (const int64_t target : found.targets) {
    const auto group = groupOf(*found.gather, gridOf(found.gather->module()), target);
    if (!group) return false;
    found.pairs.resize(group->size());
    for (size_t k = 0; k < group->size(); ++k) {
      if (!sources.insert((*group)[k]).second) return false;
      found.pairs[k].emplace_back((*group)[k], target);
    }
  }
  return true;
}

std::optional<PaddedSlice> paddedSlice(const Instruction& slice) {
  if (slice.opcode() != Opcode::DynamicSlice || slice.operand(0)->opcode() != Opcode::Pad)
    return std::nullopt;
  const Instruction& pad = *slice.operand(0);
  Instruction* gather = pad.operand(0);
  const auto cut = cutDimension(slice);
  if (gather->opcode() != Opcode::AllGather || gather->operandCount() != 1 || !cut ||
      gather->dimensions()[0] != static_cast<int64_t>(*cut) || !isPlainArray(gather->shape()) ||
      !padsOneSide(pad, *cut) || !joinsByFlattenedId(*gather))
    return std::nullopt;
  const auto offsets = offsetsOnDevices(slice, *cut);
  const int64_t part = slice.shape().dimension(*cut), most = pad.shape().dimension(*cut) - part;
  if (!offsets || !ascendInGroups(*offsets, *gather) ||
      std::ranges::any_of(*offsets, [most](int64_t at) { return at < 0 || at > most; }))
    return std::nullopt;
  auto found =
      sliceWithTargets(*offsets, part, pad.get<Attr::Padding>()[*cut].low, gather->shape().dimension(*cut));
  if (!found) return std::nullopt;
  found->gather = gather;
  found->dimension = *cut;
  return findPairs(*found) ? found : std::nullopt;
}

bool isPaddedSlice(const Instruction& slice) { return paddedSlice(slice).has_value(); }

Instruction* zerosAlong(Instruction& slice, size_t dimension, int64_t size) {
  std::vector<int64_t> sizes(slice.shape().dimensions().begin(), slice.shape().dimensions().end());
  sizes[dimension] = size;
  return algebra::makeSplat(slice, arrayLike(slice.shape(), slice.shape().elementType(), sizes), 0);
}

// One part, on the partitions that need it.
Instruction* sentPart(const PaddedSlice& found, const Pairs& pairs, Instruction& slice) {
  Instruction* own = found.gather->operand(0);
  if (std::ranges::all_of(pairs, [](const auto& pair) { return pair.first == pair.second; })) return own;
  Instruction* made = slice.parent().create(Opcode::CollectivePermute, own->shape(), {own}, {}, &slice);
  made->set<Attr::ChannelId>(*found.gather->get<Attr::ChannelId>());
  setPairs(*made, pairs);
  setFrontendValue(*made, kGroupKey, collectiveGroupKey(*found.gather));
  return made;
}

// Whether this partition is one of the targets: by a table, a number for each partition.
Instruction* isTarget(const PaddedSlice& found, Instruction& slice) {
  Computation& computation = slice.parent();
  const int64_t partitions = slice.module().partitionCount();
  Literal table{Shape::array(ElementType::S64, {partitions})};
  auto* numbers = reinterpret_cast<int64_t*>(table.mutableBytes().data());
  for (int64_t device = 0; device < partitions; ++device)
    numbers[device] = std::ranges::count(found.targets, device);
  Instruction* all = computation.createConstant(std::move(table), &slice);
  Instruction* id = computation.create(Opcode::PartitionId, Shape::scalar(ElementType::U32), {}, {}, &slice);
  Instruction* one =
      computation.create(Opcode::DynamicSlice, Shape::array(ElementType::S64, {1}), {all, id}, {}, &slice);
  one->set<Attr::DynamicSliceSizes>(std::vector<int64_t>{1});
  Instruction* number = reshapeTo(one, {}, slice);
  Instruction* expected = algebra::makeSplat(slice, Shape::scalar(ElementType::S64), 1);
  Instruction* is =
      computation.create(Opcode::Compare, Shape::scalar(ElementType::Pred), {number, expected}, {}, &slice);
  is->set<Attr::Direction>(ComparisonDirection::Eq);
  return is;
}

Instruction* putTogether(Instruction& slice) {
  const PaddedSlice found = *paddedSlice(slice);
  std::vector<Instruction*> pieces;
  if (found.before > 0) pieces.push_back(zerosAlong(slice, found.dimension, found.before));
  for (const Pairs& pairs : found.pairs) pieces.push_back(sentPart(found, pairs, slice));
  const int64_t behind = slice.shape().dimension(found.dimension) - found.before -
                         found.gather->shape().dimension(found.dimension);
  if (behind > 0) pieces.push_back(zerosAlong(slice, found.dimension, behind));
  Computation& computation = slice.parent();
  Instruction* together = computation.create(Opcode::Concatenate, slice.shape(), pieces, {}, &slice);
  together->set<Attr::Dimensions>(std::vector<int64_t>{static_cast<int64_t>(found.dimension)});
  Instruction* zeros = algebra::makeSplat(slice, slice.shape(), 0);
  Instruction* is = isTarget(found, slice);
  return computation.create(Opcode::Select, slice.shape(), {is, together, zeros}, {}, &slice);
}

}  // namespace

Result<bool> permutePaddedGathers(Module& module, PassContext& context) {
  return rewriteEach(module, context, "permuted", isPaddedSlice, putTogether);
}

}  // namespace hilo
