#include "core/runtime/worker/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "core/runtime/program/program_file.h"
#include "core/runtime/worker/worker_memory.h"

namespace hilo {
namespace {

constexpr int kLineInWorker = 3;
constexpr std::chrono::milliseconds kLook{20};
// How much later than its own watchdog a worker is given up.
constexpr int64_t kGraceNs = 2'000'000'000;

void copyResults(Literal& output, const DeviceMemory& device) {
  const std::vector<Literal*> leaves = mutableArrayLeaves(output);
  for (size_t i = 0; i < leaves.size(); ++i) {
    const auto bytes = leaves[i]->mutableBytes();
    if (!bytes.empty()) std::memcpy(bytes.data(), device.results[i], bytes.size());
  }
}

}  // namespace

struct WorkerProcess::Process {
  Process(pid_t id, FileDescriptor fd) : pid(id), line(std::move(fd)) {}
  ~Process() {
    if (pid <= 0) return;
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }

  pid_t pid;
  MessageSocket line;
  // What is laid out in memory for the next run.
  std::optional<SharedMemory> memory;
  DeviceGrid grid;
  std::vector<std::vector<Literal>> arguments;  // kept, so that their bytes are nobody else's
  std::vector<DeviceMemory> devices;
};

WorkerProcess::WorkerProcess(std::shared_ptr<const Program> program, WorkerOptions options,
                             std::vector<InfeedValues> infeeds, DeviceChoice device)
    : program_(std::move(program)),
      options_(std::move(options)),
      infeeds_(std::move(infeeds)),
      device_(std::move(device)) {}
WorkerProcess::~WorkerProcess() = default;

Status WorkerProcess::start(const CancelToken& cancel) {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return fail("no-worker", fmt::format("no line to a worker: {}", std::strerror(errno)));
  FileDescriptor ours(ends[0]), theirs(ends[1]);
  std::vector<std::string> words = options_.command;
  words.push_back(fmt::format("{}", kLineInWorker));
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, theirs.get(), kLineInWorker);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, words[0].c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return fail("no-worker", fmt::format("cannot start {}: {}", words[0], std::strerror(error)));
  process_ = std::make_unique<Process>(pid, std::move(ours));
  theirs = FileDescriptor();
  return load(cancel);
}

// Constants that lie in a file are not touched here: whoever shortens it ends the worker alone.
Status WorkerProcess::load(const CancelToken& cancel) {
  WorkerProgram message{.head = serializeHead(*program_),
                        .device = device_.kind,
                        .deviceNumber = device_.number,
                        .isChecked = device_.isChecked,
                        .hasOrderSeed = device_.orderSeed.has_value(),
                        .orderSeed = device_.orderSeed.value_or(0),
                        .graphThunks = device_.graphThunks};
  if (const auto constants = constantsInFile(*program_)) {
    message.constantsAt = constants->constantsAt;
    TRY_STATUS(ask(WorkerMessage::Load, toBytes(message), constants->file->fd(), cancel));
    return {};
  }
  TRY(const SharedMemory memory, SharedMemory::make(static_cast<int64_t>(constantsEnd(*program_, 0))));
  writeConstants(*program_, memory.bytes(), 0);
  TRY_STATUS(ask(WorkerMessage::Load, toBytes(message), memory.fd(), cancel));
  return {};
}

Status WorkerProcess::prepare(DeviceGrid grid, std::span<const std::vector<Literal>> arguments,
                              const CancelToken& cancel) {
  Process& process = *process_;
  if (process.memory && process.grid.replicas == grid.replicas &&
      process.grid.partitions == grid.partitions &&
      std::ranges::equal(process.arguments, arguments,
                         [](const auto& a, const auto& b) { return shareBytes(a, b); }))
    return {};
  const bool shares = arguments.size() == 1;
  TRY(const SharedMemoryPlan plan, planMemory(*program_, grid, shares));
  TRY(SharedMemory memory, SharedMemory::make(plan.sizeBytes));
  const auto devices = memoryOf(plan, memory.bytes());
  for (size_t list = 0; list < arguments.size(); ++list) {
    const auto leaves = arrayLeaves(arguments[list]);
    for (size_t i = 0; i < leaves.size(); ++i) {
      const auto from = leaves[i]->bytes();
      if (!from.empty())
        std::memcpy(const_cast<std::byte*>(devices[list].arguments[i]), from.data(), from.size());
    }
    std::ranges::copy(argumentSizes(*program_, arguments[list]),
                      const_cast<int32_t*>(devices[list].argumentSizes));
  }
  WorkerGrid message{.replicas = grid.replicas,
                     .partitions = grid.partitions,
                     .sharesArguments = shares,
                     .memoryLimitBytes = options_.memoryLimitBytes,
                     .infeeds = infeeds_};
  TRY_STATUS(ask(WorkerMessage::Prepare, toBytes(message), memory.fd(), cancel));
  process.memory.emplace(std::move(memory));
  process.grid = grid;
  process.arguments.assign(arguments.begin(), arguments.end());
  process.devices = devices;
  return {};
}

