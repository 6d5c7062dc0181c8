#include "core/compiler/spmd/tile_pieces.h"

namespace hilo {

bool staysInPlace(const TilePiece& piece) {
  for (size_t tile = 0; tile < piece.sources.size(); ++tile) {
    if (piece.sources[tile] != static_cast<int64_t>(tile)) return false;
  }
  return true;
}

Instruction* sliceAlong(LocalBuilder& builder, Instruction* array, size_t dimension, int64_t begin,
                        int64_t end) {
  if (begin == 0 && end == array->shape().dimension(dimension)) return array;
  std::vector<SliceRange> ranges;
  std::vector<int64_t> sizes;
  for (size_t d = 0; d < array->shape().rank(); ++d) {
    const int64_t size = array->shape().dimension(d);
    ranges.push_back(d == dimension ? SliceRange{begin, end, 1} : SliceRange{0, size, 1});
    sizes.push_back(ranges[d].limit - ranges[d].start);
  }
  Instruction* made = builder.make(Opcode::Slice, shapeLike(array->shape(), sizes), {array});
  made->set<Attr::Slice>(ranges);
  return made;
}

Instruction* takePiece(LocalBuilder& builder, const Part& part, size_t dimension, const TilePiece& piece) {
  Instruction* local = sliceAlong(builder, part.local, dimension, piece.begin, piece.end);
  if (staysInPlace(piece)) return local;
  const int64_t tiles = part.tiling.tiles[dimension];
  const DeviceGroups groups = groupsAlong(part.tiling, dimension, tiles);
  const std::vector<int64_t> devices = groups.devices.list();
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (size_t group = 0; group < devices.size(); group += static_cast<size_t>(tiles)) {
    for (int64_t t = 0; t < tiles; ++t) {
      const int64_t source = piece.sources[static_cast<size_t>(t)];
      if (source >= 0 && source < tiles)
        pairs.emplace_back(devices[group + static_cast<size_t>(source)],
                           devices[group + static_cast<size_t>(t)]);
    }
  }
  std::ranges::sort(pairs);
  return pairs.empty() ? builder.zeros(local->shape()) : builder.permute(local, pairs);
}

Instruction* sideBySide(LocalBuilder& builder, std::span<Instruction* const> pieces, size_t dimension) {
  if (pieces.size() == 1) return pieces[0];
  const Shape first = pieces[0]->shape();
  std::vector<int64_t> sizes(first.dimensions().begin(), first.dimensions().end());
  for (Instruction* piece : pieces.subspan(1)) sizes[dimension] += piece->shape().dimension(dimension);
  Instruction* joined = builder.make(Opcode::Concatenate, shapeLike(first, sizes), {pieces[0]});
  for (Instruction* piece : pieces.subspan(1)) joined->appendOperand(piece);
  const auto along = static_cast<int64_t>(dimension);
  joined->set<Attr::Dimensions>(std::span<const int64_t>(&along, 1));
  return joined;
}

}  // namespace hilo
