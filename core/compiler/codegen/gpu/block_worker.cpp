#include "core/compiler/codegen/gpu/block_worker.h"

#include <fmt/format.h>

#include "core/compiler/codegen/gpu/places.h"

namespace hilo::gpu {

using llvm::Value;
using tiles::Place;
using tiles::PlacedTile;
using tiles::TileEmitter;
using tiles::TileRoom;

namespace {
constexpr int64_t kMostShared = 48 << 10;
}

Value* BlockWorker::allocate(llvm::Type* type, int64_t count) {
  const int64_t bytes = count * type->getScalarSizeInBits() / 8;
  const bool fits = block_.sharedBytes() + bytes <= kMostShared;
  if (!fits) refused_ += bytes;
  return block_.shared(type, fits ? std::max<int64_t>(1, count) : 1).array;
}

Status BlockWorker::fits() const {
  const int64_t bytes = block_.sharedBytes() + refused_;
  if (bytes <= kMostShared) return {};
  return fail(
      "too-much-shared-memory",
      fmt::format("what the tiles fold takes {} bytes of shared memory, a block has {}: choose smaller tiles",
                  bytes, kMostShared));
}

Status BlockWorker::giveSums(TileEmitter& tiles, size_t operation, const TileOperation& dot,
                             std::function<void(const TileEmitter::Take&)> give) {
  if (tiles.canDeal(operation)) {
    tiles.deal(operation, std::move(give));
    return {};
  }
  std::vector<TileRoom> rooms = {room(dot.type(), dot.tile.elements())};
  meet();
  give([&](const Place& place, const Scalar& value) {
    rooms[0].store(tiles.numberIn(dot.sizes(), place), value);
  });
  meet();
  tiles.hold(operation, std::move(rooms));
  return fits();
}

TileRoom BlockWorker::room(ElementType type, int64_t count) {
  return {k_, type, count, [&](llvm::Type* held, int64_t n) { return allocate(held, n); }};
}

void BlockWorker::forEachNumber(int64_t count, const std::function<void(Value*)>& body) {
  k_.loop(k_.int64(0), k_.int64((count + kBlockThreads - 1) / kBlockThreads), [&](Value* i) {
    Value* own = b_.CreateAdd(b_.CreateMul(i, k_.int64(kBlockThreads), "", true, true), block_.thread(), "",
                              true, true);
    if (count % kBlockThreads == 0) return body(own);
    k_.branch(b_.CreateICmpULT(own, k_.int64(count)), [&] { body(own); });
  });
}

void BlockWorker::forEach(const PlacedTile& tile, const std::function<void(const Place&)>& body) {
  std::vector<int64_t> inOrder;
  int64_t count = 1;
  for (const int64_t d : tile.order) {
    inOrder.push_back(tile.sizes[static_cast<size_t>(d)]);
    count *= inOrder.back();
  }
  forEachNumber(count, [&](Value* number) {
    const Places at = placesOf(k_, number, inOrder);
    Place place(tile.sizes.size());
    for (size_t i = 0; i < at.size(); ++i) place[static_cast<size_t>(tile.order[i])] = at[i];
    Value* isIn = TileEmitter::isInside(k_, tile, place);
    isIn == nullptr ? body(place) : k_.branch(isIn, [&] { body(place); });
  });
}

}  // namespace hilo::gpu
