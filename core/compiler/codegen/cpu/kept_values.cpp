#include "core/compiler/codegen/cpu/kept_values.h"

#include "core/analysis/cost/op_work.h"
#include "core/compiler/codegen/cpu/written_over.h"

namespace hilo::cpu {

using tiles::Place;
using tiles::TileEmitter;
using tiles::TileRoom;

KeptValues::KeptValues(TileEmitter& tiles, size_t fold, size_t along, HostWorker& worker)
    : tiles_(tiles), worker_(worker), fold_(fold), along_(along), reduce_(tiles.operation(fold)) {
  const auto folded = foldedDimensions(*reduce_.instruction, 0);
  alongFolded_ = static_cast<size_t>(std::ranges::find(folded, static_cast<int64_t>(along)) - folded.begin());
  const size_t operand = reduce_.operands[0].operation;
  const auto sizes = tiles.operation(operand).sizes();
  // A room has the last dimension side by side.
  const bool isAlongRooms = std::ranges::all_of(sizes.begin() + static_cast<ptrdiff_t>(along) + 1,
                                                sizes.end(), [](int64_t size) { return size == 1; });
  if (tiles.operation(operand).op != TileOp::Elementwise || !isAlongRooms) return;
  const auto made = madeForOne(tiles, operand);
  for (const size_t operation : made) {
    const TileOperation& of = tiles.operation(operation);
    const bool isCostlyOne = isCostly(of.instruction->opcode());
    if (reduce_.loop) {
      const auto whole = isCostlyOne ? wholeOf(operation) : std::nullopt;
      if (whole) add(operation, *whole);
    } else if ((operation == operand || isCostlyOne) && of.block == reduce_.block &&
               isAskedBeside(tiles.program(), operation, made, fold)) {
      addOver(operation);  // what is folded is written down anyway
    }
  }
}

void KeptValues::add(size_t computed, size_t held) {
  const TileOperation& of = tiles_.operation(held);
  const int64_t count = of.tile.elements();
  if (worker_.hasRoomFor(TileRoom::bytes(tiles_.kernel(), of.type(), count)))
    kept_.push_back({computed, held, of.sizes(), worker_.room(of.type(), count)});
}

// Without room of its own, where it can do without.
void KeptValues::addOver(size_t operation) {
  const TileRoom* over = roomToWriteOver(tiles_, operation, fold_);
  if (over == nullptr) return add(operation, operation);
  kept_.push_back({operation, operation, tiles_.operation(operation).sizes(), *over});
}

// The operation of the same instruction beside the fold whose tile is those of all steps together.
std::optional<size_t> KeptValues::wholeOf(size_t operation) const {
  const TileOperation& step = tiles_.operation(operation);
  for (const size_t other : tiles_.program().blocks[reduce_.block].operations) {
    const TileOperation& of = tiles_.operation(other);
    if (of.instruction == step.instruction && isWhole(of.tile, step.tile)) return other;
  }
  return std::nullopt;
}

bool KeptValues::isWhole(const InstructionTile& whole, const InstructionTile& step) const {
  const size_t variable = tiles_.fusion().folded(reduce_)[alongFolded_];
  for (size_t d = 0; d < whole.dimensions.size(); ++d) {
    const TileDimension &all = whole.dimensions[d], &part = step.dimensions[d];
    if (d == along_) {
      const auto first = all.offset + AffineExpression::variable(variable) * part.stride;
      if (all.stride != part.stride || part.offset != first ||
          all.size < tiles_.fusion().tiling.variables[variable].size)
        return false;
    } else if (all.offset != part.offset || all.size != part.size || all.stride != part.stride) {
      return false;
    }
  }
  return true;
}

const TileRoom* KeptValues::folded() const {
  const bool isKept = !kept_.empty() && kept_[0].held == reduce_.operands[0].operation;
  return isKept ? &kept_[0].room : nullptr;
}

void KeptValues::keep(const Place& place) {
  Place inWhole = place;
  if (reduce_.loop)
    inWhole[along_] =
        tiles_.kernel().b().CreateAdd(tiles_.stepBegin(reduce_, alongFolded_), place[along_], "", true, true);
  for (const Kept& each : kept_)
    each.room.store(tiles_.numberIn(each.sizes, inWhole), tiles_.element({each.computed, 0}, place));
}

void KeptValues::hold() {
  for (const Kept& each : kept_) tiles_.hold(each.held, {each.room});
}

}  // namespace hilo::cpu
