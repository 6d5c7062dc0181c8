#include "core/workspace/job_queue.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "core/base/check.h"

namespace hilo {

std::string_view jobStateName(JobState state) {
  switch (state) {
    case JobState::Queued:
      return "queued";
    case JobState::Running:
      return "running";
    case JobState::Done:
      return "done";
    case JobState::Cancelled:
      return "cancelled";
    case JobState::Failed:
      return "failed";
  }
  return "";
}

struct JobQueue::Job {
  JobInfo info;
  JobContext context;
  Run run;
  Refuse refuse;
  // Set under the queue's lock when a newer job took this one's place, read again when the reply is
  // about to run.
  std::atomic<bool> superseded = false;
  // Its reply has begun, or is not to come.
  std::atomic<bool> answered = false;
  bool hasScope = false;
  JobLane lane = JobLane::Long;
  std::weak_ptr<char> scope;

  bool mayReply() const { return !superseded.load() && !(hasScope && scope.expired()); }
};

struct JobQueue::Impl {
  mutable std::mutex mutex;
  // By lane: its workers sleep on `wake` until there is one in `waiting`.
  struct Lane {
    std::condition_variable wake;
    std::deque<std::shared_ptr<Job>> waiting;
    bool hasWorkers = false;
  };
  std::array<Lane, 2> lanes;
  std::condition_variable idle;
  std::vector<std::thread> threads;
  std::vector<std::shared_ptr<Job>> jobs;  // all that are shown, oldest first
  size_t running = 0;
  uint32_t nextId = 0;
  bool stopping = false;
  Poster poster;
  std::function<void()> listener;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  // Posted functions may outlive the queue; they look here first.
  std::shared_ptr<std::atomic<bool>> alive = std::make_shared<std::atomic<bool>>(true);
  std::shared_ptr<std::atomic<bool>> listenerPending = std::make_shared<std::atomic<bool>>(false);

  int64_t nowNs() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin)
        .count();
  }

  void post(std::function<void()> function) const {
    auto guarded = [alive = alive, function = std::move(function)] {
      if (alive->load()) function();
    };
    if (poster) {
      poster(std::move(guarded));
    } else {
      guarded();
    }
  }

  // Not under the lock: with no poster the listener runs here.
  void notify() {
    if (!listener || listenerPending->exchange(true)) return;
    post([pending = listenerPending, listener = listener] {
      pending->store(false);
      listener();
    });
  }

  void postReply(const std::shared_ptr<Job>& job, std::function<void()> reply) const {
    post([job, reply = std::move(reply)] {
      job->answered = true;
      if (job->mayReply()) reply();
    });
  }

  Lane& laneOf(const Job& job) { return lanes[static_cast<size_t>(job.lane)]; }

  // Under the lock, or before there are other threads.
  void start(Lane& lane, int workers) {
    lane.hasWorkers = true;
    for (int i = 0; i < workers; ++i) threads.emplace_back([this, &lane] { work(lane); });
  }

  void trimEnded() {
    const auto ended = [](const auto& job) { return job->info.endNs != 0; };
    size_t surplus = std::ranges::count_if(jobs, ended);
    surplus -= std::min(surplus, kKeptJobs);
    std::erase_if(jobs, [&](const auto& job) { return surplus > 0 && ended(job) && surplus-- > 0; });
  }

  // Under the lock. A queued job ends here and now; a running one when its work notices.
  void cancelLocked(const std::shared_ptr<Job>& job, std::vector<std::shared_ptr<Job>>& endedNow) {
    job->context.cancel().cancel();
    if (job->info.state != JobState::Queued) return;
    std::erase(laneOf(*job).waiting, job);
    job->info.state = JobState::Cancelled;
    job->info.endNs = std::max<int64_t>(nowNs(), 1);
    endedNow.push_back(job);
  }

  void runOne(const std::shared_ptr<Job>& job) {
    notify();
    Outcome outcome = job->run(job->context);
    job->run = nullptr;
    {
      const std::lock_guard lock(mutex);
      const bool cancelled = job->context.cancelled();
      job->info.state = cancelled ? JobState::Cancelled : outcome.state;
      if (!outcome.text.empty()) job->info.text = outcome.text;
      if (job->info.state == JobState::Done) job->info.fraction = 1;
      job->info.endNs = std::max<int64_t>(nowNs(), 1);
      if (cancelled) outcome.reply = job->refuse(Diagnostic{.kind = "cancelled", .message = "cancelled"});
      job->refuse = nullptr;
      trimEnded();
    }
    postReply(job, std::move(outcome.reply));
    notify();
    {
      const std::lock_guard lock(mutex);
      --running;
    }
    idle.notify_all();
  }

  void work(Lane& lane) {
    for (;;) {
      std::shared_ptr<Job> job;
      {
        std::unique_lock lock(mutex);
        lane.wake.wait(lock, [&] { return stopping || !lane.waiting.empty(); });
        if (stopping) return;
        job = std::move(lane.waiting.front());
        lane.waiting.pop_front();
        ++running;
        job->info.state = JobState::Running;
        job->info.startNs = std::max<int64_t>(nowNs(), 1);
      }
      runOne(job);
    }
  }

  void finishCancelled(const std::vector<std::shared_ptr<Job>>& ended) {
    for (const auto& job : ended) {
      job->run = nullptr;
      if (job->superseded) {
        job->answered = true;
      } else {
        postReply(job, job->refuse(Diagnostic{.kind = "cancelled", .message = "cancelled"}));
      }
      job->refuse = nullptr;
    }
    if (!ended.empty()) idle.notify_all();
    notify();
  }
};

