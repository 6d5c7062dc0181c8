// Memory of runs that have ended, for those of the same program that follow: to touch fresh pages takes
// longer than many a kernel. What it holds is anything. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/hlo/ir/literal.h"

namespace hilo {

class SpareMemory : public std::enable_shared_from_this<SpareMemory> {
 public:
  static constexpr std::align_val_t kAlignment{64};
  struct AlignedDelete {
    void operator()(std::byte* bytes) const { ::operator delete(bytes, kAlignment); }
  };
  struct Block {
    std::unique_ptr<std::byte, AlignedDelete> bytes;
    int64_t size = 0;
  };

  // Keeps up to so many bytes of what is given back.
  explicit SpareMemory(int64_t mostBytes) : mostBytes_(mostBytes) {}
  int64_t keptBytes() const;

  // `bytes` is null when there is no such room.
  Block take(int64_t size);
  // Keeps a block, or frees it when enough is kept.
  void give(Block block) noexcept;

  // `count` literals whose memory comes back when nobody holds them, for callers that write every element.
  // From now on as much is kept as they take. Error kinds as Literal::tryMake. This is held by a shared_ptr;
  // they may outlive it.
  Result<std::vector<Literal>> literals(Shape shape, size_t count);

 private:
  std::shared_ptr<std::byte[]> takeShared(int64_t size);

  mutable std::mutex mutex_;
  absl::flat_hash_map<int64_t, std::vector<Block>> spare_;  // by size
  int64_t keptBytes_ = 0, mostBytes_;
};

}  // namespace hilo
