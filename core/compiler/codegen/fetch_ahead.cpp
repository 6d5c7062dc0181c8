#include "core/compiler/codegen/fetch_ahead.h"

namespace hilo {

using llvm::Value;

namespace {

constexpr int64_t kLineBytes = 64;
// Of processors kernels are for: the least, or nearly.
constexpr int64_t kFirstCacheBytes = 32 << 10, kSecondCacheBytes = 1 << 20;

}  // namespace

FetchAhead::FetchAhead(KernelBuilder& kernel, const ElementEmitter& elements, Shape shape)
    : k_(kernel), shape_(shape), leaves_(elements.leavesLike(shape)) {
  int64_t bytes = 0;
  for (const ElementEmitter::Leaf& leaf : leaves_)
    bytes += shape.elementCount() * elementStorageBytes(leaf.shape.elementType());
  if (bytes <= kSecondCacheBytes) leaves_.clear();
}

void FetchAhead::ask(Value* from, int64_t count) {
  llvm::IRBuilder<>& b = k_.b();
  for (const ElementEmitter::Leaf& leaf : leaves_) {
    const int64_t bytes = count * elementStorageBytes(leaf.shape.elementType());
    const int near = bytes <= kFirstCacheBytes / 4 ? 3 : 2;
    Value* place = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, from,
                                           k_.int64(std::max<int64_t>(0, shape_.elementCount() - count)));
    Value* start = k_.pointerTo(leaf.buffer, leaf.shape, {{}, place, leaf.shape});
    k_.loop(k_.int64(0), k_.int64((bytes + kLineBytes - 1) / kLineBytes), [&](Value* line) {
      Value* at = b.CreateGEP(b.getInt8Ty(), start, {b.CreateMul(line, k_.int64(kLineBytes))});
      b.CreateIntrinsic(llvm::Intrinsic::prefetch, {at->getType()},
                        {at, b.getInt32(0), b.getInt32(static_cast<uint32_t>(near)), b.getInt32(1)});
    });
  }
}

}  // namespace hilo
