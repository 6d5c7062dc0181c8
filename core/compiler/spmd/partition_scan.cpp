// Partitions scans. Along the scanned dimension an associative one runs on the parts: each device scans its
// part to what the whole part carries on, all gather and scan these, and each scans its part once more from
// what is carried to it. Any other scan keeps that dimension whole: its tiles go to another one, if a step is
// by element. As XLA's HandleScan.
#include "core/compiler/spmd/local_scan.h"
#include "core/compiler/spmd/partitioner.h"
#include "core/compiler/spmd/reshard_steps.h"
#include "core/compiler/spmd/tile_pieces.h"
#include "core/compiler/spmd/tiling_steps.h"

namespace hilo {
namespace {

std::vector<int64_t> withSize(Shape array, size_t dimension, int64_t size) {
  std::vector<int64_t> sizes(array.dimensions().begin(), array.dimensions().end());
  sizes[dimension] = size;
  return sizes;
}

// Of the carries, where the arrays lie so.
Tiling carryTiling(const EvenScan& scan, const Tiling& tiling) {
  std::vector<int64_t> kept;
  for (size_t d = 0; d < tiling.rank(); ++d) {
    if (d != scan.along) kept.push_back(static_cast<int64_t>(d));
  }
  return renamed(tiling, kept);
}

bool liesAlike(std::span<const Tiling> arrays) {
  return !arrays[0].isOneDevice && !arrays[0].isPartial &&
         std::ranges::all_of(arrays, [&](const Tiling& tiling) { return tiling == arrays[0]; });
}

bool runsOnParts(const EvenScan& scan, const Tiling& tiling) {
  return carryTiling(scan, tiling).isWhole() || scan.isByElement();
}

bool runsByPrefix(const EvenScan& scan, const Tiling& tiling) {
  const int64_t length = scan.scan.operand(0)->shape().dimension(scan.along),
                tiles = tiling.tiles[scan.along];
  return tiles > 1 && length > 0 && !isUneven(length, tiles) && scan.hasPrefix() && runsOnParts(scan, tiling);
}

// The scanned dimension is whole; its tiles go to the first dimension that they divide, if there is one.
Tiling wholeAlong(const EvenScan& scan, const Tiling& tiling) {
  const Shape array = scan.scan.operand(0)->shape();
  const int64_t tiles = tiling.tiles[scan.along];
  for (size_t d = 0; d < tiling.rank() && tiles > 1; ++d) {
    if (d != scan.along && !isUneven(array.dimension(d), tiling.tiles[d] * tiles))
      return exchangedTiling(tiling, scan.along, d, tiles);
  }
  const auto along = static_cast<int64_t>(scan.along);
  return wholeIn(tiling, std::span(&along, 1));
}

// All operands, the arrays cut like this.
Result<std::vector<Instruction*>> operandsOf(Partitioner& partitioner, const EvenScan& scan,
                                             const Tiling& tiling) {
  std::vector<Instruction*> locals;
  for (size_t i = 0; i < scan.scan.operandCount(); ++i) {
    TRY(const Part part,
        partitioner.operandAs(scan.scan, i, i < scan.arrays ? tiling : carryTiling(scan, tiling)));
    locals.push_back(part.local);
  }
  return locals;
}

Status finishScan(Partitioner& partitioner, const EvenScan& scan, const Tiling& tiling,
                  std::span<Instruction* const> results) {
  Tilings tilings(scan.arrays, tiling);
  tilings.resize(results.size(), carryTiling(scan, tiling));
  LocalBuilder& builder = partitioner.builder();
  Instruction* tuple = builder.make(Opcode::Tuple, localShape(scan.scan.shape(), tilings), {});
  for (Instruction* result : results) tuple->appendOperand(result);
  return partitioner.finish(scan.scan, Value{tuple, scan.scan.shape(), tilings});
}

// The scan along a dimension that is cut, of one device.
class Prefix {
 public:
  Prefix(LocalBuilder& builder, const EvenScan& scan, const Tiling& tiling,
         std::span<Instruction* const> parts)
      : builder_(builder),
        scan_(scan),
        tiling_(tiling),
        parts_(parts),
        step_(scan.stepSizes(parts[0]->shape())),
        local_(builder, scan, step_),
        isReverse_(scan.scan.get<Attr::IsReverse>().value_or(false)) {}

