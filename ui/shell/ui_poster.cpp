#include "ui/shell/ui_poster.h"

namespace hilo {

void UiPoster::post(std::function<void()> function) {
  const std::lock_guard lock(mutex_);
  if (detached_) return;
  waiting_.push_back(std::move(function));
  schedule();
}

void UiPoster::attach() {
  const std::lock_guard lock(mutex_);
  receiver_ = std::make_unique<QObject>();
  if (!waiting_.empty()) schedule();
}

void UiPoster::detach() {
  std::vector<std::function<void()>> dropped;
  const std::lock_guard lock(mutex_);
  detached_ = true;
  dropped.swap(waiting_);
  receiver_.reset();
}

// Under the lock.
void UiPoster::schedule() {
  if (receiver_ == nullptr || scheduled_) return;
  scheduled_ = true;
  QMetaObject::invokeMethod(receiver_.get(), [this] { drain(); }, Qt::QueuedConnection);
}

void UiPoster::drain() {
  std::vector<std::function<void()>> ready;
  {
    const std::lock_guard lock(mutex_);
    ready.swap(waiting_);
    scheduled_ = false;
  }
  for (auto& function : ready) function();
}

}  // namespace hilo