Result<std::vector<Literal>> WorkerProcess::run(DeviceGrid grid,
                                                std::span<const std::vector<Literal>> arguments,
                                                const CancelToken& cancel, RunMode mode) {
  TRY_STATUS(checkArguments(*program_, grid, arguments));
  if (process_ == nullptr) TRY_STATUS(start(cancel));
  TRY_STATUS(prepare(grid, arguments, cancel));
  const WorkerRun request{
      .traces = mode.traces, .sequential = mode.sequential, .timeLimitNs = options_.timeLimitNs};
  TRY(const Message reply, ask(WorkerMessage::Run, toBytes(request), -1, cancel,
                               options_.timeLimitNs > 0 ? options_.timeLimitNs + kGraceNs : 0));
  TRY(last_, fromBytes<WorkerDone>(reply.bytes));
  auto outfeeds = std::exchange(last_.outfeeds, {});
  if (outfeeds.size() != process_->devices.size())
    return fail("bad-message", "what outfeeds gave is not of these devices");
  TRY(std::vector<Literal> outputs, spareResults_->literals(program_->result, process_->devices.size()));
  for (size_t device = 0; device < outputs.size(); ++device) {
    copyResults(outputs[device], process_->devices[device]);
    setResultSizes(*program_, process_->devices[device], outputs[device]);
    if (!program_->givesOutfeed) continue;
    outputs[device] = withOutfeed(std::move(outputs[device]), std::move(outfeeds[device]));
  }
  return outputs;
}

// Sends a request and waits for what it is answered by. A worker that does not go on is given up.
Result<Message> WorkerProcess::ask(WorkerMessage kind, std::span<const std::byte> bytes, int file,
                                   const CancelToken& cancel, int64_t limitNs) {
  MessageSocket& line = process_->line;
  const auto begin = std::chrono::steady_clock::now();
  if (!line.send(static_cast<uint64_t>(kind), bytes, file)) return std::unexpected(whyGone());
  while (true) {
    auto reply = line.receive(kLook);
    if (!reply) return std::unexpected(whyGone());
    if (*reply) {
      Message message = std::move(**reply);
      if (static_cast<WorkerMessage>(message.kind) != WorkerMessage::Failed) return message;
      TRY(WorkerFailure failure, fromBytes<WorkerFailure>(message.bytes));
      if (failure.ends) process_.reset();
      return std::unexpected(std::move(failure.why));
    }
    if (cancel.cancelled()) {
      process_.reset();
      return fail("cancelled", "the run was cancelled");
    }
    const auto taken = std::chrono::steady_clock::now() - begin;
    if (limitNs > 0 && taken > std::chrono::nanoseconds(limitNs)) {
      process_.reset();
      return fail("time-limit", "the worker took longer than allowed and no longer said what it was at");
    }
  }
}

Diagnostic WorkerProcess::whyGone() {
  int status = 0;
  const pid_t pid = std::exchange(process_->pid, -1);
  waitpid(pid, &status, 0);
  process_.reset();
  Diagnostic why{.kind = "worker-crashed", .message = {}, .place = {}, .notes = {}};
  if (!WIFSIGNALED(status)) {
    why.message = fmt::format("the worker ended by itself, with exit status {}", WEXITSTATUS(status));
    return why;
  }
  why.message = fmt::format("the worker was ended by a signal: {}", strsignal(WTERMSIG(status)));
  if (WTERMSIG(status) == SIGKILL) why.notes.push_back("as the system does to programs when memory runs out");
  return why;
}

}  // namespace hilo
