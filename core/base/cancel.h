// A CancelToken asks running work to stop; the work looks at it at safe points. Copies share one flag.
// Any thread may cancel, any thread may look.
#pragma once

#include <atomic>
#include <memory>

namespace hilo {

class CancelToken {
 public:
  CancelToken() : cancelled_(std::make_shared<std::atomic<bool>>(false)) {}
  void cancel() const { cancelled_->store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_->load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<bool>> cancelled_;
};

}  // namespace hilo
