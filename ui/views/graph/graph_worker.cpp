#include "ui/views/graph/graph_worker.h"

#include <fmt/format.h>

#include <mutex>

#include "core/workspace/text/extract.h"

namespace hilo {
namespace {

using Picture = std::shared_ptr<const GraphPicture>;

// Each worker's jobs take the place of its own alone.
std::string nextTag() {
  static uint32_t number = 0;
  return fmt::format("graph:{}", number++);
}

}  // namespace

struct GraphWorker::Maker {
  std::mutex mutex;  // one picture at a time
  PictureMaker pictures;
};

GraphWorker::GraphWorker(JobQueue& jobs, QObject* parent)
    : QObject(parent), jobs_(jobs), tag_(nextTag()), maker_(std::make_shared<Maker>()) {}

GraphWorker::~GraphWorker() { jobs_.cancelTag(tag_); }

void GraphWorker::setLayoutFolder(const std::string& folder) { maker_->pictures.setLayoutFolder(folder); }

void GraphWorker::submit(GraphOrder order) {
  busy_ = true;
  draw(std::move(order), /*isRefined=*/false);
}

void GraphWorker::draw(GraphOrder order, bool isRefined) {
  const std::string title =
      (isRefined ? "Refine the graph of " : "Draw the graph of ") + std::string(order.module->name());
  jobs_.submit(
      tag_, title,
      [maker = maker_, order, isRefined](JobContext& job) -> Result<Picture> {
        const std::lock_guard lock(maker->mutex);
        const LayoutEngine engine = isRefined ? LayoutEngine::kAuto : LayoutEngine::kDraft;
        TRY(GraphPicture picture, maker->pictures.make(order, engine, job.cancel()));
        picture.refined |= isRefined;
        return std::make_shared<const GraphPicture>(std::move(picture));
      },
      [this, order](Result<Picture> picture) mutable { take(std::move(order), std::move(picture)); }, &scope_,
      JobLane::Prompt);
}

void GraphWorker::take(GraphOrder order, Result<Picture> picture) {
  if (!busy_) return;
  busy_ = picture && !(*picture)->refined;
  if (!picture) return Q_EMIT failed(picture.error());
  if (busy_) {
    // What the order opened is open now; the rest of it stands.
    order.open = (*picture)->open;
    order.followed = (*picture)->followed;
    order.start = order.openAll = false;
    order.unfold.clear();
    order.reveal = {};
    draw(std::move(order), /*isRefined=*/true);
  }
  Q_EMIT made(*picture);
}

void GraphWorker::drop() {
  busy_ = false;
  jobs_.submit(
      tag_, "Let go of a graph",
      [maker = maker_](JobContext&) -> Status {
        const std::lock_guard lock(maker->mutex);
        maker->pictures.forget();
        return {};
      },
      [](const Status&) {}, &scope_, JobLane::Prompt);
}

void GraphWorker::extract(std::shared_ptr<const Module> module, uint64_t key,
                          std::function<void(const Result<std::string>&)> answer) {
  jobs_.submit(
      "", "Extract a part of " + std::string(module->name()),
      [maker = maker_, module, key](JobContext&) {
        std::unique_lock lock(maker->mutex);
        const std::vector<InstructionId> ids = maker->pictures.instructionsOf(*module, key);
        lock.unlock();
        return extractAsText(*module, ids);
      },
      [answer = std::move(answer)](const Result<std::string>& text) { answer(text); }, &scope_,
      JobLane::Prompt);
}

}  // namespace hilo
