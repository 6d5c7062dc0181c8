#include "core/compiler/codegen/cpu/host_worker.h"

#include <fmt/format.h>

namespace hilo::cpu {

using llvm::Value;
using tiles::Place;
using tiles::PlacedTile;
using tiles::TileRoom;

namespace {
constexpr int64_t kMostBytes = 1 << 20;       // of a thread's stack
constexpr int64_t kMostBytesAhead = 1 << 19;  // besides
}  // namespace

Value* HostWorker::allocate(llvm::Type* type, int64_t count) {
  bytes_ += count * type->getScalarSizeInBits() / 8;
  return k_.room(type, bytes_ > kMostBytes ? 1 : std::max<int64_t>(1, count));
}

TileRoom HostWorker::room(ElementType type, int64_t count) {
  return {k_, type, count, [&](llvm::Type* held, int64_t n) { return allocate(held, n); }};
}

bool HostWorker::hasRoomFor(int64_t bytes) const {
  return bytes_ + bytes <= std::min<int64_t>(kMostBytes / 2, k_.target().threadCacheBytes);
}

bool HostWorker::hasRoomAhead(int64_t bytes) const { return aheadBytes_ + bytes <= kMostBytesAhead; }

Value* HostWorker::allocateAhead(llvm::Type* type, int64_t count) {
  aheadBytes_ += count * type->getScalarSizeInBits() / 8;
  return k_.room(type, count);
}

void HostWorker::forEachTile(const std::function<void(Value* number)>& body) {
  const auto newBlock = [&](const char* name) {
    return llvm::BasicBlock::Create(b_.getContext(), name, b_.GetInsertBlock()->getParent());
  };
  ahead_ = newBlock("ahead");
  b_.CreateBr(ahead_);
  auto* tiles = newBlock("tiles");
  b_.SetInsertPoint(tiles);
  k_.loop(k_.begin(), k_.end(), body);
  beforeTiles([&] { b_.CreateBr(tiles); });
}

void HostWorker::beforeTiles(const std::function<void()>& body) {
  const llvm::IRBuilderBase::InsertPointGuard here(b_);
  b_.SetInsertPoint(ahead_);
  body();
  ahead_ = b_.GetInsertBlock();
}

Status HostWorker::fits() const {
  if (bytes_ <= kMostBytes) return {};
  return fail(
      "tile-too-large",
      fmt::format("what the tiles fold takes {} bytes of a thread's stack, {} at most: choose smaller tiles",
                  bytes_, kMostBytes));
}

void HostWorker::forEach(const PlacedTile& tile, const std::function<void(const Place&)>& body) {
  Place place(tile.sizes.size());
  const auto enter = [&](auto&& self, size_t depth) -> void {
    if (depth == tile.order.size()) return body(place);
    const auto d = static_cast<size_t>(tile.order[depth]);
    const auto inner = [&](Value* i) {
      place[d] = i;
      self(self, depth + 1);
    };
    if (tile.sizes[d] == 1 && !tile.isMasked[d]) return inner(k_.int64(0));
    const auto [from, to] = insideOf(tile, d);
    depth + 1 == tile.order.size() ? k_.lineLoop(from, to, inner) : k_.loop(from, to, inner);
  };
  enter(enter, 0);
}

HostWorker::Range HostWorker::insideOf(const PlacedTile& tile, size_t d) {
  Value *from = k_.int64(0), *to = k_.int64(tile.sizes[d]);
  if (!tile.isMasked[d]) return {from, to};
  const auto limited = [&](llvm::Intrinsic::ID which, Value* a, Value* b) {
    return b_.CreateBinaryIntrinsic(which, a, b);
  };
  const int64_t stride = std::max<int64_t>(1, std::abs(tile.strides[d]));
  // Ahead of `left` elements, where the walk goes up; where it goes down, as many as are behind.
  const auto stepsIn = [&](Value* elements) {
    Value* steps = b_.CreateSDiv(b_.CreateAdd(elements, k_.int64(stride - 1)), k_.int64(stride));
    return limited(llvm::Intrinsic::smin, limited(llvm::Intrinsic::smax, steps, k_.int64(0)),
                   k_.int64(tile.sizes[d]));
  };
  Value *first = tile.firsts[d], *end = k_.int64(tile.bounds[d]);
  if (tile.strides[d] >= 0)
    return {tile.mayBeBefore[d] ? stepsIn(b_.CreateNeg(first)) : from, stepsIn(b_.CreateSub(end, first))};
  Value* above = b_.CreateAdd(b_.CreateSub(first, end), k_.int64(1));
  return {stepsIn(above), stepsIn(b_.CreateAdd(first, k_.int64(1)))};
}

}  // namespace hilo::cpu
