#include "ui/views/graph/graph_worker.h"

namespace hilo {

GraphWorker::GraphWorker(QObject* parent) : QObject(parent), worker_([this] { work(); }) {}

GraphWorker::~GraphWorker() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    waiting_.reset();
    running_.cancel();
  }
  wake_.notify_all();
  worker_.join();
}

void GraphWorker::submit(GraphOrder order, bool quick) {
  ++newest_;
  busy_ = true;
  {
    const std::lock_guard lock(mutex_);
    running_.cancel();
    waiting_ = Request{newest_, std::move(order), quick, CancelToken()};
  }
  wake_.notify_one();
}

void GraphWorker::drop() {
  ++newest_;
  busy_ = false;
  const std::lock_guard lock(mutex_);
  waiting_.reset();
  running_.cancel();
}

void GraphWorker::work() {
  while (true) {
    Request request;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || waiting_.has_value(); });
      if (stopping_) return;
      request = std::move(*waiting_);
      waiting_.reset();
      running_ = request.cancel;
    }
    answer(std::move(request));
  }
}

void GraphWorker::answer(Request request) {
  Result<GraphPicture> picture =
      maker_.make(request.order, request.quick ? LayoutEngine::kDraft : LayoutEngine::kQuick, request.cancel);
  if (!picture || picture->refined) return post(request.number, std::move(picture));
  // What the order opened is open now; the rest of it stands.
  GraphOrder again = std::move(request.order);
  again.open = picture->open;
  again.followed = picture->followed;
  again.start = again.openAll = false;
  again.unfold.clear();
  again.reveal = {};
  post(request.number, std::move(picture));
  Result<GraphPicture> refined = maker_.make(again, LayoutEngine::kAuto, request.cancel);
  if (refined) refined->refined = true;
  post(request.number, std::move(refined));
}

void GraphWorker::post(uint64_t number, Result<GraphPicture> picture) {
  Result<std::shared_ptr<const GraphPicture>> shared =
      picture ? Result<std::shared_ptr<const GraphPicture>>(
                    std::make_shared<const GraphPicture>(std::move(*picture)))
              : std::unexpected(std::move(picture).error());
  QMetaObject::invokeMethod(
      this, [this, number, shared = std::move(shared)] { deliver(number, shared); }, Qt::QueuedConnection);
}

void GraphWorker::deliver(uint64_t number, const Result<std::shared_ptr<const GraphPicture>>& picture) {
  if (number != newest_ || !busy_) return;
  if (!picture) {
    busy_ = false;
    Q_EMIT failed(picture.error());
    return;
  }
  busy_ = !(*picture)->refined;
  Q_EMIT made(*picture);
}

}  // namespace hilo
