#include "core/compiler/codegen/cpu/fetch_ahead.h"

namespace hilo {

using llvm::Value;

FetchAhead::FetchAhead(KernelBuilder& kernel, const ElementEmitter& elements, Shape shape, int64_t nearBytes)
    : k_(kernel), elementCount_(shape.elementCount()), leaves_(elements.leavesLike(shape)) {
  const auto bytesOf = [](const ElementEmitter::Leaf& leaf) {
    return leaf.shape.elementCount() * elementStorageBytes(leaf.shape.elementType());
  };
  std::erase_if(leaves_, [&](const ElementEmitter::Leaf& leaf) {
    return isRepeated(leaf) && bytesOf(leaf) <= k_.target().firstCacheBytes;
  });
  int64_t bytes = 0;
  for (const ElementEmitter::Leaf& leaf : leaves_) bytes += bytesOf(leaf);
  if (bytes <= nearBytes) leaves_.clear();
}

void FetchAhead::ask(Value* from, int64_t count, int64_t distance) {
  llvm::IRBuilder<>& b = k_.b();
  const int64_t lineBytes = k_.target().lineBytes;
  for (const ElementEmitter::Leaf& leaf : leaves_) {
    const int64_t elementBytes = elementStorageBytes(leaf.shape.elementType()), bytes = count * elementBytes;
    const int near = distance * elementBytes <= k_.target().firstCacheBytes / 4 ? 3 : 2;
    Value* place = isRepeated(leaf) ? b.CreateURem(from, k_.int64(leaf.shape.elementCount())) : from;
    Value* start =
        b.CreateGEP(b.getInt8Ty(), k_.pointerTo(leaf.buffer, leaf.shape, {{}, k_.int64(0), leaf.shape}),
                    {b.CreateMul(place, k_.int64(elementBytes))});
    k_.loop(k_.int64(0), k_.int64((bytes + lineBytes - 1) / lineBytes), [&](Value* line) {
      Value* at = b.CreateGEP(b.getInt8Ty(), start, {b.CreateMul(line, k_.int64(lineBytes))});
      b.CreateIntrinsic(llvm::Intrinsic::prefetch, {at->getType()},
                        {at, b.getInt32(0), b.getInt32(static_cast<uint32_t>(near)), b.getInt32(1)});
    });
  }
}

}  // namespace hilo
