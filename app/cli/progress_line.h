// How far long work is, on one line of a terminal that is written over and gone when the work ends. Nothing
// is written where standard error is no terminal.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "core/workspace/job_queue.h"

namespace hilo::cli {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;

  bool isShown() const { return width_ > 0; }
  // At most ten times a second. Any thread, one at a time.
  void show(const JobInfo& job);
  // A whole line that stays, above the one that is written over, if there is one.
  static void say(const std::string& text);

 private:
  size_t width_ = 0;  // of the terminal; 0: there is none
  std::chrono::steady_clock::time_point shownAt_;
};

// Does `work`, Result<T>(JobContext&), and shows how far it is.
template <typename Work>
auto withProgress(std::string title, Work work) {
  using Made = std::invoke_result_t<Work&, JobContext&>;
  std::optional<Made> made;
  ProgressLine line;
  JobQueue queue(1);
  if (line.isShown())
    queue.setListener([&] {
      for (const JobInfo& job : queue.jobs()) line.show(job);
    });
  queue.submit("", std::move(title), std::move(work), [&](Made result) { made.emplace(std::move(result)); });
  queue.waitIdle();
  return *std::move(made);
}

}  // namespace hilo::cli
