#include "core/analysis/tile_program/verify_tile_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/hlo/ir/module.h"

namespace hilo {
namespace {

using Sizes = std::vector<int64_t>;
using Kind = IndexVariable::Kind;

int64_t product(const Sizes& sizes) {
  int64_t all = 1;
  for (const int64_t size : sizes) all *= size;
  return all;
}

class Verifier {
 public:
  Verifier(const TiledFusion& fusion, const TileProgram& program) : fusion_(fusion), program_(program) {}

  Status check() {
    for (size_t b = 1; b < program_.blocks.size(); ++b) {
      if (program_.blocks[b].parent >= b) return bad("block {} comes before its parent", b);
      const auto loops = std::ranges::count(program_.operations, std::optional(b), &TileOperation::loop);
      if (loops != 1) return bad("block {} is gone through by {} folds", b, loops);
    }
    for (size_t i = 0; i < program_.operations.size(); ++i) TRY_STATUS(checkOperation(i));
    for (const TileStore& store : program_.stores) {
      TRY_STATUS(checkUse(store.value, 0, program_.operations.size()));
      if (sizesOf(store.value) != sizesIn(store.tile))
        return bad("result {} is stored by a tile of another size", store.result);
      TRY_STATUS(checkOffsets(store.tile, 0, program_.operations.size()));
    }
    return {};
  }

 private:
  template <typename... T>
  static std::unexpected<Diagnostic> bad(fmt::format_string<T...> format, T&&... values) {
    return fail("malformed-tile-program", fmt::format(format, std::forward<T>(values)...));
  }

  static Sizes sizesIn(const InstructionTile& tile) {
    Sizes all;
    for (const TileDimension& dimension : tile.dimensions) all.push_back(dimension.size);
    return all;
  }
  Sizes sizesOf(const TileUse& use) const { return program_.operations[use.operation].sizes(); }

  bool isWithin(size_t block, size_t outer) const {
    while (block != outer && block != 0) block = program_.blocks[block].parent;
    return block == outer;
  }

  Status checkUse(const TileUse& use, size_t block, size_t before) const {
    if (use.operation >= before) return bad("%{} is used before it is made", use.operation);
    const Shape given = program_.operations[use.operation].instruction->shape();
    if (use.result >= (given.isTuple() ? given.tupleShapes().size() : 1))
      return bad("%{} has no result {}", use.operation, use.result);
    if (!isWithin(block, program_.operations[use.operation].block))
      return bad("%{} is used outside of its block", use.operation);
    return {};
  }

  Status checkOperation(size_t number) const {
    const TileOperation& operation = program_.operations[number];
    const size_t inside = operation.loop.value_or(operation.block);
    for (const TileUse& operand : operation.operands) TRY_STATUS(checkUse(operand, inside, number));
    TRY_STATUS(checkOffsets(operation.tile, operation.block, number));
    if (!fits(operation)) return bad("%{} ({}) does not fit its operands", number, toString(operation.op));
    return {};
  }

  Status checkOffsets(const InstructionTile& tile, size_t block, size_t number) const {
    for (size_t v = 0; v < fusion_.space.variables.size(); ++v) {
      const auto uses = [&](const TileDimension& dimension) { return dimension.offset.uses(v); };
      if (std::ranges::none_of(tile.dimensions, uses) || isKnownIn(v, block)) continue;
      return bad("%{} lies where {} has no value", number, fusion_.space.names()[v]);
    }
    return {};
  }

  bool isKnownIn(size_t variable, size_t block) const {
    const auto has = [&](const std::vector<size_t>& list) {
      return std::ranges::find(list, variable) != list.end();
    };
    const bool isRead = fusion_.space.variables[variable].index.kind == Kind::Runtime;
    if (isRead || has(program_.variables) || fusion_.steps(variable) <= 1) return true;
    for (size_t at = block; at != 0; at = program_.blocks[at].parent) {
      if (has(program_.blocks[at].variables)) return true;
    }
    return false;
  }

  bool fits(const TileOperation& operation) const {
    const Sizes own = operation.sizes();
    const auto isOwn = [&](const TileUse& use) { return sizesOf(use).empty() || sizesOf(use) == own; };
    switch (operation.op) {
      case TileOp::Load:
      case TileOp::Constant:
      case TileOp::Iota:
        return operation.operands.empty();
      case TileOp::AllReduce:
      case TileOp::Collect:
        return operation.operands.empty() && program_.ranksMeet && operation.block == 0;
      case TileOp::Elementwise:
        return std::ranges::all_of(operation.operands, isOwn);
      case TileOp::Choose:
        return operation.candidates.size() == operation.operands.size() &&
               std::ranges::all_of(operation.operands, isOwn);
      case TileOp::Broadcast:
        return placed(own, operation.instruction->dimensions()) == sizesOf(operation.operands[0]);
      case TileOp::Transpose:
        return placed(sizesOf(operation.operands[0]), operation.instruction->dimensions()) == own;
      case TileOp::Reshape:
        return product(sizesOf(operation.operands[0])) == product(own);
      case TileOp::Reduce:
        return std::ranges::all_of(operation.operands,
                                   [&](const TileUse& use) { return kept(operation, use, 0) == own; });
      case TileOp::Dot:
      case TileOp::ScaledDot:
        return fitsDot(operation, own);
    }
    return false;
  }

  static Sizes placed(const Sizes& sizes, std::span<const int64_t> dimensions) {
    Sizes all;
    for (const int64_t d : dimensions) all.push_back(sizes[static_cast<size_t>(d)]);
    return all;
  }

  Sizes kept(const TileOperation& fold, const TileUse& use, size_t side) const {
    const auto folded = foldedDimensions(*fold.instruction, side);
    const Sizes sizes = sizesOf(use);
    Sizes all;
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (std::ranges::find(folded, static_cast<int64_t>(d)) == folded.end()) all.push_back(sizes[d]);
    }
    return all;
  }

  bool fitsDot(const TileOperation& dot, const Sizes& own) const {
    const Sizes left = placed(sizesOf(dot.operands[0]), foldedDimensions(*dot.instruction, 0)),
                right = placed(sizesOf(dot.operands[1]), foldedDimensions(*dot.instruction, 1));
    Sizes batch = placed(sizesOf(dot.operands[0]), dot.instruction->get<Attr::LhsBatchDims>());
    const int64_t leftKept = product(kept(dot, dot.operands[0], 0)),
                  rightKept = product(kept(dot, dot.operands[1], 1));
    return left == right && leftKept * rightKept == product(own) * product(batch);
  }

  const TiledFusion& fusion_;
  const TileProgram& program_;
};

}  // namespace

Status verifyTilePrograms(const TiledFusion& fusion) {
  std::vector<size_t> stored;
  for (const TileProgram& program : fusion.programs) {
    TRY_STATUS(Verifier(fusion, program).check());
    for (const TileStore& store : program.stores) {
      if (store.where == TileStore::Where::Result) stored.push_back(store.result);
    }
  }
  std::ranges::sort(stored);
  for (size_t i = 0; i < std::max(stored.size(), fusion.space.roots.size()); ++i) {
    if (i >= stored.size() || stored[i] != i)
      return fail("malformed-tile-program", fmt::format("result {} is not stored exactly once", i));
  }
  return {};
}

}  // namespace hilo
