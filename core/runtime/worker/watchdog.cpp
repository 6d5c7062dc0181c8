#include "core/runtime/worker/watchdog.h"

#include <fmt/format.h>
#include <semaphore.h>
#include <unistd.h>

#include <csignal>
#include <ctime>

#include "core/base/check.h"
#include "core/runtime/worker/worker_messages.h"

namespace hilo {
namespace {

// What the handler of a signal leaves for the watchdog. The handler itself may do next to nothing.
struct Crash {
  sem_t seen;
  std::atomic<int> signal = 0;
  const void* address = nullptr;
  const Thunk* thunk = nullptr;
};
Crash& crash() {
  static Crash& one = *new Crash();
  return one;
}

void handleCrash(int signal, siginfo_t* info, void*) {
  Crash& it = crash();
  int none = 0;
  if (it.signal.compare_exchange_strong(none, signal)) {
    it.address = info->si_addr;
    it.thunk = RunWatch::innermost();
    sem_post(&it.seen);
  }
  // The watchdog ends the process, unless it is what crashed, or waits for a lock that this thread holds.
  constexpr timespec kLongEnough{3, 0};
  nanosleep(&kLongEnough, nullptr);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

int64_t nowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Diagnostic crashDiagnostic() {
  const Crash& it = crash();
  std::string what = fmt::format(
      "the worker was ended by {} ({})",
      sigabbrev_np(it.signal) == nullptr ? "a signal" : fmt::format("SIG{}", sigabbrev_np(it.signal)),
      strsignal(it.signal));
  if (it.signal == SIGSEGV || it.signal == SIGBUS) what += fmt::format(" at address {}", it.address);
  if (it.thunk != nullptr)
    what += fmt::format(" in {} ({})", it.thunk->name, thunkKindName(it.thunk->kind()));
  return {.kind = "worker-crashed", .message = what, .place = {}, .notes = {}};
}

}  // namespace

Watchdog::Watchdog(MessageSocket& line, const RunWatch& watch) : line_(line), watch_(watch) {
  CHECK(sem_init(&crash().seen, 0, 0) == 0);
  struct sigaction action = {};
  action.sa_sigaction = handleCrash;
  action.sa_flags = SA_SIGINFO;
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) sigaction(signal, &action, nullptr);
  std::thread([this] { this->watch(); }).detach();
}

Watchdog::Watched::Watched(Watchdog& watchdog, int64_t timeLimitNs) : watchdog_(watchdog) {
  watchdog_.limitNs_ = timeLimitNs;
  watchdog_.deadlineNs_ = timeLimitNs > 0 ? nowNs() + timeLimitNs : 0;
}
Watchdog::Watched::~Watched() { watchdog_.deadlineNs_ = 0; }

void Watchdog::watch() {
  constexpr int64_t kLookNs = 20'000'000;
  while (true) {
    timespec until{};
    clock_gettime(CLOCK_REALTIME, &until);
    const int64_t ns = until.tv_nsec + kLookNs;
    until.tv_sec += ns / 1'000'000'000;
    until.tv_nsec = ns % 1'000'000'000;
    if (sem_timedwait(&crash().seen, &until) == 0) end(crashDiagnostic());
    if (line_.isClosed()) _exit(0);
    const int64_t deadline = deadlineNs_;
    if (deadline == 0 || nowNs() < deadline) continue;
    end({.kind = "time-limit",
         .message = fmt::format("the run was ended after {:.3g} s, its time limit",
                                static_cast<double>(limitNs_) * 1e-9),
         .place = {},
         .notes = {}});
  }
}

void Watchdog::end(Diagnostic why) {
  why.notes = watch_.describe();
  (void)line_.send(static_cast<uint64_t>(WorkerMessage::Failed),
                   toBytes(WorkerFailure{.why = std::move(why), .ends = true}));
  _exit(1);
}

}  // namespace hilo
