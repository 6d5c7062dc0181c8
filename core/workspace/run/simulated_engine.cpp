#include "core/workspace/run/simulated_engine.h"

#include <fmt/format.h>

#include <mutex>

#include "core/base/check.h"
#include "core/compiler/codegen/cpu/cpu_target.h"
#include "core/compiler/codegen/gpu/gpu_codegen.h"
#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/compiler/codegen/gpu/host_stub.h"
#include "core/compiler/codegen/simulate/load_ptx.h"
#include "core/plugin_host/plugin_table.h"
#include "core/runtime/executor/executor.h"
#include "core/workspace/run/cpu_engine.h"
#include "core/workspace/run/gpu_compile.h"

namespace hilo {
namespace {

// Kernels of sm_90 have what the simulated device reads.
constexpr const char* kTarget = "sm_90";

// A kernel as the executor calls it. Devices of a run share it: one launch at a time.
class GridKernel {
 public:
  GridKernel(SimulatedModule module, std::string name) : module_(std::move(module)), name_(std::move(name)) {}

  // All iterations at once. After a launch that failed there are no others.
  void launch(void* const* buffers, int64_t begin, int64_t end) {
    CHECK(begin == 0, name_);
    const SimulatedKernel& kernel = module_.code().kernels[0];
    std::vector<std::byte> params(kernel.paramBytes);
    for (size_t i = 0; i < kernel.params.size(); ++i) {
      const bool isCount = i + 1 == kernel.params.size();
      const uint64_t value = isCount ? static_cast<uint64_t>(end) : reinterpret_cast<uintptr_t>(buffers[i]);
      std::memcpy(params.data() + kernel.params[i].offset, &value, sizeof(value));
    }
    const GridSize size = gridFor(end);
    const std::lock_guard lock(mutex_);
    if (!failure_) return;
    const auto done = module_.launch({.kernel = kernel.name,
                                      .grid = {static_cast<uint32_t>(size.blocks)},
                                      .block = {static_cast<uint32_t>(size.threads)},
                                      .params = params});
    if (done) return;
    failure_ = std::unexpected(done.error());
    failure_.error().place.instruction = name_;
  }

  Status takeFailure() {
    const std::lock_guard lock(mutex_);
    return std::exchange(failure_, Status());
  }

  static void call(const void* state, void* const* buffers, int64_t begin, int64_t end) {
    // The executor knows kernels by address, which says nothing of what they change.
    static_cast<GridKernel*>(const_cast<void*>(state))->launch(buffers, begin, end);
  }

 private:
  SimulatedModule module_;
  std::string name_;
  std::mutex mutex_;
  Status failure_;
};

using GridKernels = std::vector<std::unique_ptr<GridKernel>>;

Result<GridKernels> loadKernels(const Program& program) {
  GridKernels kernels(program.objects.size());
  for (const Kernel& kernel : program.kernels) {
    if (kernels[kernel.object] != nullptr) continue;
    TRY(SimulatedModule module, loadPtx(ptxOf(program, kernel), {.file = kernel.name}));
    kernels[kernel.object] = std::make_unique<GridKernel>(std::move(module), kernel.name);
  }
  return kernels;
}

// The same program with kernels that launch these. A grid is launched whole.
Result<Program> onHost(Program program, const GridKernels& kernels) {
  TRY(program.target, cpuTarget());
  std::vector<StubCall> calls;
  for (const auto& kernel : kernels) calls.push_back({GridKernel::call, kernel.get()});
  TRY(program.objects, stubObjects(calls, program.target));
  for (ThunkSequence& sequence : program.sequences) {
    for (Thunk& thunk : sequence) {
      if (auto* kernel = std::get_if<KernelThunk>(&thunk.body))
        kernel->grain = std::max<int64_t>(1, kernel->iterations);
    }
  }
  return program;
}

// What is neither a kernel nor moves bytes nor runs other thunks.
bool isSubstituted(const Thunk& thunk) {
  return std::holds_alternative<SortThunk>(thunk.body) || std::holds_alternative<CustomCallThunk>(thunk.body);
}

std::vector<std::string> substitutions(const Program& program) {
  std::vector<std::string> names;
  for (const ThunkSequence& sequence : program.sequences) {
    for (const Thunk& thunk : sequence) {
      if (isSubstituted(thunk)) names.push_back(thunk.name);
    }
  }
  if (names.empty()) return {};
  return {fmt::format("substituted, done by the host in place of the GPU: {}", fmt::join(names, ", "))};
}

class SimulatedExecutable : public Executable {
 public:
  SimulatedExecutable(GridKernels kernels, std::unique_ptr<Executor> executor,
                      std::vector<InfeedValues> infeeds)
      : kernels_(std::move(kernels)), executor_(std::move(executor)), infeeds_(std::move(infeeds)) {}

  Result<Literal> run(std::span<const Literal> arguments, const CancelToken& cancel) override {
    const std::vector<Literal> list(arguments.begin(), arguments.end());
    TRY(std::vector<Literal> outputs, runOnDevices({}, {&list, 1}, cancel));
    return std::move(outputs[0]);
  }
  Result<std::vector<Literal>> runOnDevices(DeviceGrid grid, std::span<const std::vector<Literal>> arguments,
                                            const CancelToken& cancel) override {
    auto outputs =
        executor_->runOnDevices(grid, arguments, {.cancel = cancel, .sequential = true, .infeeds = infeeds_});
    Status failure;
    for (const auto& kernel : kernels_) {
      if (Status own = kernel->takeFailure(); !own && failure) failure = std::move(own);
    }
    if (!failure) return std::unexpected(std::move(failure.error()));
    return outputs;
  }
  // It gives no program(): thunks cannot be timed here, and no worker keeps to the limits of a run.

 private:
  GridKernels kernels_;
  std::unique_ptr<Executor> executor_;
  const std::vector<InfeedValues> infeeds_;
};

}  // namespace

Result<std::unique_ptr<Executable>> simulatedExecutable(const Program& program,
                                                        std::vector<InfeedValues> infeeds) {
  TRY(GridKernels kernels, loadKernels(program));
  TRY(Program hosted, onHost(program, kernels));
  TRY(auto executor, Executor::make(std::make_shared<const Program>(std::move(hosted)), findCustomCall));
  auto made =
      std::make_unique<SimulatedExecutable>(std::move(kernels), std::move(executor), std::move(infeeds));
  made->notes = substitutions(program);
  return made;
}

Engine simulatedEngine() {
  return {.name = "cuda-sim",
          .description =
              "compiled for a GPU as PTX, run on a simulated one: slow, and its times say nothing of a GPU's",
          .canRun = [](const Module& module) { return whyNotRunOn(module, {}, gpuCodegen()); },
          .canRunOnDevices = [](const Module& module,
                                DeviceGrid grid) { return whyNotRunOn(module, grid, gpuCodegen()); },
          .compile = [](std::shared_ptr<const Module> module, const EngineSettings& settings,
                        const CancelToken& cancel) -> Result<std::unique_ptr<Executable>> {
            TRY(const ProgramTarget target, gpuTarget(kTarget));
            TRY(const CompiledModule compiled, compileForGpu(std::move(module), target, cancel));
            return simulatedExecutable(compiled.program, settings.infeeds);
          }};
}

}  // namespace hilo
