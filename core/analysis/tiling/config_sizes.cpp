#include <fmt/format.h>

#include "core/analysis/tiling/fusion_config.h"
#include "core/hlo/ir/instruction.h"

namespace hilo {
namespace {

using Kind = IndexVariable::Kind;

std::unexpected<Diagnostic> bad(std::string what) {
  return fail("bad-fusion-config", std::move(what), {}, {"the backend_config of the fusion says so"});
}

constexpr int64_t kMostElements = 1'048'576;  // Triton's bound on what one tile holds

// Fills sizes by variable; 0: nothing says it.
class ConfiguredSizes {
 public:
  ConfiguredSizes(const FusionConfig& config, const TilingSpace& space)
      : config_(config), space_(space), byVariable_(space.variables.size()) {}

  Result<std::vector<int64_t>> take() {
    TRY_STATUS(takeOutputTiles());
    for (const TiledInstruction& tiled : space_.instructions) {
      const bool isDot = tiled.instruction->opcode() == Opcode::Dot;
      if (isDot && config_.gemm) TRY_STATUS(takeBlocks(tiled, *config_.gemm));
      if (tiled.operands.empty()) continue;
      TRY_STATUS(takeOwnSizes(*tiled.instruction));
      TRY_STATUS(takeNested(tiled));
    }
    std::vector<int64_t> sizes;
    for (const size_t i : space_.tiled())
      sizes.push_back(byVariable_[i] > 0 ? byVariable_[i] : space_.variables[i].index.range.upper + 1);
    return sizes;
  }

 private:
  Status takeOutputTiles() {
    if (config_.outputTiles.empty()) return {};
    if (config_.outputTiles.size() != space_.roots.size())
      return bad(fmt::format("output_tiles has {} tiles, the fusion has {} results",
                             config_.outputTiles.size(), space_.roots.size()));
    for (size_t r = 0; r < space_.roots.size(); ++r) {
      const TiledInstruction& root = space_.instructions[space_.roots[r]];
      const auto& sizes = config_.outputTiles[r];
      if (sizes.size() != root.place.size())
        return bad(fmt::format("output_tiles has {} sizes for %{}, which has {} dimensions", sizes.size(),
                               root.instruction->name(), root.place.size()));
      TRY_STATUS(checkElements(*root.instruction, sizes));
      if (isStoredByOthers(root)) continue;
      for (size_t d = 0; d < sizes.size(); ++d) TRY_STATUS(set(root.place[d], sizes[d], "output_tiles"));
    }
    return {};
  }

  // A result that lies by the tiles of another has sizes that follow from those.
  static bool isStoredByOthers(const TiledInstruction& root) {
    return std::ranges::any_of(
        root.place, [](const AffineExpression& place) { return !place.isConstant() && !place.asVariable(); });
  }

  static Status checkElements(const Instruction& of, std::span<const int64_t> sizes) {
    int64_t elements = 1;
    for (const int64_t size : sizes) {
      if (size > kMostElements / elements)
        return bad(fmt::format("a tile of %{} of ({}) has more than {} elements", of.name(),
                               fmt::join(sizes, ", "), kMostElements));
      elements *= size;
    }
    return {};
  }

  // Of a size that an index has to be a variable for, but a dimension of one element.
  Status set(const AffineExpression& index, int64_t size, const std::string& what) {
    if (index.terms().empty()) return {};
    const auto variable = index.asVariable();
    if (!variable)
      return bad(fmt::format("{} cannot be laid on {}, which is no dimension of the result", what,
                             index.text(space_.names())));
    int64_t& known = byVariable_[*variable];
    if (known != 0 && known != size)
      return bad(fmt::format("{} says {} for {}, which has {} already", what, size, space_.names()[*variable],
                             known));
    known = size;
    return {};
  }

  // The result of a dot: batches, what only the left has, what only the right has.
  Status takeBlocks(const TiledInstruction& dot, const GemmBlocks& blocks) {
    const Instruction& instruction = *dot.instruction;
    const size_t batches = instruction.get<Attr::LhsBatchDims>().size(),
                 summed = instruction.get<Attr::LhsContractingDims>().size(),
                 left = instruction.operand(0)->shape().rank() - batches - summed;
    const size_t rank = dot.place.size();
    for (size_t d = 0; d < rank; ++d) {
      const bool isLeft = d < batches + left;
      const bool isMinor = d + 1 == (isLeft ? batches + left : rank);  // the block lies along the innermost
      const int64_t block = d < batches || !isMinor ? 1 : isLeft ? blocks.m : blocks.n;
      TRY_STATUS(set(dot.place[d], block, isLeft ? "block_m" : "block_n"));
    }
    for (size_t i = 0; i < space_.variables.size(); ++i) {
      const TilingVariable& variable = space_.variables[i];
      const bool isOwn = variable.index.kind == Kind::Symbol && variable.instruction == &instruction;
      if (isOwn) byVariable_[i] = variable.number + 1 == summed ? blocks.k : 1;
    }
    return {};
  }

  // Of fusions inside of the fusion, as a nested dot's operands are: their own tiles.
  Status takeNested(const TiledInstruction& tiled) {
    const Instruction& instruction = *tiled.instruction;
    for (size_t i = 0; i < tiled.operands.size() && i < instruction.operandCount(); ++i) {
      const Instruction& operand = *instruction.operand(i);
      if (operand.opcode() != Opcode::Fusion) continue;
      TRY(const auto config, fusionConfig(operand));
      const auto& place = space_.instructions[tiled.operands[i]].place;
      if (!config || config->outputTiles.size() != 1) continue;
      const auto& sizes = config->outputTiles[0];
      if (sizes.size() != place.size())
        return bad(fmt::format("output_tiles has {} sizes for %{}, which has {} dimensions", sizes.size(),
                               operand.name(), place.size()));
      for (size_t d = 0; d < sizes.size(); ++d)
        TRY_STATUS(set(place[d], sizes[d], fmt::format("output_tiles of %{}", operand.name())));
    }
    return {};
  }

  Status takeOwnSizes(const Instruction& instruction) {
    TRY(const auto sizes, foldedSizes(instruction));
    if (sizes.empty()) return {};
    size_t folded = 0;
    for (const TilingVariable& variable : space_.variables)
      folded += variable.index.kind == Kind::Symbol && variable.instruction == &instruction ? 1 : 0;
    if (sizes.size() != folded)
      return bad(
          fmt::format("%{} has {} sizes, and folds {} dimensions", instruction.name(), sizes.size(), folded));
    for (size_t i = 0; i < space_.variables.size(); ++i) {
      const TilingVariable& variable = space_.variables[i];
      if (variable.index.kind == Kind::Symbol && variable.instruction == &instruction)
        byVariable_[i] = sizes[variable.number];
    }
    return {};
  }

  const FusionConfig& config_;
  const TilingSpace& space_;
  std::vector<int64_t> byVariable_;
};

}  // namespace

Result<std::vector<int64_t>> sizesOf(const FusionConfig& config, const TilingSpace& space) {
  return ConfiguredSizes(config, space).take();
}

}  // namespace hilo
