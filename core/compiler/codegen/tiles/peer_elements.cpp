#include "core/compiler/codegen/tiles/peer_elements.h"

#include "core/compiler/codegen/tiles/rank_rendezvous.h"
#include "core/hlo/ir/module.h"

namespace hilo::tiles {

using llvm::Value;

void tellAddress(KernelBuilder& k, int buffer, Shape shape) {
  ElementIndex first;
  first.linear = k.int64(0);
  first.shape = shape;
  llvm::Type* type = k.b().getInt64Ty();
  k.storeRaw(buffer + 1, type, k.int64(0), k.b().CreatePtrToInt(k.pointerTo(buffer, shape, first), type));
}

namespace {

Value* addressAt(KernelBuilder& k, int buffer, Value* number) {
  return k.loadRaw(buffer, k.b().getInt64Ty(), k.b().getInt64Ty(), number);
}

Shape arrayOf(const AllReduceKernel& allReduce) { return allReduce.instruction->operand(0)->shape(); }

Scalar sharedBy(KernelBuilder& k, Value* rank, const AllReduceKernel& allReduce, ElementIndex& index) {
  const Shape shape = arrayOf(allReduce);
  llvm::Type* type = k.scalars().storageType(shape.elementType());
  Value* array = k.b().CreateIntToPtr(addressAt(k, kAddressesBuffer, rank), k.b().getPtrTy());
  Value* at = k.b().CreateInBoundsGEP(type, array, {k.linearOf(index, shape)});
  return k.scalars().fromStorage(shape.elementType(), k.b().CreateLoad(type, at), nullptr);
}

// What is added to -0 stays what it is.
Scalar sumOf(KernelBuilder& k, const AllReduceKernel& allReduce, ElementIndex& index) {
  const ElementType type = arrayOf(allReduce).elementType();
  Scalar sum = {llvm::ConstantFP::get(k.b().getDoubleTy(), -0.0)};
  for (int64_t rank = 0; rank < allReduce.ranks; ++rank) {
    const Scalar own = sharedBy(k, k.int64(rank), allReduce, index);
    sum = k.scalars().binary(Opcode::Add, ElementType::F64, sum,
                             k.scalars().convert(type, ElementType::F64, own));
  }
  return k.scalars().convert(ElementType::F64, type, sum);
}

std::vector<int64_t> partsOf(const std::vector<int64_t>& sizes, const AllReduceKernel& allReduce) {
  return *partsOfTile(sizes, arrayOf(allReduce), allReduce.ranks);
}

// By its own address among those of all.
Value* ownRank(KernelBuilder& k, const AllReduceKernel& allReduce) {
  Value* own = addressAt(k, kOwnAddressBuffer, k.int64(0));
  Value* number = k.int64(0);
  for (int64_t rank = 1; rank < allReduce.ranks; ++rank) {
    Value* isOwn = k.b().CreateICmpEQ(addressAt(k, kAddressesBuffer, k.int64(rank)), own);
    number = k.b().CreateSelect(isOwn, k.int64(rank), number);
  }
  return number;
}

}  // namespace

// In the order of ranks, so that all get the same. Sums of floats are rounded once, as elsewhere.
Scalar combined(KernelBuilder& k, ElementEmitter& applied, const AllReduceKernel& allReduce,
                ElementIndex index) {
  const Computation& by = *allReduce.instruction->get<Attr::ToApply>();
  if (isFloat(arrayOf(allReduce).elementType()) && by.root()->opcode() == Opcode::Add)
    return sumOf(k, allReduce, index);
  Scalar all = sharedBy(k, k.int64(0), allReduce, index);
  for (int64_t rank = 1; rank < allReduce.ranks; ++rank)
    all = applied.apply(by, {all, sharedBy(k, k.int64(rank), allReduce, index)})[0];
  return all;
}

// Parts are counted in the order of memory.
Scalar collected(KernelBuilder& k, const AllReduceKernel& allReduce, const InstructionTile& tile,
                 const Place& place, ElementIndex index) {
  llvm::IRBuilder<>& b = k.b();
  std::vector<int64_t> sizes;
  for (const TileDimension& d : tile.dimensions) sizes.push_back(d.size);
  const auto parts = partsOf(sizes, allReduce);
  Value* rank = k.int64(0);
  for (const int64_t dimension : majorToMinor(arrayOf(allReduce))) {
    const auto d = static_cast<size_t>(dimension);
    if (parts[d] == 1) continue;
    Value* part = b.CreateUDiv(place[d], k.int64(sizes[d] / parts[d]));
    rank = b.CreateAdd(b.CreateMul(rank, k.int64(parts[d]), "", true, true), part, "", true, true);
  }
  return sharedBy(k, rank, allReduce, index);
}

Place ownPart(KernelBuilder& k, const AllReduceKernel& allReduce, PlacedTile& tile) {
  llvm::IRBuilder<>& b = k.b();
  const auto parts = partsOf(tile.sizes, allReduce);
  Value* rank = ownRank(k, allReduce);
  Place first(tile.sizes.size(), k.int64(0));
  for (size_t i = tile.order.size(); i-- > 0;) {
    const auto d = static_cast<size_t>(tile.order[i]);
    if (parts[d] == 1) continue;
    tile.sizes[d] /= parts[d];
    first[d] = b.CreateMul(b.CreateURem(rank, k.int64(parts[d])), k.int64(tile.sizes[d]), "", true, true);
    rank = b.CreateUDiv(rank, k.int64(parts[d]));
    Value* moved = b.CreateMul(first[d], k.int64(tile.strides[d]), "", true, true);
    tile.firsts[d] = b.CreateAdd(tile.firsts[d], moved);
  }
  return first;
}

}  // namespace hilo::tiles
