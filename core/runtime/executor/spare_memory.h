// Memory of runs that have ended, for the runs of the same program that follow: to touch fresh pages takes
// longer than many a kernel. What it holds is anything. Any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "core/base/large_pages.h"

namespace hilo {

class SpareMemory {
 public:
  static constexpr std::align_val_t kAlignment{64};
  struct AlignedDelete {
    void operator()(std::byte* bytes) const { ::operator delete(bytes, kAlignment); }
  };
  struct Block {
    std::unique_ptr<std::byte, AlignedDelete> bytes;
    int64_t size = 0;
  };

  // `bytes` is null when there is no such room.
  Block take(int64_t size) {
    {
      const std::lock_guard lock(mutex_);
      const auto found = std::ranges::find(spare_, size, &Block::size);
      if (found != spare_.end()) {
        Block block = std::move(*found);
        spare_.erase(found);
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

  // Keeps a block, or frees it when enough is kept.
  void give(Block block) {
    constexpr int64_t kMostBytes = int64_t{4} << 30;
    const std::lock_guard lock(mutex_);
    if (block.size > kMostBytes - keptBytes_) return;
    keptBytes_ += block.size;
    spare_.push_back(std::move(block));
  }

 private:
  std::mutex mutex_;
  std::vector<Block> spare_;
  int64_t keptBytes_ = 0;
};

}  // namespace hilo
