// The store of runs, bookmarks and notes that a session's views share: opened by the first job that needs
// it. Any thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "core/workspace/store/store.h"

namespace hilo {

class SharedStore {
 public:
  // "" for the user's own store.
  explicit SharedStore(std::string path) : path_(std::move(path)) {}
  Result<std::shared_ptr<RunStore>> get() {
    const std::lock_guard lock(mutex_);
    if (!store_) {
      TRY(store_, RunStore::open(path_));
    }
    return store_;
  }
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
  std::mutex mutex_;
  std::shared_ptr<RunStore> store_;
};

}  // namespace hilo