  std::vector<Instruction*> from(std::span<Instruction* const> starts) const {
    std::vector<Instruction*> gathered, carried;
    for (Instruction* total : totals()) gathered.push_back(gatherAlong(total));
    const std::vector<Instruction*> all = local_.over(gathered, starts);
    for (size_t i = 0; i < parts_.size(); ++i) carried.push_back(carriedHere(starts[i], all[i]));
    std::vector<Instruction*> results = local_.over(parts_, carried);
    std::copy(all.begin() + static_cast<int64_t>(parts_.size()), all.end(),
              results.begin() + static_cast<int64_t>(parts_.size()));
    return results;
  }

 private:
  // What each part carries on if nothing is carried to it: from its first step, over the others.
  std::vector<Instruction*> totals() const {
    const int64_t size = parts_[0]->shape().dimension(scan_.along);
    std::vector<Instruction*> firsts, others;
    for (Instruction* part : parts_) {
      Instruction* first = isReverse_ ? sliceAlong(builder_, part, scan_.along, size - 1, size)
                                      : sliceAlong(builder_, part, scan_.along, 0, 1);
      firsts.push_back(builder_.reshape(first, step_));
      if (size > 1)
        others.push_back(isReverse_ ? sliceAlong(builder_, part, scan_.along, 0, size - 1)
                                    : sliceAlong(builder_, part, scan_.along, 1, size));
    }
    if (size == 1) return firsts;
    const std::vector<Instruction*> results = local_.over(others, firsts);
    return {results.begin() + static_cast<int64_t>(parts_.size()), results.end()};
  }

  // A step as an array with one.
  Instruction* asArray(Instruction* step) const {
    return builder_.reshape(step, withSize(parts_[0]->shape(), scan_.along, 1));
  }

  Instruction* gatherAlong(Instruction* total) const {
    builder_.setCause(moveWithin(scan_.scan, "carries from part to part of a sharded dimension"));
    const Shape whole = shapeLike(
        total->shape(), withSize(scan_.scan.operand(0)->shape(), scan_.along, tiling_.tiles[scan_.along]));
    return gatherDimension(builder_, {asArray(total), whole, tiling_}, scan_.along,
                           tiling_.tiles[scan_.along])
        .local;
  }

  // `after`: what is carried on by each tile.
  Instruction* carriedHere(Instruction* start, Instruction* after) const {
    std::vector<Instruction*> inTurn = {asArray(start), after};
    if (isReverse_) std::swap(inTurn[0], inTurn[1]);
    Instruction* to = sideBySide(builder_, inTurn, scan_.along);
    const std::vector<int64_t> sizes = withSize(to->shape(), scan_.along, 1);
    Instruction* tile = builder_.byPartition(tileOfDevice(tiling_, scan_.along).plus(isReverse_ ? 1 : 0));
    std::vector<Instruction*> starts(sizes.size(), tile);
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (d != scan_.along) starts[d] = builder_.integer(0);
    }
    Instruction* here = builder_.make(Opcode::DynamicSlice, shapeLike(to->shape(), sizes), {to});
    for (Instruction* at : starts) here->appendOperand(at);
    here->set<Attr::DynamicSliceSizes>(sizes);
    return builder_.reshape(here, step_);
  }

  LocalBuilder& builder_;
  const EvenScan& scan_;
  const Tiling& tiling_;
  std::span<Instruction* const> parts_;
  std::vector<int64_t> step_;
  LocalScan local_;
  bool isReverse_;
};

}  // namespace

Status partitionScan(Partitioner& partitioner, Instruction& instruction) {
  TRY(const Tilings wanted, partitioner.wantedTilings(instruction));
  const auto scan = EvenScan::of(instruction);
  if (!scan || !liesAlike(std::span(wanted).first(scan->arrays)))
    return partitionByFactors(partitioner, instruction);
  const bool hasPrefix = runsByPrefix(*scan, wanted[0]);
  const Tiling tiling = hasPrefix ? wanted[0] : wholeAlong(*scan, wanted[0]);
  if (tiling.isWhole() || !runsOnParts(*scan, tiling)) return partitionByFactors(partitioner, instruction);
  TRY(const std::vector<Instruction*> locals, operandsOf(partitioner, *scan, tiling));
  const std::span<Instruction* const> all = locals;
  const auto arrays = all.first(scan->arrays), carries = all.subspan(scan->arrays);
  LocalBuilder& builder = partitioner.builder();
  if (hasPrefix)
    return finishScan(partitioner, *scan, tiling, Prefix(builder, *scan, tiling, arrays).from(carries));
  const LocalScan local(builder, *scan, scan->stepSizes(locals[0]->shape()));
  return finishScan(partitioner, *scan, tiling, local.over(arrays, carries));
}

}  // namespace hilo
