#include "core/runtime/worker/serve.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "core/runtime/program/program_file.h"
#include "core/runtime/worker/watchdog.h"
#include "core/runtime/worker/worker_memory.h"
#include "core/runtime/worker/worker_messages.h"

namespace hilo {
namespace {

// Lets the process take `limitBytes` more private memory than it has now, and what the stacks of its
// threads may take.
void limitMemory(int64_t limitBytes, int64_t threads) {
  constexpr int64_t kStackBytes = int64_t{9} << 20;
  int64_t pages[6] = {};
  std::ifstream statm("/proc/self/statm");
  for (int64_t& value : pages) statm >> value;
  const int64_t now = pages[5] * sysconf(_SC_PAGESIZE);
  const auto most = static_cast<rlim_t>(now + limitBytes + threads * kStackBytes);
  const rlimit limit{most, most};
  // Where the system refuses, the executor's own count of its buffers still holds.
  (void)setrlimit(RLIMIT_DATA, &limit);
}

class Worker {
 public:
  Worker(FileDescriptor line, FindCustomCall findCustomCall, OpenDevice openDevice)
      : line_(std::move(line)),
        findCustomCall_(std::move(findCustomCall)),
        openDevice_(std::move(openDevice)),
        watchdog_(line_, watch_) {}

  int serve() {
    while (true) {
      auto message = line_.receive(std::chrono::milliseconds(-1));
      if (!message) return message.error().kind == "worker-gone" ? 0 : 1;
      if (!*message) continue;
      Status done;
      try {
        done = handle(**message);
      } catch (const std::bad_alloc&) {
        done = fail("out-of-memory", "the worker has no more memory");
      }
      if (done) continue;
      // A device is good for nothing after work on it failed; with the process all it held is given back.
      const bool ends = runsOnDevice_ && static_cast<WorkerMessage>((*message)->kind) == WorkerMessage::Run;
      const Status sent = line_.send(static_cast<uint64_t>(WorkerMessage::Failed),
                                     toBytes(WorkerFailure{.why = done.error(), .ends = ends}));
      if (!sent || ends) _exit(0);
    }
  }

 private:
  Status handle(Message& message) {
    switch (static_cast<WorkerMessage>(message.kind)) {
      case WorkerMessage::Load:
        return load(message);
      case WorkerMessage::Prepare: {
        TRY(const WorkerGrid grid, fromBytes<WorkerGrid>(message.bytes));
        return prepare(grid, std::move(message.file));
      }
      case WorkerMessage::Run: {
        TRY(const WorkerRun request, fromBytes<WorkerRun>(message.bytes));
        return run(request);
      }
      default:
        return fail("bad-message", fmt::format("a worker knows no message {}", message.kind));
    }
  }
  Status ready() { return line_.send(static_cast<uint64_t>(WorkerMessage::Ready), {}); }

  Status load(Message& message) {
    TRY(const WorkerProgram sent, fromBytes<WorkerProgram>(message.bytes));
    TRY(auto constants, MappedFile::open(std::move(message.file), "the constants"));
    TRY(Program program, deserialize(sent.head, std::move(constants), sent.constantsAt));
    const DeviceChoice device{.kind = sent.device,
                              .number = sent.deviceNumber,
                              .isChecked = sent.isChecked,
                              .orderSeed = sent.hasOrderSeed ? std::optional(sent.orderSeed) : std::nullopt,
                              .graphThunks = sent.graphThunks};
    runsOnDevice_ = !device.kind.empty();
    TRY(executor_, makeRunner(std::make_shared<const Program>(std::move(program)), device, openDevice_,
                              findCustomCall_));
    TRY_STATUS(executor_->checkConstants());
    return ready();
  }

  Status prepare(const WorkerGrid& grid, FileDescriptor file) {
    if (executor_ == nullptr) return fail("bad-message", "there is no program");
    grid_ = {.replicas = grid.replicas, .partitions = grid.partitions};
    limitBytes_ = grid.memoryLimitBytes;
    TRY(const SharedMemoryPlan plan, planMemory(executor_->program(), grid_, grid.sharesArguments));
    memory_.reset();
    TRY(SharedMemory opened, SharedMemory::open(std::move(file)));
    if (static_cast<int64_t>(opened.bytes().size()) < plan.sizeBytes)
      return fail("bad-message", "the memory is smaller than the arrays");
    memory_.emplace(std::move(opened));
    devices_ = memoryOf(plan, memory_->bytes());
    infeeds_ = grid.infeeds;
    if (limitBytes_ > 0) limitMemory(limitBytes_, grid_.count() + std::thread::hardware_concurrency());
    return ready();
  }

  Status run(const WorkerRun& request) {
    if (!memory_) return fail("bad-message", "there is no memory to run on");
    ThunkTrace trace;
    WorkerDone done;
    ExecuteOptions options{.sequential = request.sequential,
                           .trace = request.traces ? &trace : nullptr,
                           .watch = &watch_,
                           .infeeds = infeeds_,
                           .findings = &done.findings,
                           .mostHeldBytes = &done.mostHeldBytes};
    if (limitBytes_ > 0) options.limitBytes = limitBytes_;
    const Watchdog::Watched watched(watchdog_, request.timeLimitNs);
    const int64_t start = trace.nowNs();
    auto outfeeds = executor_->runOnMemory(grid_, devices_, options);
    if (!outfeeds) return std::unexpected(withFindings(std::move(outfeeds).error(), done.findings));
    done.outfeeds = *std::move(outfeeds);
    done.executionNs = trace.nowNs() - start;
    if (request.traces) {
      done.events = trace.events();
      done.droppedEvents = trace.dropped();
    }
    return line_.send(static_cast<uint64_t>(WorkerMessage::Done), toBytes(done));
  }

  MessageSocket line_;
  FindCustomCall findCustomCall_;
  OpenDevice openDevice_;
  RunWatch watch_;
  Watchdog watchdog_;
  bool runsOnDevice_ = false;
  std::unique_ptr<ProgramRunner> executor_;
  DeviceGrid grid_;
  int64_t limitBytes_ = 0;
  std::optional<SharedMemory> memory_;
  std::vector<DeviceMemory> devices_;
  std::vector<InfeedValues> infeeds_;
};

}  // namespace

int serveWorker(FileDescriptor line, const FindCustomCall& findCustomCall, const OpenDevice& openDevice) {
  // Never destroyed: a thread of the pool may still be inside of something.
  return (new Worker(std::move(line), findCustomCall, openDevice))->serve();
}

}  // namespace hilo
