#include "core/runtime/apart/remote_executable.h"

#include <fmt/format.h>

#include <cstring>
#include <thread>

#include "core/runtime/apart/device_outputs.h"
#include "core/runtime/apart/idle_lines.h"

namespace hilo {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostTries = 4;
constexpr std::chrono::milliseconds kLook{20};
// How much later than its own limit the other end is given up.
constexpr int64_t kGraceNs = 5'000'000'000;

// Waits before another try, longer each time. Kind "cancelled".
Status waitBefore(int tries, const CancelToken& cancel) {
  const auto until = Clock::now() + std::chrono::milliseconds(50) * (1 << tries);
  while (Clock::now() < until) {
    if (cancel.cancelled()) return fail("cancelled", "the run was cancelled");
    std::this_thread::sleep_for(kLook);
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<RemoteExecutable>> RemoteExecutable::compile(RemoteEngine engine,
                                                                    EngineCompile request,
                                                                    const TellSlow& tellSlow,
                                                                    const CancelToken& cancel) {
  std::unique_ptr<RemoteExecutable> made(new RemoteExecutable(std::move(engine), std::move(request)));
  made->tellSlow_ = tellSlow;
  const Status compiled = made->onLine(cancel, [] { return Status(); });
  // The job that hears of it ends with compiling.
  made->tellSlow_ = nullptr;
  TRY_STATUS(compiled);
  return made;
}

template <typename Work>
auto RemoteExecutable::onLine(const CancelToken& cancel, Work&& work) -> decltype(work()) {
  for (int tries = 1;; ++tries) {
    Status ready;
    if (process_ == nullptr) ready = connect(cancel);
    decltype(work()) done = ready ? work() : std::unexpected(ready.error());
    if (done) return done;
    if (done.error().kind != "line-lost") {
      // What was going on there goes on no longer.
      constexpr std::string_view kOutOfStep[] = {"cancelled", "time-limit", "bad-message", "remote-version"};
      if (std::ranges::find(kOutOfStep, done.error().kind) != std::end(kOutOfStep)) process_.reset();
      return done;
    }
    Diagnostic why = whyLost(std::move(done).error());
    if (why.kind != "line-lost" || tries == kMostTries) return std::unexpected(std::move(why));
    ++repairs_;
    TRY_STATUS(waitBefore(tries, cancel));
  }
}

RemoteExecutable::~RemoteExecutable() {
  if (process_ != nullptr) keepIdleLine(engine_.command, std::move(process_));
}

// Starts the other end, and hears who it is.
Status RemoteExecutable::meet(const CancelToken& cancel) {
  TRY(process_, LineProcess::start(engine_.command));
  // From a worker of this machine too the first word comes late where libraries are large.
  if (engine_.isElsewhere && tellSlow_) tellSlow_(fmt::format("connecting to {}", engine_.name));
  TRY_STATUS(process_->line().greet());
  TRY(const LineMessage greeting, await(EngineMessage::Hello, cancel));
  TRY(const EngineHello hello, fromBytes<EngineHello>(greeting.bytes));
  if (hello.protocol != kEngineProtocol)
    return fail("remote-version",
                fmt::format("hilo {} on {} speaks protocol {}, hilo {} here {}", hello.version, engine_.name,
                            hello.protocol, engine_.version, kEngineProtocol),
                {}, {"the same version on both machines is sure to work"});
  return send(EngineMessage::Hello, EngineHello{.version = engine_.version}, cancel);
}

Status RemoteExecutable::connect(const CancelToken& cancel) {
  sent_.clear();
  process_ = takeIdleLine(engine_.command);
  if (process_ == nullptr) TRY_STATUS(meet(cancel));
  TRY_STATUS(send(EngineMessage::Compile, request_, cancel));
  TRY(const LineMessage answer, await(EngineMessage::Compiled, cancel));
  TRY(EngineCompiled compiled, fromBytes<EngineCompiled>(answer.bytes));
  notes = std::move(compiled.notes);
  return {};
}

template <typename T>
Status RemoteExecutable::send(EngineMessage kind, const T& message, const CancelToken& cancel) {
  return process_->line().send(static_cast<uint64_t>(kind), toBytes(message), cancel);
}

Result<LineMessage> RemoteExecutable::await(EngineMessage expected, const CancelToken& cancel,
                                            int64_t limitNs) {
  ByteLine& line = process_->line();
  const auto begin = Clock::now();
  while (true) {
    if (cancel.cancelled()) return fail("cancelled", "the run was cancelled");
    TRY(auto message, line.receive(kLook));
    if (!message) {
      if (line.silence() > ByteLine::kLongestSilence)
        return fail("line-lost", "nothing came for a long time");
      if (limitNs > 0 && Clock::now() - begin > std::chrono::nanoseconds(limitNs))
        return fail("time-limit", fmt::format("{} took longer than allowed", engine_.name));
      continue;
    }
    const auto kind = static_cast<EngineMessage>(message->kind);
    if (kind == expected) return *std::move(message);
    if (kind == EngineMessage::Alive) continue;
    if (kind == EngineMessage::Progress) {
      TRY(const EngineProgress progress, fromBytes<EngineProgress>(message->bytes));
      if (tellSlow_) tellSlow_(progress.text);
      continue;
    }
    if (kind != EngineMessage::Failed) return fail("bad-message", "an answer came that nobody asked for");
    TRY(EngineFailure failure, fromBytes<EngineFailure>(message->bytes));
    // That the other end lost a line of its own is not that this one is lost.
    if (failure.why.kind == "line-lost") failure.why.kind = "engine-lost";
    return std::unexpected(std::move(failure.why));
  }
}

Status RemoteExecutable::sendArguments(std::span<const std::vector<Literal>> arguments,
                                       const CancelToken& cancel) {
  const bool areThere =
      !sent_.empty() &&
      std::ranges::equal(sent_, arguments, [](const auto& a, const auto& b) { return shareBytes(a, b); });
  if (areThere) return {};
  const EngineArguments message{.lists = {arguments.begin(), arguments.end()}};
  TRY_STATUS(send(EngineMessage::Arguments, message, cancel));
  sent_.assign(arguments.begin(), arguments.end());
  return {};
}

Result<std::vector<Literal>> RemoteExecutable::runOnDevices(DeviceGrid grid,
                                                            std::span<const std::vector<Literal>> arguments,
                                                            const CancelToken& cancel) {
  const int64_t limitNs = request_.timeLimitNs > 0 ? request_.timeLimitNs + kGraceNs : 0;
  return onLine(cancel, [&]() -> Result<std::vector<Literal>> {
    TRY_STATUS(sendArguments(arguments, cancel));
    const EngineRun run{
        .replicas = grid.replicas, .partitions = grid.partitions, .sequential = mode_.sequential};
    TRY_STATUS(send(EngineMessage::Run, run, cancel));
    TRY(const LineMessage answer, await(EngineMessage::Done, cancel, limitNs));
    TRY(EngineDone done, fromBytes<EngineDone>(answer.bytes));
    measure_ = {.executionNs = done.executionNs,
                .findings = std::move(done.findings),
                .mostHeldBytes = done.mostHeldBytes};
    return done.outputs.byDevice(grid.count());
  });
}

Result<Literal> RemoteExecutable::run(std::span<const Literal> arguments, const CancelToken& cancel) {
  const std::vector<Literal> list(arguments.begin(), arguments.end());
  TRY(std::vector<Literal> outputs, runOnDevices({}, {&list, 1}, cancel));
  return std::move(outputs[0]);
}

Result<std::string> RemoteExecutable::optimizedModule() {
  const CancelToken never;
  return onLine(never, [&]() -> Result<std::string> {
    TRY_STATUS(process_->line().send(static_cast<uint64_t>(EngineMessage::Optimized), {}, never));
    TRY(const LineMessage answer, await(EngineMessage::Module, never));
    TRY(const EngineModule module, fromBytes<EngineModule>(answer.bytes));
    return std::string(reinterpret_cast<const char*>(module.bytes.data()), module.bytes.size());
  });
}

Diagnostic RemoteExecutable::whyLost(Diagnostic error) {
  if (process_ == nullptr) return error;
  LineProcess::End end = process_->end();
  process_.reset();
  if (!engine_.isElsewhere) {
    error.kind = "engine-crashed";
    error.message = fmt::format("the process with {} was {}", engine_.name, end.how);
  } else {
    error.message = fmt::format("the line to {} broke: {}", engine_.name, error.message);
    error.notes.push_back(fmt::format("{}: {}", engine_.command[0], end.how));
  }
  for (std::string& line : end.lastLines) error.notes.push_back(std::move(line));
  return error;
}

}  // namespace hilo