JobQueue::JobQueue(int workers) : impl_(std::make_unique<Impl>()) {
  CHECK(workers >= 1);
  impl_->start(impl_->lanes[static_cast<size_t>(JobLane::Long)], workers);
}

JobQueue::~JobQueue() {
  impl_->alive->store(false);
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->stopping = true;
    for (const auto& job : impl_->jobs) job->context.cancel().cancel();
    for (auto& lane : impl_->lanes) lane.waiting.clear();
  }
  for (auto& lane : impl_->lanes) lane.wake.notify_all();
  for (std::thread& thread : impl_->threads) thread.join();
}

void JobQueue::setPoster(Poster poster) {
  const std::lock_guard lock(impl_->mutex);
  impl_->poster = std::move(poster);
}

void JobQueue::setListener(std::function<void()> listener) {
  const std::lock_guard lock(impl_->mutex);
  impl_->listener = std::move(listener);
}

JobId JobQueue::enqueue(std::string tag, std::string title, Run run, Refuse refuse, const JobScope* scope,
                        JobLane lane) {
  auto job = std::make_shared<Job>();
  job->info.tag = std::move(tag);
  job->info.title = std::move(title);
  job->run = std::move(run);
  job->refuse = std::move(refuse);
  job->lane = lane;
  if (scope != nullptr) {
    job->hasScope = true;
    job->scope = aliveOf(scope);
  }
  // A weak pointer: the job holds the context, and work may keep a copy of it.
  job->context.report_ = [impl = impl_.get(), weak = std::weak_ptr<Job>(job)](double fraction,
                                                                              std::string text) {
    const auto job = weak.lock();
    if (!job) return;
    {
      const std::lock_guard lock(impl->mutex);
      job->info.fraction = std::min(fraction, 1.0);
      if (!text.empty()) job->info.text = std::move(text);
    }
    impl->notify();
  };
  std::vector<std::shared_ptr<Job>> ended;
  JobId id;
  {
    const std::lock_guard lock(impl_->mutex);
    id = JobId{impl_->nextId++};
    job->info.id = id;
    job->info.queuedNs = std::max<int64_t>(impl_->nowNs(), 1);
    for (const auto& older : impl_->jobs) {
      if (job->info.tag.empty() || older->info.tag != job->info.tag) continue;
      // A reply already on its way is stale as well.
      older->superseded = true;
      if (older->info.endNs == 0) impl_->cancelLocked(older, ended);
    }
    impl_->jobs.push_back(job);
    impl_->laneOf(*job).waiting.push_back(job);
    if (!impl_->laneOf(*job).hasWorkers && !impl_->stopping)
      impl_->start(impl_->laneOf(*job), kPromptWorkers);
  }
  impl_->laneOf(*job).wake.notify_one();
  impl_->finishCancelled(ended);
  return id;
}

std::vector<JobInfo> JobQueue::jobs() const {
  const std::lock_guard lock(impl_->mutex);
  std::vector<JobInfo> all;
  for (const auto& job : impl_->jobs) {
    all.push_back(job->info);
    if (job->info.endNs != 0 && !job->answered) all.back().state = JobState::Running;
  }
  return all;
}

void JobQueue::cancel(JobId id) {
  std::vector<std::shared_ptr<Job>> ended;
  {
    const std::lock_guard lock(impl_->mutex);
    const auto found = std::ranges::find_if(impl_->jobs, [&](const auto& job) { return job->info.id == id; });
    if (found == impl_->jobs.end() || (*found)->info.endNs != 0) return;
    impl_->cancelLocked(*found, ended);
  }
  impl_->finishCancelled(ended);
}

void JobQueue::cancelTag(std::string_view tag) {
  std::vector<std::shared_ptr<Job>> ended;
  {
    const std::lock_guard lock(impl_->mutex);
    for (const auto& job : impl_->jobs) {
      if (job->info.tag == tag && job->info.endNs == 0) impl_->cancelLocked(job, ended);
    }
  }
  impl_->finishCancelled(ended);
}

void JobQueue::waitIdle() {
  std::unique_lock lock(impl_->mutex);
  impl_->idle.wait(lock, [&] {
    return impl_->running == 0 &&
           std::ranges::all_of(impl_->lanes, [](const auto& lane) { return lane.waiting.empty(); });
  });
}

}  // namespace hilo
