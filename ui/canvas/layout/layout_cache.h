// Layouts already made, by the content of their input. One cache may serve many threads.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include <absl/container/flat_hash_map.h>

#include "ui/canvas/layout/layout.h"

namespace hilo {

struct LayoutKey {
  uint64_t low = 0;
  uint64_t high = 0;
  friend bool operator==(const LayoutKey&, const LayoutKey&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const LayoutKey& key) {
    return H::combine(std::move(h), key.low, key.high);
  }
};

// A 128-bit hash of everything that decides the result.
LayoutKey layoutKey(const LayoutInput& input, LayoutEngine engine);

class LayoutFiles;

// Keeps the most recently used results up to about `capacityBytes`.
class LayoutCache {
 public:
  explicit LayoutCache(size_t capacityBytes = 64 << 20) : capacityBytes_(capacityBytes) {}

  std::shared_ptr<const LayoutResult> find(const LayoutKey& key);
  void insert(const LayoutKey& key, std::shared_ptr<const LayoutResult> result);
  size_t size() const;
  // What took some time to make is kept in files as well, for the next run of the program. Null keeps none.
  void setFiles(std::shared_ptr<const LayoutFiles> files);
  std::shared_ptr<const LayoutFiles> files() const;

 private:
  using Entry = std::pair<LayoutKey, std::shared_ptr<const LayoutResult>>;

  const size_t capacityBytes_;
  mutable std::mutex mutex_;
  std::shared_ptr<const LayoutFiles> files_;
  std::list<Entry> entries_;  // most recent first
  absl::flat_hash_map<LayoutKey, std::list<Entry>::iterator> index_;
  size_t bytes_ = 0;
};

// layoutGraph through a cache. A result made while dot failed is not kept. kDraft takes what kAuto made.
Result<std::shared_ptr<const LayoutResult>> layoutCached(LayoutCache& cache, const LayoutInput& input,
                                                         LayoutEngine engine, const CancelToken& cancel);

}  // namespace hilo
