// Partitions custom calls: shardings said by call, ways into and out of manual regions, calls of elements; of
// all others nothing is known, they run whole on every device.
#include "core/compiler/spmd/partitioner.h"
#include "core/compiler/spmd/rotations.h"
#include "core/compiler/spmd/tiling_steps.h"
#include "core/compiler/spmd/top_k.h"
#include "core/hlo/ir/side_effects.h"

namespace hilo {
namespace {

constexpr std::string_view kOfElements[] = {
    "Sharding",
    "X64Combine",
    "X64SplitHigh",
    "X64SplitLow",
    "LayoutConstraint",
    "MoveToDevice",
    "MoveToHost",
    "annotate_device_placement",
    "ShardBarrierFrom",
    "ShardBarrierTo",
    "PinToDevice",
    "PinToDeviceSram",
    "AssumeGatherIndicesInBound",
    "xla.sdy.FuncResultSharding",
};

bool isOfElements(const Instruction& call) {
  if (call.operandCount() != 1 || !call.shape().isArray() || !call.operand(0)->shape().isArray())
    return false;
  const bool sameSizes = std::ranges::equal(call.shape().dimensions(), call.operand(0)->shape().dimensions());
  return sameSizes &&
         std::ranges::find(kOfElements, call.get<Attr::CustomCallTarget>()) != std::end(kOfElements);
}

// The local array as what its part is: no element moves.
Status relabel(Partitioner& partitioner, Instruction& call, const Part& operand) {
  TRY(const Tilings wanted, partitioner.wantedTilings(call));
  if (localShape(call.shape(), wanted[0]).withoutLayout() != operand.local->shape().withoutLayout()) {
    return refuse(call, "spmd-conflict",
                  fmt::format("{} has parts of {} where {} needs {}", call.operand(0)->name(),
                              toString(operand.local->shape().withoutLayout()), call.name(),
                              toString(localShape(call.shape(), wanted[0]).withoutLayout())),
                  {"the sharding of the Sharding call before it must be the one the shapes were made for"});
  }
  Instruction* copy = partitioner.builder().make(Opcode::Copy, operand.local->shape(), {operand.local});
  partitioner.setValue(call, Value{copy, call.shape(), wanted});
  return {};
}

Status asWhole(Partitioner& partitioner, Instruction& call) {
  LocalBuilder& builder = partitioner.builder();
  TRY(const Tilings wanted, partitioner.wantedTilings(call));
  Tilings whole;
  for (const Tiling& tiling : wanted)
    whole.push_back(tiling.isOneDevice ? tiling : wholeTiling(tiling, tiling.rank()));
  const bool isManual = !wanted.empty() && wanted[0].manual > 1;
  const bool isOfOne = std::ranges::all_of(wanted, &Tiling::isOneDevice) && !wanted.empty();
  const Tiling like = isManual ? wanted[0] : replicatedTiling(0, partitioner.partitions());
  std::vector<Instruction*> locals;
  bool wasCut = false;
  for (size_t i = 0; i < call.operandCount(); ++i) {
    const Value& value = partitioner.valueOf(call.operand(i));
    Tilings target;
    for (const Tiling& tiling : value.tilings) {
      wasCut |= !tiling.isWhole();
      target.push_back(wholeTiling(like, tiling.rank()));
      if (isOfOne && tiling.isOneDevice && tiling.devices == wanted[0].devices) target.back() = tiling;
    }
    TRY(const Value placed, partitioner.valueAs(value, target, moveOfOperand(call, i)));
    locals.push_back(placed.local);
  }
  const std::string_view target = call.get<Attr::CustomCallTarget>();
  if (wasCut)
    builder.remark(
        "replicated",
        fmt::format("custom-call %{} to {} is computed whole on every device: no rule says how to cut it",
                    call.name(), target));
  return partitioner.finish(call, Value{builder.makeLike(call, locals, call.shape()), call.shape(), whole});
}

}  // namespace

Status partitionCustomCall(Partitioner& partitioner, Instruction& call) {
  const std::string_view target = call.get<Attr::CustomCallTarget>();
  if (target == "SPMDFullToShardShape" || target == "SPMDShardToFullShape")
    return relabel(partitioner, call, partitioner.partOf(call.operand(0)));
  if (const auto rotation = rotationOf(call)) return partitionRotation(partitioner, call, *rotation);
  if (isOfElements(call)) {
    TRY(const Tilings wanted, partitioner.wantedTilings(call));
    TRY(const Part part, partitioner.operandAs(call, 0, wanted[0]));
    Instruction* local = target == "Sharding"
                             ? partitioner.builder().make(Opcode::Copy, part.local->shape(), {part.local})
                             : partitioner.builder().makeLike(call, std::vector{part.local},
                                                              localShape(call.shape(), wanted[0]));
    return partitioner.finish(call, Part{local, call.shape(), wanted[0]});
  }
  TRY(const Tilings wanted, partitioner.wantedTilings(call));
  const bool isManual =
      !wanted.empty() && std::ranges::all_of(wanted, [](const Tiling& t) { return t.manual > 1; });
  if (hasOwnSideEffect(call) && !isManual) {
    return refuse(call, "spmd-unsupported",
                  fmt::format("{} calls {}, which has a side effect: it would have one on every device",
                              call.name(), target),
                  {"put it into a manual region"});
  }
  if (isTopKOfParts(partitioner, call)) return partitionTopK(partitioner, call);
  const bool isFree = !isManual && freeDimensionsOf(call) > 0;
  return isFree ? partitionByFactors(partitioner, call) : asWhole(partitioner, call);
}

}  // namespace hilo
