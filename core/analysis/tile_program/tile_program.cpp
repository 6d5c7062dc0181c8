#include "core/analysis/tile_program/tile_program.h"

#include <algorithm>

#include "core/analysis/saturating.h"
#include "core/hlo/ir/module.h"

namespace hilo {

namespace {

constexpr std::string_view kOpNames[] = {
#define TILE_OP(name, text) text,
#include "core/analysis/tile_program/tile_ops.def"
};

}  // namespace

std::string_view toString(TileOp op) { return kOpNames[static_cast<size_t>(op)]; }

ElementType TileOperation::type(size_t result) const {
  const Shape shape = instruction->shape();
  return shape.isTuple() ? shape.tupleShapes()[result].elementType() : shape.elementType();
}

std::vector<int64_t> TileOperation::sizes() const {
  std::vector<int64_t> all;
  for (const TileDimension& dimension : tile.dimensions) all.push_back(dimension.size);
  return all;
}

int64_t TiledFusion::steps(size_t variable) const {
  const VariableTile& v = tiling.variables[variable];
  return v.size <= 0 ? 0 : (v.size - 1) / v.tile + 1;
}

std::vector<int64_t> TiledFusion::grid(const TileProgram& program) const {
  std::vector<int64_t> counts;
  for (const size_t variable : program.variables) counts.push_back(steps(variable));
  return counts;
}

int64_t TiledFusion::count(const TileProgram& program) const {
  int64_t all = 1;
  for (const int64_t count : grid(program)) all = saturatingMultiply(all, count);
  return all;
}

bool TiledFusion::isRagged(size_t variable) const {
  const VariableTile& v = tiling.variables[variable];
  return !v.isWhole() && v.size % v.tile != 0;
}

std::vector<size_t> TiledFusion::folded(const TileOperation& fold) const {
  std::vector<size_t> all;
  for (size_t i = 0; i < space.variables.size(); ++i) {
    const TilingVariable& variable = space.variables[i];
    const bool isOwn =
        variable.index.kind == IndexVariable::Kind::Symbol && variable.instruction == fold.instruction;
    if (!isOwn) continue;
    if (all.size() <= variable.number) all.resize(variable.number + 1);
    all[variable.number] = i;
  }
  return all;
}

std::vector<int64_t> foldedDimensions(const Instruction& fold, size_t side) {
  std::span<const int64_t> dimensions = fold.dimensions();
  if (fold.opcode() != Opcode::Reduce)
    dimensions = side == 0 ? fold.get<Attr::LhsContractingDims>() : fold.get<Attr::RhsContractingDims>();
  std::vector<int64_t> all(dimensions.begin(), dimensions.end());
  if (fold.opcode() == Opcode::Reduce) std::ranges::sort(all);
  return all;
}

}  // namespace hilo
