// What other ranks shared, by the addresses that they told (rank_meetings.h).
#include "core/compiler/codegen/tiles/rank_meetings.h"
#include "core/compiler/codegen/tiles/tile_emitter.h"
#include "core/hlo/ir/module.h"

namespace hilo::tiles {

using llvm::Value;

static Value* addressAt(KernelBuilder& k, int buffer, Value* number) {
  return k.loadRaw(buffer, k.b().getInt64Ty(), k.b().getInt64Ty(), number);
}

// Where it lies is written by one worker of one tile.
void TileEmitter::tellAddress(Value* number) {
  const auto shared = std::ranges::find_if(
      program_.stores, [](const TileStore& store) { return store.where != TileStore::Where::Result; });
  if (shared == program_.stores.end()) return;
  const Result& array = placeOf(*shared);
  k_.branch(b_.CreateICmpEQ(number, k_.int64(0)), [&] {
    workers_.forEach(PlacedTile(), [&](const Place&) {
      ElementIndex first;
      first.linear = k_.int64(0);
      first.shape = array.shape;
      Value* address = b_.CreatePtrToInt(k_.pointerTo(array.buffer, array.shape, first), b_.getInt64Ty());
      // After the array among the buffers.
      k_.storeRaw(array.buffer + 1, b_.getInt64Ty(), k_.int64(0), address);
    });
  });
}

Scalar TileEmitter::sharedBy(Value* rank, const TileOperation& of, const Place& place) {
  const Shape shape = of.instruction->operand(0)->shape();
  ElementIndex index = k_.indexAt(arrayIndex(of, place));
  llvm::Type* type = k_.scalars().storageType(shape.elementType());
  Value* array = b_.CreateIntToPtr(addressAt(k_, kAddressesBuffer, rank), b_.getPtrTy());
  Value* at = b_.CreateInBoundsGEP(type, array, {k_.linearOf(index, shape)});
  return k_.scalars().fromStorage(shape.elementType(), b_.CreateLoad(type, at), nullptr);
}

// In the order of ranks, so that all get the same. Sums of floats are rounded once, as the runtime's
// collectives do; what is added to -0 stays what it is.
Scalar TileEmitter::combined(const TileOperation& allReduce, const Place& place) {
  const Computation& by = *allReduce.instruction->get<Attr::ToApply>();
  const ElementType type = allReduce.type();
  const int64_t ranks = fusion_.allReduce->ranks;
  ScalarEmitter& scalars = k_.scalars();
  if (!isFloat(type) || by.root()->opcode() != Opcode::Add) {
    Scalar all = sharedBy(k_.int64(0), allReduce, place);
    for (int64_t rank = 1; rank < ranks; ++rank)
      all = draft_.elements().apply(by, {all, sharedBy(k_.int64(rank), allReduce, place)})[0];
    return all;
  }
  Scalar sum = {llvm::ConstantFP::get(b_.getDoubleTy(), -0.0)};
  for (int64_t rank = 0; rank < ranks; ++rank) {
    const Scalar own = scalars.convert(type, ElementType::F64, sharedBy(k_.int64(rank), allReduce, place));
    sum = scalars.binary(Opcode::Add, ElementType::F64, sum, own);
  }
  return scalars.convert(ElementType::F64, type, sum);
}

std::vector<int64_t> TileEmitter::partsOf(const InstructionTile& tile) const {
  std::vector<int64_t> sizes;
  for (const TileDimension& d : tile.dimensions) sizes.push_back(d.size);
  return *partsOfTile(sizes, fusion_.allReduce->instruction->operand(0)->shape(), fusion_.allReduce->ranks);
}

// Parts are counted in the order of memory.
Scalar TileEmitter::collected(const TileOperation& collect, const Place& place) {
  const auto parts = partsOf(collect.tile);
  Value* rank = k_.int64(0);
  for (const int64_t d : majorToMinor(collect.instruction->operand(0)->shape())) {
    const auto number = static_cast<size_t>(d);
    if (parts[number] == 1) continue;
    Value* part =
        b_.CreateUDiv(place[number], k_.int64(collect.tile.dimensions[number].size / parts[number]));
    rank = b_.CreateAdd(b_.CreateMul(rank, k_.int64(parts[number]), "", true, true), part, "", true, true);
  }
  return sharedBy(rank, collect, place);
}

// By its own address among those of all.
Value* TileEmitter::ownRank() {
  Value* own = addressAt(k_, kOwnAddressBuffer, k_.int64(0));
  Value* number = k_.int64(0);
  for (int64_t rank = 1; rank < fusion_.allReduce->ranks; ++rank) {
    Value* isOwn = b_.CreateICmpEQ(addressAt(k_, kAddressesBuffer, k_.int64(rank)), own);
    number = b_.CreateSelect(isOwn, k_.int64(rank), number);
  }
  return number;
}

// Makes the tile this rank's part of it, and gives where that begins in it.
Place TileEmitter::ownPart(PlacedTile& tile, const std::vector<int64_t>& parts) {
  Value* rank = ownRank();
  Place first(tile.sizes.size(), k_.int64(0));
  for (size_t i = tile.order.size(); i-- > 0;) {
    const auto d = static_cast<size_t>(tile.order[i]);
    if (parts[d] == 1) continue;
    tile.sizes[d] /= parts[d];
    first[d] = b_.CreateMul(b_.CreateURem(rank, k_.int64(parts[d])), k_.int64(tile.sizes[d]), "", true, true);
    rank = b_.CreateUDiv(rank, k_.int64(parts[d]));
    Value* moved = b_.CreateMul(first[d], k_.int64(tile.strides[d]), "", true, true);
    tile.firsts[d] = b_.CreateAdd(tile.firsts[d], moved);
  }
  return first;
}

}  // namespace hilo::tiles
