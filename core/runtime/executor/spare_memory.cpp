#include "core/runtime/executor/spare_memory.h"

#include <algorithm>

#include "core/base/large_pages.h"

namespace hilo {

int64_t SpareMemory::keptBytes() const {
  const std::lock_guard lock(mutex_);
  return keptBytes_;
}

SpareMemory::Block SpareMemory::take(int64_t size) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = spare_.find(size);
    if (found != spare_.end() && !found->second.empty()) {
      Block block = std::move(found->second.back());
      found->second.pop_back();
      keptBytes_ -= size;
      return block;
    }
  }
  const auto room = static_cast<size_t>(std::max<int64_t>(size, 1));
  Block block;
  block.bytes.reset(static_cast<std::byte*>(::operator new(room, kAlignment, std::nothrow)));
  block.size = size;
  if (block.bytes != nullptr) preferLargePages(block.bytes.get(), room);
  return block;
}

void SpareMemory::give(Block block) noexcept {
  const std::lock_guard lock(mutex_);
  if (block.size == 0 || block.size > mostBytes_ - keptBytes_) return;
  const int64_t size = block.size;
  try {
    spare_[size].push_back(std::move(block));
    keptBytes_ += size;
  } catch (const std::bad_alloc&) {
    // It is freed.
  }
}

std::shared_ptr<std::byte[]> SpareMemory::takeShared(int64_t size) {
  struct Loan {
    std::weak_ptr<SpareMemory> owner;
    Block block;
    ~Loan() {
      if (const auto held = owner.lock()) held->give(std::move(block));
    }
  };
  Block block = take(size);
  if (block.bytes == nullptr) return nullptr;
  auto loan = std::make_shared<Loan>(weak_from_this(), std::move(block));
  std::byte* start = loan->block.bytes.get();
  return {std::move(loan), start};
}

Result<std::vector<Literal>> SpareMemory::literals(Shape shape, size_t count) {
  int64_t bytes = 0;
  const auto memory = [&](size_t size) {
    bytes += static_cast<int64_t>(size);
    return takeShared(static_cast<int64_t>(size));
  };
  std::vector<Literal> made;
  while (made.size() < count) {
    TRY(Literal literal, Literal::tryMakeIn(memory, shape));
    made.push_back(std::move(literal));
  }
  const std::lock_guard lock(mutex_);
  mostBytes_ = std::max(mostBytes_, bytes);
  return made;
}

}  // namespace hilo
