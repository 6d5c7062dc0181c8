#include "core/analysis/tiling/tile_work.h"

#include <algorithm>
#include <bit>

#include "core/analysis/tiling/tile_traffic.h"
#include "core/hlo/ir/instruction.h"
#include "core/hlo/ir/op_facts.h"

namespace hilo {
namespace {

using Kind = IndexVariable::Kind;

constexpr int64_t kRows = 16, kColumns = 8, kSummedBytes = 32;  // of mma.sync
constexpr int64_t kOwnRegisters = 32;                           // of addresses and counters
constexpr int64_t kMostRegisters = 255, kThreads = 32;
constexpr double kTranscendental = 8;

int64_t roundedUp(int64_t size, int64_t multiple) { return (size + multiple - 1) / multiple * multiple; }

int64_t bytesOf(ElementType type) { return std::max(1, elementBits(type) / 8); }

bool isOfTensorCores(ElementType type) {
  switch (type) {
    case ElementType::BF16:
    case ElementType::F16:
    case ElementType::F64:
    case ElementType::S8:
    case ElementType::U8:
    case ElementType::S4:
    case ElementType::U4:
      return true;
    default:
      return elementTypeName(type).starts_with("f8") || elementTypeName(type).starts_with("f4");
  }
}

class Counter {
 public:
  Counter(const TilingSpace& space, const FusionTiling& tiling, bool usesTensorCores)
      : space_(space), tiling_(tiling), usesTensorCores_(usesTensorCores) {}

  TileWork count(int64_t warps) {
    for (size_t i = 0; i < space_.instructions.size(); ++i) {
      const TiledInstruction& tiled = space_.instructions[i];
      if (!tiled.operands.empty()) countOne(i, tiled);
    }
    work_.warps = warps > 0 ? warps : warpsOf();
    hold();
    return std::move(work_);
  }

 private:
  int64_t elements(size_t i) const { return tiling_.tiles[i].elements(); }

  // Over the folded dimensions that are the instruction's own, or that it moves along.
  template <typename Of>
  int64_t overFolds(const Instruction& instruction, Of of) const {
    int64_t product = 1;
    for (size_t v = 0; v < space_.variables.size(); ++v) {
      if (space_.variables[v].index.kind == Kind::Symbol && space_.variables[v].instruction == &instruction)
        product *= std::max<int64_t>(1, of(tiling_.variables[v]));
    }
    return product;
  }

  void countOne(size_t i, const TiledInstruction& tiled) {
    const Instruction& instruction = *tiled.instruction;
    const int64_t own = overFolds(instruction, tilesAlong), moved = trafficOf(space_, tiling_, i).steps;
    const int64_t steps = own * moved;
    work_.steps = std::max(work_.steps, steps);
    const bool isDot = instruction.opcode() == Opcode::Dot || instruction.opcode() == Opcode::ScaledDot;
    if (isDot && tiled.operands.size() >= 2) return countDot(i, tiled, steps);
    const int64_t folded = overFolds(instruction, [](const VariableTile& v) { return v.count(); });
    const bool isFree = hasFact(instruction.opcode(), OpFact::RenamesBytes) ||
                        (hasFact(instruction.opcode(), OpFact::MovesElements) && folded == 1);
    const double weight =
        isFree ? 0 : (hasFact(instruction.opcode(), OpFact::Transcendental) ? kTranscendental : 1);
    work_.vectorFlops +=
        weight * static_cast<double>(elements(i)) * static_cast<double>(folded) * static_cast<double>(steps);
    widest_ = std::max(widest_, elements(i));
  }

  void countDot(size_t i, const TiledInstruction& tiled, int64_t steps) {
    const Instruction& dot = *tiled.instruction;
    TileProduct product{.steps = steps, .type = dot.operand(0)->shape().elementType()};
    product.summed = overFolds(dot, [](const VariableTile& v) { return v.count(); });
    const InstructionTile& left = tiling_.tiles[tiled.operands[0]];
    for (const int64_t d : dot.get<Attr::LhsBatchDims>())
      product.batch *= left.dimensions[static_cast<size_t>(d)].size;
    const int64_t shared = std::max<int64_t>(1, product.batch * product.summed);
    product.rows = std::max<int64_t>(1, left.elements() / shared);
    product.columns = std::max<int64_t>(1, elements(tiled.operands[1]) / shared);
    product.onTensorCores = usesTensorCores_ && isOfTensorCores(product.type) && product.rows >= kRows &&
                            product.columns >= kColumns &&
                            product.summed * bytesOf(product.type) >= kSummedBytes / 2;
    work_.sharedBytes += static_cast<int64_t>(product.operandBytes()) * (steps > 1 ? 2 : 1);
    accumulated_ += elements(i);
    work_.products.push_back(product);
  }

  int64_t warpsOf() const {
    const int64_t lanes = std::max<int64_t>(1, std::max(widest_ / 4, accumulated_ / 32) / kThreads);
    return std::min<int64_t>(8, static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(lanes))));
  }

  // Accumulators, and two tiles of what is computed from each other.
  void hold() {
    const int64_t threads = work_.warps * kThreads;
    const int64_t needed = kOwnRegisters + (accumulated_ + 2 * widest_ + threads - 1) / threads;
    work_.registersOfThread = std::min(needed, kMostRegisters);
    work_.spilledBytes =
        8.0 * static_cast<double>(needed - work_.registersOfThread) * static_cast<double>(threads);
  }

  const TilingSpace& space_;
  const FusionTiling& tiling_;
  const bool usesTensorCores_;
  TileWork work_;
  int64_t widest_ = 0, accumulated_ = 0;  // elements: of the largest tile but of a dot; of all dots
};

}  // namespace

double TileProduct::flops() const {
  const auto count = [](int64_t n) { return static_cast<double>(n); };
  const int64_t r = onTensorCores ? roundedUp(rows, kRows) : rows,
                c = onTensorCores ? roundedUp(columns, kColumns) : columns,
                k = onTensorCores ? roundedUp(summed, kSummedBytes / bytesOf(type)) : summed;
  return 2 * count(batch) * count(r) * count(c) * count(k) * count(steps);
}

double TileProduct::operandBytes() const {
  return static_cast<double>(batch * (rows + columns) * summed) * static_cast<double>(elementBits(type)) / 8;
}

TileWork workOf(const TilingSpace& space, const FusionTiling& tiling, int64_t warps, bool usesTensorCores) {
  return Counter(space, tiling, usesTensorCores).count(warps);
}

}  // namespace hilo
