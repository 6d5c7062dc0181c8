#include "core/workspace/engines.h"

#include "core/hlo/eval/evaluate.h"

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

 private:
  std::shared_ptr<const Module> module_;
};

Engine referenceEngine() {
  return {.name = "reference",
          .description = "the evaluator: plain, slow, every opcode and element type, one device",
          .canRun = [](const Module& module) { return checkRunnable(module); },
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
    return made;
  }();
  return table;
}

}  // namespace hilo
