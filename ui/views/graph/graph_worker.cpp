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

void GraphWorker::submit(GraphOrder order) {
  ++newest_;
  busy_ = true;
  {
    const std::lock_guard lock(mutex_);
    running_.cancel();
    waiting_ = Request{newest_, std::move(order), CancelToken()};
  }
  wake_.notify_one();
}

void GraphWorker::drop() {
  ++newest_;
  busy_ = false;
  {
    const std::lock_guard lock(mutex_);
    running_.cancel();
    waiting_ = Request();
  }
  wake_.notify_one();
}

void GraphWorker::askInstructions(std::shared_ptr<const Module> module, uint64_t key,
                                  std::function<void(std::vector<InstructionId>)> answer) {
  {
    const std::lock_guard lock(mutex_);
    questions_.push_back({std::move(module), key, std::move(answer)});
  }
  wake_.notify_one();
}

void GraphWorker::answerQuestions() {
  std::vector<Question> questions;
  {
    const std::lock_guard lock(mutex_);
    questions.swap(questions_);
  }
  for (Question& question : questions) {
    QMetaObject::invokeMethod(
        this,
        [answer = std::move(question.answer), ids = maker_.instructionsOf(*question.module, question.key)] {
          answer(ids);
        },
        Qt::QueuedConnection);
  }
}

// Waits for one, and counts costs when there has been none for a while. None to end.
std::optional<GraphWorker::Request> GraphWorker::nextRequest() {
  constexpr auto kQuiet = std::chrono::milliseconds(300);
  const auto ready = [this] { return stopping_ || waiting_.has_value() || !questions_.empty(); };
  std::unique_lock lock(mutex_);
  while (!stopping_ && !waiting_) {
    if (answered_ != costed_ && !wake_.wait_for(lock, kQuiet, ready)) {
      lock.unlock();
      countCost();
      lock.lock();
    }
    wake_.wait(lock, ready);
    if (questions_.empty() || waiting_) continue;
    lock.unlock();
    answerQuestions();
    lock.lock();
  }
  if (stopping_) return std::nullopt;
  std::optional<Request> request = std::exchange(waiting_, std::nullopt);
  running_ = request->cancel;
  return request;
}

void GraphWorker::work() {
  while (std::optional<Request> request = nextRequest()) {
    answerQuestions();
    answered_ = request->order.module;
    if (answered_ == nullptr) {
      costed_ = nullptr;
      maker_.forget();
    } else {
      answer(std::move(*request));
    }
  }
}

void GraphWorker::countCost() {
  costed_ = answered_;
  auto cost = std::make_shared<const ModuleCost>(*costed_);
  QMetaObject::invokeMethod(
      this, [this, module = costed_, cost = std::move(cost)] { Q_EMIT costKnown(module, cost); },
      Qt::QueuedConnection);
}

void GraphWorker::answer(Request request) {
  Result<GraphPicture> picture = maker_.make(request.order, LayoutEngine::kDraft, request.cancel);
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
