#include "ui/widgets/text_search.h"

#include <algorithm>

#include "core/base/check.h"

namespace hilo {

TextSearch::TextSearch(QObject* parent) : QObject(parent), lines_(std::make_shared<const TextLines>()) {}

void TextSearch::setJobs(JobQueue& jobs) {
  static uint32_t number = 0;
  jobs_ = &jobs;
  tag_ = fmt::format("find:{}", number++);
}

void TextSearch::setLines(std::shared_ptr<const TextLines> lines) {
  lines_ = std::move(lines);
  matches_ = nullptr;
  current_.reset();
  if (!query_.text.isEmpty()) find(query_);
}

// A newer search stops the older one.
void TextSearch::find(const FindQuery& query) {
  CHECK(jobs_ != nullptr, "setJobs comes before find");
  query_ = query;
  if (query_.text.isEmpty()) {
    jobs_->cancelTag(tag_);
    return show(TextMatches());
  }
  jobs_->submit(
      tag_, "Find " + query_.text.toStdString(),
      [lines = lines_, query = query_](JobContext& job) { return findAll(*lines, query, job.cancel()); },
      [this](Result<TextMatches> matches) { show(std::move(matches)); }, &scope_, JobLane::Prompt);
}

void TextSearch::show(Result<TextMatches> matches) {
  if (!matches && matches.error().kind == "cancelled") return;
  matches_ = matches ? std::make_unique<const TextMatches>(*std::move(matches)) : nullptr;
  current_.reset();
  if (matches_ == nullptr) return Q_EMIT failed(QString::fromStdString(matches.error().message));
  Q_EMIT changed(0, static_cast<int>(matches_->items.size()), matches_->truncated);
}

void TextSearch::step(TextPosition from, TextPosition to, bool backward) {
  if (matches_ == nullptr || matches_->items.empty()) return;
  const auto& items = matches_->items;
  // The match the caret stands on counts until it has been stepped to.
  const TextPosition start = backward || !current_ ? from : to;
  const auto at = std::partition_point(items.begin(), items.end(),
                                       [&](const TextMatch& match) { return match.at < start; });
  const auto place = static_cast<size_t>(at - items.begin());
  current_ = backward ? (place == 0 ? items.size() : place) - 1 : place == items.size() ? 0 : place;
  Q_EMIT changed(static_cast<int>(*current_) + 1, static_cast<int>(items.size()), matches_->truncated);
  Q_EMIT steppedTo(items[*current_]);
}

}  // namespace hilo
