#include "core/analysis/tiling/suggested_sizes.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/tiling/first_array.h"
#include "core/analysis/tiling/tile.h"
#include "core/hlo/ir/instruction.h"

namespace hilo {
namespace {

using Kind = IndexVariable::Kind;

constexpr int64_t kColumns = 64, kRows = 16, kFolded = 32;

struct Wanted {
  int64_t columns, rows, others, folded;
};
constexpr int64_t kAll = INT64_MAX;
constexpr Wanted kTried[] = {
    {kColumns, kRows, 1, kFolded}, {kColumns, 1, 1, kFolded}, {kAll, 1, 1, kFolded},
    {kAll, kRows, 1, kAll},        {1, 1, 1, kAll},           {kAll, kAll, kAll, kAll}};

int64_t sizeOf(const TilingVariable& variable) {
  return std::max<int64_t>(1, variable.index.range.upper + 1);
}

std::vector<int64_t> sizesFor(const TilingSpace& space, const Wanted& wanted) {
  std::vector<int64_t> sizes;
  for (const size_t i : space.tiled()) {
    const TilingVariable& variable = space.variables[i];
    int64_t size = wanted.folded;
    if (variable.index.kind == Kind::Dimension) {
      const Shape shape = firstArray(variable.instruction->shape());
      const size_t back = shape.rank() - 1 - variable.number;
      size = back == 0 ? wanted.columns : back == 1 ? wanted.rows : wanted.others;
    } else if (variable.instruction->opcode() != Opcode::Dot) {
      size = kAll;
    }
    sizes.push_back(std::min(size, sizeOf(variable)));
  }
  return sizes;
}

double distance(int64_t a, int64_t b) {
  return std::abs(std::log2(static_cast<double>(a)) - std::log2(static_cast<double>(b)));
}

}  // namespace

std::vector<int64_t> sizeChoices(int64_t size) {
  std::vector<int64_t> choices;
  for (int64_t power = 1; power < size; power *= 2) {
    choices.push_back(power);
    if (power > INT64_MAX / 2) break;
  }
  choices.push_back(std::max<int64_t>(1, size));
  return choices;
}

std::optional<std::vector<int64_t>> usualSizes(const TilingSpace& space) {
  for (const Wanted& wanted : kTried) {
    const auto sizes = sizesFor(space, wanted);
    if (tilingWith(space, sizes)) return sizes;
  }
  return std::nullopt;
}

std::optional<std::vector<int64_t>> nearestLegal(const TilingSpace& space, std::vector<int64_t> sizes) {
  if (tilingWith(space, sizes)) return sizes;
  struct Change {
    size_t which;
    int64_t size;
    double distance;
  };
  std::vector<Change> changes;
  const auto tiled = space.tiled();
  for (size_t i = 0; i < sizes.size(); ++i) {
    for (const int64_t size : sizeChoices(sizeOf(space.variables[tiled[i]])))
      changes.push_back({i, size, distance(size, std::max<int64_t>(1, sizes[i]))});
  }
  std::ranges::stable_sort(changes, {}, &Change::distance);
  for (const Change& change : changes) {
    auto changed = sizes;
    changed[change.which] = change.size;
    if (tilingWith(space, changed)) return changed;
  }
  return std::nullopt;
}

}  // namespace hilo
