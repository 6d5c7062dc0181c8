#include "core/runtime/apart/serve_engines.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

namespace hilo {
namespace {

class EngineServer {
 public:
  EngineServer(FileDescriptor in, FileDescriptor out, const EnginesHere& engines)
      : line_(std::move(in), std::move(out)), engines_(engines) {}

  int serve() {
    if (!line_.greet() || !send(EngineMessage::Hello, EngineHello{.version = engines_.version})) return 1;
    std::thread([this] { sayAlive(); }).detach();
    while (true) {
      auto message = line_.receive(std::chrono::hours(1));
      if (!message) return message.error().kind == "line-lost" ? 0 : 1;
      if (!*message) continue;
      Status done;
      try {
        done = handle(**message);
      } catch (const std::bad_alloc&) {
        done = fail("out-of-memory", "the machine has no more memory");
      }
      if (!done && !send(EngineMessage::Failed, EngineFailure{done.error()})) return 0;
    }
  }

 private:
  template <typename T>
  Status send(EngineMessage kind, const T& message) {
    return line_.send(static_cast<uint64_t>(kind), toBytes(message));
  }

  // Whoever waits hears that this process is there; when they are gone it ends.
  void sayAlive() {
    while (true) {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      if (line_.isClosed() || !line_.send(static_cast<uint64_t>(EngineMessage::Alive), {})) _exit(0);
    }
  }

  Status handle(const LineMessage& message) {
    switch (static_cast<EngineMessage>(message.kind)) {
      case EngineMessage::Hello:
        return greet(message);
      case EngineMessage::Compile:
        return compile(message);
      case EngineMessage::Arguments:
        return takeArguments(message);
      case EngineMessage::Run:
        return run(message);
      case EngineMessage::Optimized:
        return optimized();
      case EngineMessage::Alive:
        return {};
      default:
        return fail("bad-message", fmt::format("there is no message {}", message.kind));
    }
  }

  Status greet(const LineMessage& message) {
    TRY(const EngineHello hello, fromBytes<EngineHello>(message.bytes));
    if (hello.protocol == kEngineProtocol) return {};
    return fail("remote-version",
                fmt::format("hilo {} there speaks protocol {}, hilo {} here {}", engines_.version,
                            kEngineProtocol, hello.version, hello.protocol));
  }

  Status compile(const LineMessage& message) {
    TRY(const EngineCompile request, fromBytes<EngineCompile>(message.bytes));
    executable_.reset();
    TRY(executable_, engines_.compile(request, [this](const std::string& text) {
      (void)send(EngineMessage::Progress, EngineProgress{text});
    }));
    return send(EngineMessage::Compiled, EngineCompiled{executable_->notes});
  }

  Status takeArguments(const LineMessage& message) {
    TRY(EngineArguments sent, fromBytes<EngineArguments>(message.bytes));
    arguments_ = std::move(sent.lists);
    return {};
  }

  Status run(const LineMessage& message) {
    TRY(const EngineRun request, fromBytes<EngineRun>(message.bytes));
    const DeviceGrid grid{.replicas = request.replicas, .partitions = request.partitions};
    if (executable_ == nullptr || arguments_.empty() || grid.replicas < 1 || grid.partitions < 1)
      return fail("bad-message", "there is nothing to run");
    executable_->setMode({.sequential = request.sequential});
    EngineDone done;
    std::vector<Literal> outputs;
    if (grid.count() == 1) {
      TRY(Literal output, executable_->run(arguments_[0], CancelToken()));
      outputs.push_back(std::move(output));
    } else {
      TRY(outputs, executable_->runOnDevices(grid, arguments_, CancelToken()));
    }
    done.outputs = DeviceOutputs::of(outputs);
    const RunMeasure measure = executable_->lastMeasure();
    done.executionNs = measure.executionNs;
    done.findings = measure.findings;
    done.mostHeldBytes = measure.mostHeldBytes;
    return send(EngineMessage::Done, done);
  }

  Status optimized() {
    if (executable_ == nullptr) return fail("bad-message", "nothing was compiled");
    TRY(const std::string module, executable_->optimizedModule());
    const auto bytes = std::as_bytes(std::span(module));
    return send(EngineMessage::Module, EngineModule{{bytes.begin(), bytes.end()}});
  }

  ByteLine line_;
  const EnginesHere& engines_;
  std::unique_ptr<Executable> executable_;
  std::vector<std::vector<Literal>> arguments_;
};

}  // namespace

int serveEngines(FileDescriptor in, FileDescriptor out, const EnginesHere& engines) {
  std::signal(SIGPIPE, SIG_IGN);
  // Never destroyed: its thread uses it until the process ends.
  const int status = (new EngineServer(std::move(in), std::move(out), engines))->serve();
  _exit(status);
}

}  // namespace hilo
