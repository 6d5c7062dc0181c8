#include "core/analysis/layouts/dimension_axes.h"

#include <algorithm>
#include <numeric>

#include "core/hlo/ir/op_facts.h"

namespace hilo {
namespace {

using Pieces = std::vector<AxisPiece>;

// Takes pieces of `size` elements in all off the minor end; nothing where none fit.
std::optional<Pieces> takeMinor(Pieces& from, int64_t size) {
  Pieces taken;
  while (size > 1) {
    if (from.empty()) return std::nullopt;
    AxisPiece piece = from.back();
    from.pop_back();
    if (size % piece.size == 0) {
      size /= piece.size;
      taken.push_back(piece);
    } else if (piece.size % size == 0) {
      from.push_back({piece.axis, piece.size / size, piece.stride * size});
      taken.push_back({piece.axis, size, piece.stride});
      size = 1;
    } else {
      return std::nullopt;
    }
  }
  std::ranges::reverse(taken);
  return taken;
}

// The same elements, in the order that `order` gives of the dimensions, as dimensions of another shape.
std::optional<DimensionAxes> regrouped(Pieces pieces, Shape shape, const DimensionOrder& order) {
  DimensionAxes axes(shape.rank());
  for (size_t n = order.size(); n-- > 0;) {
    const auto d = static_cast<size_t>(order[n]);
    auto taken = takeMinor(pieces, shape.dimension(d));
    if (!taken) return std::nullopt;
    axes[d] = *std::move(taken);
  }
  return pieces.empty() ? std::optional(axes) : std::nullopt;
}

Pieces flattened(const DimensionAxes& axes, const DimensionOrder& order) {
  Pieces pieces;
  for (const int64_t d : order) {
    const Pieces& own = axes[static_cast<size_t>(d)];
    pieces.insert(pieces.end(), own.begin(), own.end());
  }
  return pieces;
}

DimensionOrder inTurn(size_t rank) {
  DimensionOrder order(rank);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// Whether dimensions are split and joined; by their place in memory, or by their numbers.
enum class Regroups : uint8_t { No, InMemory, ByNumber };
Regroups regroups(Opcode opcode) {
  if (opcode == Opcode::Bitcast) return Regroups::InMemory;
  return opcode == Opcode::Reshape ? Regroups::ByNumber : Regroups::No;
}

// By dimension of the operand, the result's; -1: it has none. Empty: not known.
std::vector<int64_t> resultDimensions(const Instruction& i, size_t operandRank, size_t resultRank) {
  std::vector<int64_t> to(operandRank, -1);
  const auto dims = i.dimensions();
  if (i.opcode() == Opcode::Transpose && dims.size() == operandRank && resultRank == operandRank) {
    for (size_t r = 0; r < resultRank; ++r) to[static_cast<size_t>(dims[r])] = static_cast<int64_t>(r);
  } else if (i.opcode() == Opcode::Broadcast && dims.size() == operandRank) {
    to.assign(dims.begin(), dims.end());
  } else if (i.opcode() == Opcode::Reduce && operandRank == resultRank + dims.size()) {
    int64_t next = 0;
    for (size_t d = 0; d < operandRank; ++d) {
      if (std::ranges::find(dims, static_cast<int64_t>(d)) == dims.end()) to[d] = next++;
    }
  } else if (operandRank == resultRank) {
    std::iota(to.begin(), to.end(), 0);
  } else {
    to.clear();
  }
  return to;
}

// The pieces of a dimension that has grown or shrunk.
Pieces resized(const Pieces& pieces, int64_t was, int64_t size, AxisNumbers& numbers) {
  if (was == size) return pieces;
  if (size <= 1) return {};
  if (pieces.empty()) return {{numbers.take(), size, 1}};
  return {{pieces.front().axis, size, pieces.back().stride}};
}

}  // namespace

DimensionAxes freshAxes(Shape shape, AxisNumbers& numbers) {
  DimensionAxes axes(shape.isArray() ? shape.rank() : 0);
  for (size_t d = 0; d < axes.size(); ++d) {
    if (shape.dimension(d) > 1) axes[d] = {{numbers.take(), shape.dimension(d), 1}};
  }
  return axes;
}

DimensionAxes axesOfResult(const Instruction& i, Shape operand, Shape result, const DimensionAxes& ofOperand,
                           AxisNumbers& numbers) {
  if (!result.isArray() || !operand.isArray()) return freshAxes(result, numbers);
  if (const Regroups how = regroups(i.opcode()); how != Regroups::No) {
    const bool inMemory = how == Regroups::InMemory;
    auto axes = regrouped(flattened(ofOperand, inMemory ? majorToMinor(operand) : inTurn(operand.rank())),
                          result, inMemory ? majorToMinor(result) : inTurn(result.rank()));
    return axes ? *std::move(axes) : freshAxes(result, numbers);
  }
  const auto to = resultDimensions(i, operand.rank(), result.rank());
  DimensionAxes axes(result.rank());
  std::vector<bool> isKnown(result.rank(), false);
  for (size_t d = 0; d < to.size(); ++d) {
    if (to[d] < 0 || to[d] >= static_cast<int64_t>(result.rank())) continue;
    const auto r = static_cast<size_t>(to[d]);
    axes[r] = resized(ofOperand[d], operand.dimension(d), result.dimension(r), numbers);
    isKnown[r] = true;
  }
  for (size_t r = 0; r < result.rank(); ++r) {
    if (!isKnown[r] && result.dimension(r) > 1) axes[r] = {{numbers.take(), result.dimension(r), 1}};
  }
  return axes;
}

DimensionAxes axesOfOperand(const Instruction& i, Shape operand, Shape result, const DimensionAxes& ofResult,
                            AxisNumbers& numbers) {
  if (!result.isArray() || !operand.isArray()) return freshAxes(operand, numbers);
  if (const Regroups how = regroups(i.opcode()); how != Regroups::No) {
    const bool inMemory = how == Regroups::InMemory;
    auto axes = regrouped(flattened(ofResult, inMemory ? majorToMinor(result) : inTurn(result.rank())),
                          operand, inMemory ? majorToMinor(operand) : inTurn(operand.rank()));
    return axes ? *std::move(axes) : freshAxes(operand, numbers);
  }
  const auto to = resultDimensions(i, operand.rank(), result.rank());
  DimensionAxes axes = freshAxes(operand, numbers);
  for (size_t d = 0; d < to.size(); ++d) {
    if (to[d] < 0 || to[d] >= static_cast<int64_t>(result.rank())) continue;
    const auto r = static_cast<size_t>(to[d]);
    if (result.dimension(r) > 1)
      axes[d] = resized(ofResult[r], result.dimension(r), operand.dimension(d), numbers);
  }
  return axes;
}

std::vector<AxisPiece> piecesInMemory(Shape shape, const DimensionAxes& axes) {
  return flattened(axes, majorToMinor(shape));
}

std::optional<DimensionOrder> orderLike(Shape shape, const DimensionAxes& axes,
                                        std::span<const AxisPiece> memory) {
  const auto placeOf = [&](const AxisPiece& piece) {
    return std::ranges::find_if(memory,
                                [&](const AxisPiece& other) {
                                  return other.axis == piece.axis && other.stride <= piece.stride &&
                                         piece.stride < other.stride * other.size;
                                }) -
           memory.begin();
  };
  std::vector<std::pair<ptrdiff_t, int64_t>> byPlace;
  for (size_t d = 0; d < axes.size(); ++d) {
    ptrdiff_t last = -1;
    for (const AxisPiece& piece : axes[d]) {
      const ptrdiff_t place = placeOf(piece);
      if (place == static_cast<ptrdiff_t>(memory.size())) return std::nullopt;
      if (last >= 0 && place != last && place != last + 1) return std::nullopt;
      if (last < 0) byPlace.emplace_back(place, static_cast<int64_t>(d));
      last = place;
    }
    if (last < 0) byPlace.emplace_back(-1, static_cast<int64_t>(d));
  }
  if (byPlace.size() != shape.rank()) return std::nullopt;
  std::ranges::stable_sort(byPlace, {}, &std::pair<ptrdiff_t, int64_t>::first);
  DimensionOrder order;
  for (const auto& [place, dimension] : byPlace) order.push_back(dimension);
  return order;
}

}  // namespace hilo
