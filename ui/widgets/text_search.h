// Searches a text for one view of it, in jobs of which the newest wins,
// and steps from match to match. UI thread.
#pragma once

#include <memory>
#include <optional>

#include <QObject>

#include "core/workspace/job_queue.h"
#include "ui/widgets/text_find.h"

namespace hilo {

class TextSearch : public QObject {
  Q_OBJECT

 public:
  explicit TextSearch(QObject* parent = nullptr);

  // Where it is searched: set before the first find().
  void setJobs(JobQueue& jobs);
  // Another text: what was looked for is looked for again.
  void setLines(std::shared_ptr<const TextLines> lines);
  // Empty text ends the search.
  void find(const FindQuery& query);
  // To the next match after what is selected, or to the one before it,
  // around the ends; nowhere where there is none.
  void step(TextPosition from, TextPosition to, bool backward);

  const TextMatches* matches() const { return matches_.get(); }
  // The match that was stepped to last.
  std::optional<size_t> current() const { return current_; }

 Q_SIGNALS:
  // `current` counts from 1; 0 before the first step.
  void changed(int current, int total, bool truncated);
  void failed(const QString& why);
  void steppedTo(const hilo::TextMatch& match);

 private:
  void show(Result<TextMatches> matches);

  JobQueue* jobs_ = nullptr;
  std::string tag_;
  JobScope scope_;
  std::shared_ptr<const TextLines> lines_;
  FindQuery query_;
  std::unique_ptr<const TextMatches> matches_;
  std::optional<size_t> current_;
};

}  // namespace hilo
