// Partitions infeeds and outfeeds: each device has a queue of its own, of parts of one size. Sends and
// receives are refused outside of manual regions.
#include "core/compiler/spmd/partitioner.h"
#include "core/compiler/spmd/tiling_steps.h"

namespace hilo {
namespace {

// What stands in a queue is what the program says: no part may be padded, and no device is without.
Status checkParts(const Instruction& transfer, Shape data, const Tilings& tilings) {
  const auto leaves = leavesOf(data);
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i].isArray()) continue;
    bool isPadded = false;
    for (size_t d = 0; d < leaves[i].rank(); ++d)
      isPadded |= isUneven(leaves[i].dimension(d), tilings[i].tiles[d]);
    if (!isPadded && !tilings[i].isOneDevice) continue;
    return refuse(
        transfer, "spmd-unsupported",
        fmt::format("{} {} of {} {}: its parts are not of one size on all devices", transfer.opcodeText(),
                    transfer.name(), toString(leaves[i].withoutLayout()), toString(tilings[i])),
        {"give it a sharding that divides it, or none"});
  }
  return {};
}

// The sharding of an outfeed is of its data, with or without its token.
Result<Tilings> tilingsOfData(const Partitioner& partitioner, const Instruction& outfeed, Shape data) {
  const Sharding* stated = outfeed.get<Attr::Sharding>();
  const size_t leaves = leavesOf(data).size();
  if (stated == nullptr) {
    Tilings whole;
    for (Shape leaf : leavesOf(data))
      whole.push_back(replicatedTiling(leaf.rank(), partitioner.partitions()));
    return whole;
  }
  Sharding sharding = *stated;
  if (sharding.type == Sharding::Type::Tuple && sharding.elements.size() == leaves + 1)
    sharding.elements = sharding.elements.first(leaves);
  if (!data.isTuple() && sharding.type == Sharding::Type::Tuple && sharding.elements.size() == 1) {
    const Sharding only = sharding.elements[0];
    sharding = only;
  }
  return tilingsOf(sharding, data, partitioner.partitions(), outfeed);
}

void keepSharding(const Instruction& original, Instruction* local) {
  if (const Sharding* sharding = original.get<Attr::Sharding>()) local->set<Attr::Sharding>(sharding);
}

}  // namespace

Status partitionInfeed(Partitioner& partitioner, Instruction& infeed) {
  TRY(const Tilings wanted, partitioner.wantedTilings(infeed));
  TRY_STATUS(checkParts(infeed, infeed.shape(), wanted));
  Instruction* token = partitioner.valueOf(infeed.operand(0)).local;
  Instruction* local =
      partitioner.builder().makeLike(infeed, std::vector{token}, localShape(infeed.shape(), wanted));
  keepSharding(infeed, local);
  return partitioner.finish(infeed, Value{local, infeed.shape(), wanted});
}

Status partitionOutfeed(Partitioner& partitioner, Instruction& outfeed) {
  const Value& data = partitioner.valueOf(outfeed.operand(0));
  TRY(const Tilings tilings, tilingsOfData(partitioner, outfeed, data.global));
  TRY_STATUS(checkParts(outfeed, data.global, tilings));
  TRY(const Value placed, partitioner.valueAs(data, tilings, moveOfOperand(outfeed, 0)));
  Instruction* token = partitioner.valueOf(outfeed.operand(1)).local;
  Instruction* local =
      partitioner.builder().makeLike(outfeed, std::vector{placed.local, token}, outfeed.shape());
  if (local->has(Attr::OutfeedShape)) local->set<Attr::OutfeedShape>(placed.local->shape());
  keepSharding(outfeed, local);
  partitioner.setValue(outfeed,
                       Value{local, outfeed.shape(), {replicatedTiling(0, partitioner.partitions())}});
  return {};
}

Status refuseTransfer(Partitioner& partitioner, Instruction& instruction) {
  TRY(const Tilings wanted, partitioner.wantedTilings(instruction));
  const bool isManual =
      !wanted.empty() && std::ranges::all_of(wanted, [](const Tiling& t) { return t.manual > 1; });
  if (isManual) return keepAsItIs(partitioner, instruction);
  return refuse(instruction, "spmd-unsupported",
                fmt::format("{} {} is not partitioned yet", instruction.opcodeText(), instruction.name()),
                {"mark it manual, or leave it out"});
}

}  // namespace hilo
