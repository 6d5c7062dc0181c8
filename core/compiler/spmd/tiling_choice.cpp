// How an operation's loop nest is laid over the devices: XLA's order of preference, by kind of operation,
// then the fewest bytes.
#include <tuple>

#include "core/compiler/spmd/loop_nest.h"

namespace hilo {
namespace {

// How an operand comes to where the nest needs it.
enum class OperandMove : uint8_t { None, Gather, Other };

OperandMove moveOf(const LoopNest& nest, const Tiling& tiling, size_t operand) {
  const Part& part = nest.operands[operand];
  const Tiling wanted = nest.operandTiling(tiling, operand);
  if (!part.global.isArray()) return OperandMove::Other;
  if (part.tiling == wanted || isInside(part.global, wanted, part.tiling)) return OperandMove::None;
  return isInside(part.global, part.tiling, wanted) ? OperandMove::Gather : OperandMove::Other;
}

bool isInPlace(const LoopNest& nest, const Tiling& tiling, size_t operand) {
  return moveOf(nest, tiling, operand) == OperandMove::None;
}

// An operand lies as the result does: the other one comes to it, even where moving this one would be cheaper.
bool leavesAnOperandInPlace(const LoopNest& nest, const Tiling& tiling) {
  if (nest.wanted[0].isWhole() || sumTiles(nest, tiling) > 1) return false;
  if (!(nest.resultTiling(tiling) == nest.wanted[0])) return false;
  for (size_t i = 0; i < std::min<size_t>(nest.operands.size(), 2); ++i) {
    const Tiling& has = nest.operands[i].tiling;
    if (!has.isWhole() && has == nest.operandTiling(tiling, i)) return true;
  }
  return false;
}

bool hasWindows(const LoopNest& nest) {
  return std::ranges::any_of(nest.factors.factors, [](const Factor& factor) { return factor.window >= 0; });
}

// Whether an operand is cut along a factor as the nest is, or finer.
bool isCutAlong(const LoopNest& nest, const Tiling& tiling, size_t f, size_t operand) {
  const int64_t dimension = nest.factors.factors[f].operands[operand];
  if (dimension < 0) return false;
  const Tiling& has = nest.operands[operand].tiling;
  const int64_t tiles = has.tiles[static_cast<size_t>(dimension)];
  if (hasWindows(nest)) return tiles == tiling.tiles[f];  // wherever its tiles are
  return tiles % tiling.tiles[f] == 0 &&
         tileOfDevice(has, static_cast<size_t>(dimension)).dividedBy(tiles / tiling.tiles[f]) ==
             tileOfDevice(tiling, f);
}

// Both operands are cut along a dimension that is summed over, or groups are dealt out.
bool meetsInSum(const LoopNest& nest, const Tiling& tiling) {
  for (size_t f = 0; f < nest.factors.factors.size(); ++f) {
    const Factor& factor = nest.factors.factors[f];
    if (tiling.tiles[f] == 1) continue;
    if (factor.groups > 0) return true;
    if (factor.kind == Factor::Kind::Sum && isCutAlong(nest, tiling, f, 0) && isCutAlong(nest, tiling, f, 1))
      return true;
  }
  return false;
}

// As XLA's dot_handler.cc and convolution_handler.cc: an operand stays as the result lies, both stay, one
// stays and meets the other in a sum, both are gathered for what the result is to be.
int rankOfProduct(const LoopNest& nest, const Tiling& tiling) {
  if (leavesAnOperandInPlace(nest, tiling)) return 0;
  if (tiling.isWhole() || nest.operands.size() < 2) return 4;
  const OperandMove first = moveOf(nest, tiling, 0), second = moveOf(nest, tiling, 1);
  const bool sums = sumTiles(nest, tiling) > 1, meets = meetsInSum(nest, tiling);
  const bool mayStay = sums ? meets : !hasWindows(nest);
  if (first == OperandMove::None && second == OperandMove::None && mayStay) return 1;
  if (meets && (first == OperandMove::None || second == OperandMove::None)) return 2;
  const bool isPlain = std::ranges::none_of(
      nest.factors.factors, [](const Factor& factor) { return factor.window >= 0 || factor.groups > 0; });
  const bool isGathered = first != OperandMove::Other && second != OperandMove::Other;
  return isPlain && isGathered && nest.resultTiling(tiling) == nest.wanted[0] ? 3 : 4;
}

// Whether devices have what is wanted of the result, if they add up.
bool leavesResultInPlace(const LoopNest& nest, const Tiling& tiling) {
  return isInside(leavesOf(nest.instruction.shape())[0], nest.wanted[0], nest.resultTiling(tiling));
}

// As XLA's gather_scatter_handler.cc: batches and indices that count along the array come first, all of it on
// each device last.
int rankOfIndexed(const LoopNest& nest, const Tiling& tiling) {
  const size_t indices = nest.instruction.opcode() == Opcode::Gather ? 1 : nest.operands.size() / 2;
  for (size_t f = 0; f < nest.factors.factors.size(); ++f) {
    const Factor& factor = nest.factors.factors[f];
    if (tiling.tiles[f] > 1 && factor.operands[0] >= 0 && factor.operands[indices] >= 0) return 0;
  }
  return tiling.isWhole() ? 2 : 1;
}

// Bytes of the arrays that are made on a device.
double memoryOf(const LoopNest& nest, const Tiling& tiling) {
  double bytes = 0;
  for (size_t i = 0; i < nest.operands.size(); ++i) {
    if (!isInPlace(nest, tiling, i))
      bytes +=
          static_cast<double>(localShape(nest.operands[i].global, nest.operandTiling(tiling, i)).byteSize());
  }
  const Tiling result = nest.resultTiling(tiling);
  const auto leaves = leavesOf(nest.instruction.shape());
  for (size_t i = 0; i < leaves.size(); ++i) {
    const double made = static_cast<double>(localShape(leaves[i], result).byteSize());
    bytes += made * (sumTiles(nest, tiling) > 1 ? 2 : 1);
    if (!(result == nest.wanted[i]))
      bytes += static_cast<double>(localShape(leaves[i], nest.wanted[i]).byteSize());
  }
  return bytes;
}

// XLA moves the operands of all operations but these to where the result is to be.
bool followsResult(const LoopNest& nest, const Tiling& tiling) {
  if (nest.instruction.opcode() == Opcode::Slice &&
      nest.operands[0].tiling.tileCount() > nest.wanted[0].tileCount())
    return false;
  constexpr Opcode kWeighed[] = {Opcode::Dot,    Opcode::RaggedDot, Opcode::Convolution,
                                 Opcode::Gather, Opcode::Scatter,   Opcode::Sort,
                                 Opcode::Fft,    Opcode::Reduce,    Opcode::Concatenate};
  return std::ranges::find(kWeighed, nest.instruction.opcode()) == std::end(kWeighed) &&
         !nest.wanted[0].isWhole() && !nest.wanted[0].isPartial &&
         nest.resultTiling(tiling) == nest.wanted[0];
}

// Less is better, the first number that differs decides.
using Costs = std::tuple<int, int64_t, double, double>;

Costs costsOfProduct(const LoopNest& nest, const Tiling& tiling) {
  const int rank = rankOfProduct(nest, tiling);
  bool isThere = true;
  if (rank < 3)
    isThere = leavesResultInPlace(nest, tiling);
  else if (hasWindows(nest))
    isThere = nest.resultTiling(tiling) == nest.wanted[0];
  return {rank, isThere ? 0 : 1, 0, costOf(nest, tiling)};
}

Costs costsOf(const LoopNest& nest, const Tiling& tiling, bool fewestBytes) {
  if (fewestBytes) return {0, 0, 0, costOf(nest, tiling)};
  switch (nest.instruction.opcode()) {
    case Opcode::Dot:
    case Opcode::RaggedDot:
    case Opcode::Convolution:
      return costsOfProduct(nest, tiling);
    case Opcode::Gather:
    case Opcode::Scatter:
      return {rankOfIndexed(nest, tiling), -tiling.tileCount(), memoryOf(nest, tiling), costOf(nest, tiling)};
    case Opcode::Sort:
    case Opcode::Fft:
    case Opcode::Concatenate:
      return {0, -tiling.tileCount(), 0, costOf(nest, tiling)};
    case Opcode::Slice: {
      const bool isFewer = nest.operands[0].tiling.tileCount() > nest.wanted[0].tileCount();
      return {isFewer && isInPlace(nest, tiling, 0) ? 0 : 1, 0, 0, costOf(nest, tiling)};
    }
    case Opcode::Reduce:
      return {isInPlace(nest, tiling, 0) ? 0 : 1, 0, 0, costOf(nest, tiling)};
    default:
      return {0, 0, 0, costOf(nest, tiling)};
  }
}

}  // namespace

Tiling chooseTiling(const LoopNest& nest, bool fewestBytes) {
  const std::vector<Tiling> candidates = candidatesOf(nest);
  if (!fewestBytes && followsResult(nest, candidates[0])) return candidates[0];
  size_t best = 0;
  auto least = costsOf(nest, candidates[0], fewestBytes);
  for (size_t i = 1; i < candidates.size(); ++i) {
    const auto costs = costsOf(nest, candidates[i], fewestBytes);
    if (costs < least) best = i, least = costs;
  }
  return candidates[best];
}

}  // namespace hilo
