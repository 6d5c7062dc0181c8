#include "ui/canvas/layout_queue.h"

namespace hilo {

LayoutQueue::LayoutQueue(std::shared_ptr<LayoutCache> cache, QObject* parent)
    : QObject(parent), cache_(std::move(cache)), worker_([this] { work(); }) {}

LayoutQueue::~LayoutQueue() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    waiting_.clear();
    running_.cancel();
  }
  wake_.notify_all();
  worker_.join();
}

void LayoutQueue::submit(quint64 key, NestedInput input) {
  drop(key);
  const uint64_t number = ++lastNumber_;
  newest_[key] = number;
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({key, number, std::move(input), CancelToken()});
  }
  wake_.notify_one();
}

void LayoutQueue::drop(quint64 key) {
  newest_.erase(key);
  const std::lock_guard lock(mutex_);
  std::erase_if(waiting_, [key](const Request& request) { return request.key == key; });
  if (isRunning_ && runningKey_ == key) running_.cancel();
}

bool LayoutQueue::busy() const { return !newest_.empty(); }

void LayoutQueue::work() {
  while (true) {
    Request request;
    {
      std::unique_lock lock(mutex_);
      isRunning_ = false;
      wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      if (stopping_) return;
      request = std::move(waiting_.front());
      waiting_.pop_front();
      running_ = request.cancel;
      runningKey_ = request.key;
      isRunning_ = true;
    }
    auto result =
        std::make_shared<Result<NestedResult>>(layoutNested(request.input, *cache_, request.cancel));
    QMetaObject::invokeMethod(
        this,
        [this, key = request.key, number = request.number, result] {
          deliver(key, number, std::move(*result));
        },
        Qt::QueuedConnection);
  }
}

void LayoutQueue::deliver(quint64 key, uint64_t number, Result<NestedResult> result) {
  const auto newest = newest_.find(key);
  if (newest == newest_.end() || newest->second != number) return;
  newest_.erase(newest);
  if (result) {
    Q_EMIT finished(key, std::make_shared<const NestedResult>(std::move(result).value()));
  } else {
    Q_EMIT failed(key, std::move(result).error());
  }
}

}  // namespace hilo
