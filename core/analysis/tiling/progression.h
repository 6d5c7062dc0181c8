// The values of an affine expression over a tile: first + i * stride for i in [0, count). A tile of an array
// is one progression a dimension; where an expression's values are not evenly apart, there is no tile.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/analysis/indexing/affine_expression.h"
#include "core/base/result.h"

namespace hilo {

// How a variable goes through its dimension: in tiles of `tile` elements from 0 on, of `size` elements in
// all; the last tile may reach past the end. A tile larger than the dimension is the whole of it.
struct VariableTile {
  int64_t tile = 1, size = 1;
  int64_t count() const { return std::min(tile, size); }
  bool isWhole() const { return tile >= size; }
};

// A part of an expression that takes several values over a tile: digits of a number. "(x floordiv 4) mod 8"
// moves by one each time x has moved by 4, and takes 8 values.
struct MovingPart {
  AffineExpression of;
  int64_t from = 1;
  int64_t count = 1;       // values it takes
  int64_t countOfAll = 1;  // values that `of` takes
};

struct Progression {
  AffineExpression first;  // of the tile, its variables being the first index of each variable's tile
  int64_t count = 1;
  int64_t stride = 0;  // 0 when count is 1; negative through a reverse
  // What `first` can be: base + any multiple of `step`; base alone where step is 0.
  int64_t base = 0, step = 0;
  std::vector<MovingPart> parts;
};

// Whether every combination of the parts' values is taken: then several dimensions are one box.
bool varyFreely(std::span<const MovingPart> parts, size_t variableCount);

// The rules are sound, not complete: what they take is exactly the expression's set of values (tested against
// an enumeration). The error ("illegal-tiling") names the part that has no even distance.
Result<Progression> progressionOf(const AffineExpression& expression, std::span<const VariableTile> variables,
                                  std::span<const std::string> names);

}  // namespace hilo
