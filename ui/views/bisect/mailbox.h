// The latest of what a job has to say, taken by the window's thread when it looks.
#pragma once

#include <mutex>
#include <optional>

namespace hilo {

template <typename T>
class Mailbox {
 public:
  void put(T value) {
    const std::lock_guard lock(mutex_);
    latest_ = std::move(value);
  }
  // Nothing where nothing came since.
  std::optional<T> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(latest_, std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::optional<T> latest_;
};

}  // namespace hilo
