#include "core/compiler/codegen/gpu/window_tiles.h"

#include <algorithm>

namespace hilo::gpu {

using llvm::Value;

namespace {

constexpr int64_t kMostShared = 32 << 10;
constexpr int64_t kMostPlacements = 8 * kBlockThreads, kFewPlacements = kBlockThreads;
constexpr int64_t kManyPieces = 256;  // a block each fills a GPU

int64_t product(const std::vector<int64_t>& sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return count;
}

int64_t coveredBy(const WindowDimension& w, int64_t placements) {
  return (placements - 1) * w.stride + (w.size - 1) * w.windowDilation + 1;
}

bool overlaps(const WindowDimension& w, int64_t placements) {
  return w.size > 1 && placements > 1 && (w.size - 1) * w.windowDilation >= w.stride;
}

void setTile(WindowTiles& tiles, size_t d, int64_t size) {
  tiles.tile[d] = std::min(size, tiles.placements[d]);
  tiles.region[d] = coveredBy(tiles.windows[d], tiles.tile[d]);
}

// Twice as much of the dimension in which least is then read for a placement.
bool grow(WindowTiles& tiles, int64_t most, int64_t mostRead) {
  std::optional<WindowTiles> best;
  double least = 0;
  for (size_t d = 0; d < tiles.tile.size(); ++d) {
    WindowTiles next = tiles;
    setTile(next, d, 2 * tiles.tile[d]);
    if (next.tile[d] == tiles.tile[d] || next.tileCount() > most || next.regionCount() > mostRead) continue;
    const double read = static_cast<double>(next.regionCount()) / static_cast<double>(next.tileCount());
    if (!best || read < least) best = next, least = read;
  }
  if (!best) return false;
  tiles = *best;
  return true;
}

}  // namespace

int64_t WindowTiles::pieces() const {
  int64_t count = 1;
  for (size_t d = 0; d < tile.size(); ++d) count *= (placements[d] + tile[d] - 1) / tile[d];
  return count;
}
int64_t WindowTiles::tileCount() const { return product(tile); }
int64_t WindowTiles::regionCount() const { return product(region); }

std::optional<WindowTiles> windowTiles(Shape input, std::vector<WindowDimension> windows,
                                       std::vector<int64_t> placements, int64_t elementBytes) {
  bool isShared = false;
  for (size_t d = 0; d < windows.size(); ++d) {
    if (windows[d].baseDilation != 1 || windows[d].windowReversal) return std::nullopt;
    isShared = isShared || overlaps(windows[d], placements[d]);
  }
  if (!isShared || product(placements) == 0 || input.elementCount() == 0) return std::nullopt;
  const size_t rank = windows.size();
  WindowTiles tiles{input, std::move(windows), std::move(placements), std::vector<int64_t>(rank),
                    std::vector<int64_t>(rank)};
  for (size_t d = 0; d < rank; ++d) setTile(tiles, d, 1);
  const int64_t mostRead = kMostShared / elementBytes;
  // Lanes of a warp lie side by side.
  const auto minor = static_cast<size_t>(majorToMinor(input).back());
  setTile(tiles, minor, kWarpThreads);
  if (tiles.regionCount() > mostRead) return std::nullopt;
  while (tiles.tileCount() < kFewPlacements && grow(tiles, kFewPlacements, mostRead)) {
  }
  while (tiles.pieces() >= 2 * kManyPieces && grow(tiles, kMostPlacements, mostRead)) {
  }
  return tiles;
}

WindowRegion::WindowRegion(ElementEmitter& elements, Block& block, const WindowTiles& tiles,
                           std::vector<ElementType> types)
    : elements_(elements),
      k_(elements.kernel()),
      b_(k_.b()),
      block_(block),
      tiles_(tiles),
      shared_(block, k_, std::move(types), tiles.regionCount()),
      first_(tiles.tile.size()),
      corner_(tiles.tile.size()) {
  std::vector<int64_t> counts;
  for (size_t d = 0; d < tiles.tile.size(); ++d)
    counts.push_back((tiles.placements[d] + tiles.tile[d] - 1) / tiles.tile[d]);
  const Places piece = fromMemoryOrder(placesOf(k_, block.piece(), inMemoryOrder(counts)));
  for (size_t d = 0; d < piece.size(); ++d) {
    first_[d] = b_.CreateMul(piece[d], k_.int64(tiles.tile[d]));
    corner_[d] = b_.CreateSub(b_.CreateMul(first_[d], k_.int64(tiles.windows[d].stride)),
                              k_.int64(tiles.windows[d].paddingLow));
  }
}

std::vector<int64_t> WindowRegion::inMemoryOrder(const std::vector<int64_t>& sizes) const {
  std::vector<int64_t> ordered;
  for (const int64_t d : majorToMinor(tiles_.input)) ordered.push_back(sizes[static_cast<size_t>(d)]);
  return ordered;
}

Places WindowRegion::fromMemoryOrder(const Places& ordered) const {
  Places places(ordered.size());
  size_t i = 0;
  for (const int64_t d : majorToMinor(tiles_.input)) places[static_cast<size_t>(d)] = ordered[i++];
  return places;
}

void WindowRegion::fill(llvm::ArrayRef<const Instruction*> operands) {
  const int64_t count = tiles_.regionCount();
  block_.barrier();  // the region of the piece before has been read
  k_.loop(k_.int64(0), k_.int64((count + kBlockThreads - 1) / kBlockThreads), [&](Value* i) {
    Value* number = b_.CreateAdd(b_.CreateMul(i, k_.int64(kBlockThreads)), block_.thread());
    Places place = fromMemoryOrder(placesOf(k_, number, inMemoryOrder(tiles_.region)));
    Value* isIn = b_.CreateICmpULT(number, k_.int64(count));
    for (size_t d = 0; d < place.size(); ++d) {
      place[d] = b_.CreateAdd(place[d], corner_[d]);
      isIn = b_.CreateAnd(isIn, b_.CreateICmpULT(place[d], k_.int64(tiles_.input.dimension(d))));
    }
    k_.branch(isIn, [&] {
      elements_.inFrame([&] {
        Scalars values;
        for (const Instruction* operand : operands)
          values.push_back(elements_.at(*operand, k_.indexAt(place)));
        shared_.store(number, values);
      });
    });
  });
  block_.barrier();
}

void WindowRegion::forEach(const std::function<void(llvm::ArrayRef<Value*>)>& body) {
  const int64_t count = tiles_.tileCount();
  k_.loop(k_.int64(0), k_.int64((count + kBlockThreads - 1) / kBlockThreads), [&](Value* i) {
    Value* number = b_.CreateAdd(b_.CreateMul(i, k_.int64(kBlockThreads)), block_.thread());
    Places place = fromMemoryOrder(placesOf(k_, number, inMemoryOrder(tiles_.tile)));
    Value* isIn = b_.CreateICmpULT(number, k_.int64(count));
    for (size_t d = 0; d < place.size(); ++d) {
      place[d] = b_.CreateAdd(place[d], first_[d]);
      isIn = b_.CreateAnd(isIn, b_.CreateICmpULT(place[d], k_.int64(tiles_.placements[d])));
    }
    k_.branch(isIn, [&] { elements_.inFrame([&] { body(place); }); });
  });
}

WindowRegion::Covered WindowRegion::covered(llvm::ArrayRef<Value*> placement,
                                            llvm::ArrayRef<Value*> inWindow) {
  Covered at{Places(placement.size()), b_.getTrue()};
  for (size_t d = 0; d < placement.size(); ++d) {
    const WindowDimension& w = tiles_.windows[d];
    const Windowed in = windowed(k_, w, tiles_.input.dimension(d), placement[d], inWindow[d]);
    at.place[d] = in.place;
    const bool isPadded =
        w.paddingLow > 0 || coveredBy(w, tiles_.placements[d]) - w.paddingLow > tiles_.input.dimension(d);
    if (isPadded) at.isReal = b_.CreateAnd(at.isReal, in.isReal);
  }
  return at;
}

Value* WindowRegion::numberOf(const Places& place) {
  Value* number = k_.int64(0);
  for (const int64_t dim : majorToMinor(tiles_.input)) {
    const auto d = static_cast<size_t>(dim);
    number =
        b_.CreateAdd(b_.CreateMul(number, k_.int64(tiles_.region[d])), b_.CreateSub(place[d], corner_[d]));
  }
  return number;
}

Scalars WindowRegion::load(const Covered& at) { return shared_.load(numberOf(at.place)); }

}  // namespace hilo::gpu
