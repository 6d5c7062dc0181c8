// Reshapes and transposes that undo each other: followed piece by piece of each dimension.
#include <algorithm>
#include <numeric>

#include "core/compiler/passes/made.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo::algebra {
namespace {

// A part of one of the first array's dimensions: `size` elements, `stride` apart along that dimension.
struct Piece {
  int64_t dimension, size, stride;
};
// The pieces of each dimension, from major to minor.
using Pieces = std::vector<std::vector<Piece>>;

Pieces piecesOf(Shape shape) {
  Pieces pieces;
  for (size_t d = 0; d < shape.rank(); ++d) {
    pieces.emplace_back();
    if (shape.dimension(d) != 1) pieces.back().push_back({static_cast<int64_t>(d), shape.dimension(d), 1});
  }
  return pieces;
}

std::vector<Piece> inOneRow(const Pieces& pieces) {
  std::vector<Piece> row;
  for (const auto& of : pieces) row.insert(row.end(), of.begin(), of.end());
  return row;
}

// The pieces cut so that each dimension of `to` has whole ones; nullopt where that needs uneven parts.
std::optional<Pieces> reshaped(const Pieces& pieces, Shape to) {
  std::vector<Piece> left = inOneRow(pieces);
  std::ranges::reverse(left);
  Pieces made(to.rank());
  for (size_t d = 0; d < to.rank(); ++d) {
    for (int64_t wanted = to.dimension(d); wanted > 1;) {
      Piece piece = left.back();
      left.pop_back();
      if (piece.size > wanted) {
        if (piece.size % wanted != 0) return std::nullopt;
        const int64_t rest = piece.size / wanted;
        left.push_back({piece.dimension, rest, piece.stride});
        piece = {piece.dimension, wanted, piece.stride * rest};
      }
      if (wanted % piece.size != 0) return std::nullopt;
      wanted /= piece.size;
      made[d].push_back(piece);
    }
  }
  return made;
}

bool isMove(const Instruction& i) {
  const bool moves =
      i.opcode() == Opcode::Reshape || i.opcode() == Opcode::Transpose || i.opcode() == Opcode::Bitcast;
  return moves && liesRowMajor(i.shape()) && liesRowMajor(i.operand(0)->shape()) &&
         i.shape().elementType() == i.operand(0)->shape().elementType() && i.shape().elementCount() > 0;
}

std::optional<Pieces> moved(const Pieces& pieces, const Instruction& by) {
  if (by.opcode() != Opcode::Transpose) return reshaped(pieces, by.shape());
  Pieces made;
  for (const int64_t d : by.dimensions()) made.push_back(pieces[static_cast<size_t>(d)]);
  return made;
}

bool lieAsAtFirst(const Pieces& pieces) {
  return std::ranges::is_sorted(inOneRow(pieces), [](const Piece& a, const Piece& b) {
    return a.dimension != b.dimension ? a.dimension < b.dimension : a.stride > b.stride;
  });
}

}  // namespace

Instruction* movesUndone(Instruction& i) {
  std::vector<const Instruction*> chain;
  Instruction* source = &i;
  while (isMove(*source) && chain.size() < 16 && (source == &i || source->users().size() == 1)) {
    chain.push_back(source);
    source = source->operand(0);
  }
  const auto transposes =
      std::ranges::count_if(chain, [](const Instruction* c) { return c->opcode() == Opcode::Transpose; });
  if (transposes < 2) return nullptr;
  std::ranges::reverse(chain);
  Pieces pieces = piecesOf(source->shape());
  for (const Instruction* move : chain) {
    auto next = moved(pieces, *move);
    if (!next) return nullptr;
    pieces = *std::move(next);
  }
  return lieAsAtFirst(pieces) ? madeView(i, source, i.shape()) : nullptr;
}

// Each dimension of the result is a run of neighbours among those that are transposed.
Instruction* transposeAfterReshape(Instruction& i) {
  const Instruction& transpose = *i.operand(0);
  if (transpose.opcode() != Opcode::Transpose || transpose.users().size() != 1 ||
      transpose.operand(0)->opcode() != Opcode::Reshape || !isMove(i) || !isMove(transpose) ||
      !isMove(*transpose.operand(0)))
    return nullptr;
  const auto order = transpose.dimensions();
  std::vector<int64_t> firsts;
  size_t at = 0;
  for (size_t d = 0; d < i.shape().rank(); ++d) {
    if (i.shape().dimension(d) == 1 || at == order.size()) return nullptr;
    firsts.push_back(order[at]);
    int64_t size = transpose.shape().dimension(at++);
    for (; size < i.shape().dimension(d) && at < order.size() && order[at] == order[at - 1] + 1; ++at)
      size *= transpose.shape().dimension(at);
    if (size != i.shape().dimension(d)) return nullptr;
  }
  std::vector<int64_t> before(firsts.size()), sizes, permutation(firsts.size());
  std::iota(before.begin(), before.end(), 0);
  std::ranges::sort(before, {}, [&](int64_t d) { return firsts[static_cast<size_t>(d)]; });
  for (size_t k = 0; k < before.size(); ++k) {
    sizes.push_back(i.shape().dimension(static_cast<size_t>(before[k])));
    permutation[static_cast<size_t>(before[k])] = static_cast<int64_t>(k);
  }
  return transposeBy(reshapeTo(transpose.operand(0)->operand(0), sizes, i), permutation, i);
}

}  // namespace hilo::algebra
