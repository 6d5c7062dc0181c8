#include "core/workspace/engines.h"

#include "core/hlo/eval/devices.h"
#include "core/workspace/cpu_engine.h"

namespace hilo {
namespace {

class ReferenceExecutable : public Executable {
 public:
  explicit ReferenceExecutable(std::shared_ptr<const Module> module) : module_(std::move(module)) {}
  Result<Literal> run(std::span<const Literal> arguments, const CancelToken& cancel) override {
    EvalOptions options;
    options.cancel = cancel;
    return evaluate(*module_, arguments, options);
  }
  Result<std::vector<Literal>> runOnDevices(DeviceGrid grid, std::span<const std::vector<Literal>> arguments,
                                            const CancelToken& cancel) override {
    EvalOptions options;
    options.cancel = cancel;
    return evaluateOnDevices(*module_, grid, arguments, options);
  }

 private:
  std::shared_ptr<const Module> module_;
};

Engine referenceEngine() {
  return {
      .name = "reference",
      .description = "the evaluator: plain, slow, every opcode and element type, any number of devices",
      .canRun = [](const Module& module) { return checkRunnable(module); },
      .canRunOnDevices = [](const Module& module, DeviceGrid grid) { return checkRunnable(module, grid); },
      .runPrograms =
          [](DeviceGrid grid, std::span<const DeviceProgram> programs, const CancelToken& cancel) {
            EvalOptions options;
            options.cancel = cancel;
            return evaluateOnDevices(grid, programs, options);
          },
      .compile = [](std::shared_ptr<const Module> module,
                    const CancelToken&) -> Result<std::unique_ptr<Executable>> {
        return std::make_unique<ReferenceExecutable>(std::move(module));
      }};
}

}  // namespace

EngineTable& engineTable() {
  static EngineTable& table = *[] {
    auto* made = new EngineTable();
    CHECK(made->add(referenceEngine()).has_value());
    CHECK(made->add(cpuEngine()).has_value());
    return made;
  }();
  return table;
}

}  // namespace hilo
