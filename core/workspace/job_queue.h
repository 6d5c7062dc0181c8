// The one queue every workspace request goes through: worker threads, a tag a request, newest wins.
//
// submit() hands `work` to a worker thread and returns at once. A later submit with the same (non-empty) tag
// cancels the earlier one, whose reply is then never delivered. `work` reports progress and looks at its
// cancel token through JobContext. Prompt jobs have workers of their own. A result goes to `reply`, called
// through the poster: the UI posts to its event loop, the CLI and the tests run it in place or drain a list.
// A reply that belongs to a JobScope is dropped once that scope is gone.
//
// Threads: every member may be called from any thread. `work` runs on a worker; `reply` and the listener run
// wherever the poster runs them (with no poster set: on the worker). A JobScope must be destroyed on the
// thread replies run on. Destruction cancels what is queued or running, waits for the workers, and delivers
// nothing any more.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/base/typed_id.h"

namespace hilo {

using JobId = TypedId<struct JobTag>;

enum class JobState : uint8_t { Queued, Running, Done, Cancelled, Failed };
std::string_view jobStateName(JobState state);

// Prompt: what the user waits for at once, such as a drawing or a search in a text; it never waits behind a
// run of minutes. Long: the rest.
enum class JobLane : uint8_t { Long, Prompt };

// A job as jobs() shows it. Times are steady-clock nanoseconds since the queue was made; 0: not yet.
struct JobInfo {
  JobId id;
  std::string tag;
  std::string title;
  double fraction = 0;  // 0 to 1; negative: unknown
  std::string text;     // the latest progress text, or why it failed
  JobState state = JobState::Queued;
  int64_t queuedNs = 0;
  int64_t startNs = 0;
  int64_t endNs = 0;
};

// What running work sees of its job.
class JobContext {
 public:
  // For work that runs outside a queue: never cancelled unless `token` is, progress goes nowhere.
  JobContext() = default;
  explicit JobContext(CancelToken token) : cancel_(std::move(token)) {}

  const CancelToken& cancel() const { return cancel_; }
  bool cancelled() const { return cancel_.cancelled(); }
  // `fraction` from 0 to 1, negative when unknown. Cheap enough to call a thousand times a second.
  void progress(double fraction, std::string text = {}) const {
    if (report_) report_(fraction, std::move(text));
  }

 private:
  friend class JobQueue;
  CancelToken cancel_;
  std::function<void(double, std::string)> report_;
};

// Ties replies to the life of whoever asked: a view holds one as a member. Not copyable;
// alive until destroyed.
class JobScope {
 public:
  JobScope() : alive_(std::make_shared<char>()) {}
  JobScope(const JobScope&) = delete;
  JobScope& operator=(const JobScope&) = delete;

 private:
  friend class JobQueue;
  std::shared_ptr<char> alive_;
};

class JobQueue {
 public:
  using Poster = std::function<void(std::function<void()>)>;

  // `workers`: threads for long jobs. For prompt jobs there are kPromptWorkers, from the first such job on.
  explicit JobQueue(int workers = 2);
  static constexpr int kPromptWorkers = 2;
  ~JobQueue();
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  // Set before the first submit.
  void setPoster(Poster poster);
  // Called through the poster after any change to jobs(); changes that come close together may share one
  // call. Set before the first submit.
  void setListener(std::function<void()> listener);

  // `work`: Result<T>(JobContext&). `reply`: void(Result<T>). T may be void and need not be copyable. An
  // error of kind "cancelled" marks the job cancelled, any other failed. A job cancelled by cancel(id)
  // replies with an error of kind "cancelled"; one superseded by a newer job of its tag, and one whose
  // `scope` is gone, never replies.
  template <typename Work, typename Reply>
  JobId submit(std::string tag, std::string title, Work work, Reply reply, const JobScope* scope = nullptr,
               JobLane lane = JobLane::Long);

  // A snapshot, oldest first: all queued, all running or not answered yet, the latest kKeptJobs that ended.
  std::vector<JobInfo> jobs() const;
  static constexpr size_t kKeptJobs = 100;
  void cancel(JobId id);
  // As cancel(id) for every job of this tag.
  void cancelTag(std::string_view tag);
  // Blocks until no job is queued or running. For the CLI and tests; not for the poster's thread.
  void waitIdle();

 private:
  struct Impl;
  struct Job;
  // What a worker runs: does the work, and returns how it ended and the reply to post.
  struct Outcome {
    JobState state = JobState::Done;
    std::string text;
    std::function<void()> reply;
  };
  using Run = std::function<Outcome(JobContext&)>;
  using Refuse = std::function<std::function<void()>(Diagnostic)>;
  JobId enqueue(std::string tag, std::string title, Run run, Refuse refuse, const JobScope* scope,
                JobLane lane);
  static std::weak_ptr<char> aliveOf(const JobScope* scope) { return scope->alive_; }

  std::unique_ptr<Impl> impl_;
};

// The error work returns when it stops because it was asked to.
inline std::unexpected<Diagnostic> cancelledError(std::string what = "cancelled") {
  return fail("cancelled", std::move(what));
}

template <typename Work, typename Reply>
JobId JobQueue::submit(std::string tag, std::string title, Work work, Reply reply, const JobScope* scope,
                       JobLane lane) {
  using R = std::invoke_result_t<Work&, JobContext&>;
  auto sharedReply = std::make_shared<Reply>(std::move(reply));
  Run run = [work = std::make_shared<Work>(std::move(work)), sharedReply](JobContext& context) {
    auto result = std::make_shared<R>((*work)(context));
    Outcome outcome;
    if (!*result) {
      outcome.state = result->error().kind == "cancelled" ? JobState::Cancelled : JobState::Failed;
      outcome.text = result->error().message;
    }
    outcome.reply = [result, sharedReply] { (*sharedReply)(std::move(*result)); };
    return outcome;
  };
  Refuse refuse = [sharedReply](Diagnostic why) {
    return [sharedReply, why = std::move(why)] { (*sharedReply)(R(std::unexpected(why))); };
  };
  return enqueue(std::move(tag), std::move(title), std::move(run), std::move(refuse), scope, lane);
}

}  // namespace hilo
