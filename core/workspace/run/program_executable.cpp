#include "core/workspace/run/program_executable.h"

#include "core/runtime/executor/executor.h"
#include "core/runtime/worker/worker_process.h"
#include "core/workspace/run/call_handlers.h"
#include "core/workspace/run/device_engines.h"

namespace hilo {
namespace {

// One device is a grid of one.
class CompiledExecutable : public Executable {
 public:
  Result<Literal> run(std::span<const Literal> arguments, const CancelToken& cancel) override {
    const std::vector<Literal> list(arguments.begin(), arguments.end());
    TRY(std::vector<Literal> outputs, runOnDevices({}, {&list, 1}, cancel));
    return std::move(outputs[0]);
  }
  void setMode(RunMode mode) override { mode_ = mode; }

 protected:
  RunMode mode_;
};

// Runs here: for whoever has no window to lose.
class ProgramExecutable : public CompiledExecutable {
 public:
  ProgramExecutable(std::unique_ptr<ProgramRunner> executor, std::vector<InfeedValues> infeeds)
      : executor_(std::move(executor)), infeeds_(std::move(infeeds)) {}
  Result<std::vector<Literal>> runOnDevices(DeviceGrid grid, std::span<const std::vector<Literal>> arguments,
                                            const CancelToken& cancel) override {
    ThunkTrace trace;
    RunMeasure measure;
    auto outputs = executor_->runOnDevices(grid, arguments,
                                           {.cancel = cancel,
                                            .sequential = mode_.sequential,
                                            .trace = mode_.traces ? &trace : nullptr,
                                            .infeeds = infeeds_,
                                            .findings = &measure.findings,
                                            .mostHeldBytes = &measure.mostHeldBytes});
    if (!outputs) return std::unexpected(withFindings(std::move(outputs).error(), measure.findings));
    measure.executionNs = trace.nowNs();
    measure_ = std::move(measure);
    if (mode_.traces) {
      measure_.events = trace.events();
      measure_.droppedEvents = trace.dropped();
    }
    return outputs;
  }
  RunMeasure lastMeasure() const override { return measure_; }
  const Program* program() const override { return &executor_->program(); }

 private:
  std::unique_ptr<ProgramRunner> executor_;
  const std::vector<InfeedValues> infeeds_;
  RunMeasure measure_;
};

class WorkerExecutable : public CompiledExecutable {
 public:
  WorkerExecutable(std::shared_ptr<const Program> program, const WorkerOptions& options,
                   std::vector<InfeedValues> infeeds, const DeviceChoice& device)
      : worker_(std::move(program), options, std::move(infeeds), device) {}
  Result<std::vector<Literal>> runOnDevices(DeviceGrid grid, std::span<const std::vector<Literal>> arguments,
                                            const CancelToken& cancel) override {
    return worker_.run(grid, arguments, cancel, mode_);
  }
  RunMeasure lastMeasure() const override {
    const WorkerDone& last = worker_.lastRun();
    return {last.executionNs, last.events, last.droppedEvents, last.findings, last.mostHeldBytes};
  }
  bool runsApart() const override { return true; }
  const Program* program() const override { return &worker_.program(); }

 private:
  WorkerProcess worker_;
};

}  // namespace

Result<std::unique_ptr<Executable>> programExecutable(std::shared_ptr<const Program> program,
                                                      const std::optional<WorkerOptions>& worker,
                                                      std::vector<InfeedValues> infeeds,
                                                      const DeviceChoice& device) {
  if (worker)
    return std::make_unique<WorkerExecutable>(std::move(program), *worker, std::move(infeeds), device);
  TRY(auto executor, makeRunner(std::move(program), device, openDeviceHere, findCallHandler));
  TRY_STATUS(executor->checkConstants());
  return std::make_unique<ProgramExecutable>(std::move(executor), std::move(infeeds));
}

}  // namespace hilo
