#include "core/workspace/run/device_engines.h"

#include <fmt/format.h>

#include "core/compiler/codegen/gpu/gpu_codegen.h"
#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/compiler/codegen/simulate/load_ptx.h"
#include "core/runtime/device/cuda/cuda_device.h"
#include "core/runtime/device/simulated/simulated_device.h"
#include "core/runtime/executor/graph_plan.h"
#include "core/workspace/run/compile_program.h"
#include "core/workspace/run/gpu_compile.h"
#include "core/workspace/run/program_executable.h"

namespace hilo {
namespace {

Result<std::unique_ptr<Device>> openCuda(const DeviceChoice& choice) {
  TRY(auto driver, Driver::load());
  return openCudaDevice(std::move(driver), static_cast<int>(choice.number));
}

// What kernels are compiled for, and how fast that is where it is known better than by the architecture.
struct CompiledFor {
  std::string target;
  std::optional<GpuRates> rates = std::nullopt;
};

// The newest that PTX can be written for and that the GPU runs: PTX for an older one runs on newer ones. On a
// GPU with products of warp groups, the one that has them.
Result<CompiledFor> cudaTarget(int64_t number) {
  TRY(const auto driver, Driver::load());
  TRY(const DeviceFacts facts, cudaDeviceFacts(*driver, static_cast<int>(number)));
  const auto architecture = static_cast<int>(10 * facts.capabilityMajor + facts.capabilityMinor);
  std::string best;
  for (const GpuTarget& target : gpuTargets()) {
    const bool isPlain = target.suffix == '\0' || target.hasWarpgroupProducts();
    if (isPlain && target.runsOn(architecture)) best = target.name();
  }
  if (!best.empty()) return CompiledFor{std::move(best), ratesOf(facts)};
  return fail("unsupported-gpu",
              fmt::format("GPU {}, {}, is sm_{}, older than any that kernels are written for", number,
                          facts.name, architecture),
              {}, {"sm_50 and newer are; --engine cuda-sim runs the same kernels with no GPU"});
}

Result<SimulatedModule> loadSimulated(std::string_view ptx, const std::string& name, bool isChecked) {
  return loadPtx(ptx, {.file = name, .isChecked = isChecked, .cacheFolder = kernelCacheFolder()});
}

Result<std::unique_ptr<Device>> openSimulated(const DeviceChoice& choice) {
  if (choice.number != 0)
    return fail("no-device", fmt::format("there is no simulated GPU {}: there is one", choice.number));
  return makeSimulatedDevice(
      {.load = loadSimulated, .isChecked = choice.isChecked, .orderSeed = choice.orderSeed});
}

struct DeviceEngine {
  const char* name;
  const char* description;
  Result<std::unique_ptr<Device>> (*open)(const DeviceChoice& choice);
  // What kernels are compiled for.
  Result<CompiledFor> (*target)(int64_t number);
  bool checks;  // accesses, orders of streams
  std::optional<EngineRates> rates;
};
// Kernels of sm_90a have what the simulated device reads.
constexpr DeviceEngine kDeviceEngines[] = {
    {"cuda", "compiled for the NVIDIA GPU of this machine and run there; cuda:1 is the second", openCuda,
     cudaTarget, false, std::nullopt},
    {"cuda-sim",
     "compiled for a GPU as PTX, run on a simulated one: slow, and its times say nothing of a GPU's",
     openSimulated, [](int64_t) -> Result<CompiledFor> { return CompiledFor{"sm_90a"}; }, true,
     EngineRates{.flopsPerSecond = 1e9, .bytesPerSecond = 1e9}},
};

// What the host does that the module does not ask of it.
bool isSubstituted(const Thunk& thunk) {
  const auto* hosted = std::get_if<HostedThunk>(&thunk.body);
  if (hosted != nullptr && hosted->isHostWork) return false;
  const OnStream how = onStream(thunk.kind());
  return how == OnStream::Host || how == OnStream::Called;
}

// Whose libraries a simulated device stands in for: the engine cpu does their work.
std::vector<std::string> substitutions(const Program& program, bool hasLibraries) {
  std::vector<std::string> names, notes;
  for (const ThunkSequence& sequence : program.sequences) {
    for (const Thunk& thunk : sequence) {
      if (isSubstituted(thunk)) names.push_back(thunk.name);
      const auto* asked = std::get_if<LibraryThunk>(&thunk.body);
      if (asked == nullptr) continue;
      const char* library = libraryOf(asked->call.index());
      notes.push_back(hasLibraries ? fmt::format("{} is done by {}", thunk.name, library)
                                   : fmt::format("substituted, done by the engine cpu in place of {}: {}",
                                                 library, thunk.name));
    }
  }
  if (!names.empty())
    notes.push_back(
        fmt::format("substituted, done by the host in place of the GPU: {}", fmt::join(names, ", ")));
  return notes;
}

constexpr const char *kGraphs = "graphs", *kLibraries = "libraries", *kNoLibraries = "no-libraries",
                     *kNoPasses = "no-passes";

bool hasFlag(const std::vector<std::string>& flags, std::string_view flag) {
  return std::ranges::find(flags, flag) != flags.end();
}

// On a GPU those that are there; a simulated one has none, and the engine cpu stands in for them where that
// is asked for.
LibraryChoice librariesOf(const std::vector<std::string>& flags, bool isSimulated) {
  if (hasFlag(flags, kNoLibraries)) return LibraryChoice::None;
  if (hasFlag(flags, kLibraries)) return LibraryChoice::All;
  return isSimulated ? LibraryChoice::None : LibraryChoice::Here;
}

uint32_t graphThunksOf(const std::vector<std::string>& flags) {
  return std::ranges::find(flags, kGraphs) != flags.end() ? GraphRules().leastThunks : 0;
}

Engine engineOf(const DeviceEngine& device) {
  const auto compile = [&device](std::shared_ptr<const Module> module, const EngineSettings& settings,
                                 const CancelToken& cancel) -> Result<std::unique_ptr<Executable>> {
    TRY(const CompiledFor gpu, device.target(settings.deviceNumber));
    TRY(const ProgramTarget target, gpuTarget(gpu.target));
    TRY(CompiledModule compiled, compileForGpu(std::move(module), target, cancel,
                                               {.rates = gpu.rates,
                                                .libraries = librariesOf(settings.flags, device.checks),
                                                .runsPasses = !hasFlag(settings.flags, kNoPasses)}));
    const DeviceChoice choice{.kind = device.name,
                              .number = settings.deviceNumber,
                              .isChecked = settings.checks.isChecked,
                              .orderSeed = settings.checks.orderSeed,
                              .graphThunks = graphThunksOf(settings.flags)};
    TRY(auto made, deviceExecutable(std::move(compiled.program), choice, settings.worker, settings.infeeds));
    made->notes.insert(made->notes.end(), compiled.notes.begin(), compiled.notes.end());
    return made;
  };
  return {.name = device.name,
          .description = device.description,
          .canRun = [](const Module& module) { return whyNotRunOn(module, {}, gpuCodegen()); },
          .canRunOnDevices = [](const Module& module,
                                DeviceGrid grid) { return whyNotRunOn(module, grid, gpuCodegen()); },
          .compile = compile,
          .flags = {{kGraphs,
                     "give runs of kernels and copies to the device as graphs, loops and choices among them"},
                    {kLibraries,
                     "ask cuBLASLt, cuDNN, cuFFT, cuSOLVER and cuBLAS, there or not: on the simulated GPU "
                     "the engine cpu "
                     "does what they do"},
                    {kNoLibraries, "kernels of Hilo's own alone"},
                    {kNoPasses, "compile the module as it is, without the pipeline"}},
          .runsGrids = true,
          .hasNumbers = !device.checks,
          .checks = device.checks,
          .rates = device.rates};
}

}  // namespace

std::vector<Engine> deviceEngines() {
  std::vector<Engine> engines;
  for (const DeviceEngine& device : kDeviceEngines) engines.push_back(engineOf(device));
  return engines;
}

Result<std::unique_ptr<Device>> openDeviceHere(const DeviceChoice& choice) {
  for (const DeviceEngine& device : kDeviceEngines) {
    if (choice.kind == device.name) return device.open(choice);
  }
  return fail("unknown-device", fmt::format("no kind of device is called {}", choice.kind));
}

Result<std::unique_ptr<Executable>> deviceExecutable(Program program, const DeviceChoice& device,
                                                     const std::optional<WorkerOptions>& worker,
                                                     std::vector<InfeedValues> infeeds) {
  std::vector<std::string> notes = substitutions(program, device.kind == "cuda");
  TRY(auto made, programExecutable(std::make_shared<const Program>(std::move(program)), worker,
                                   std::move(infeeds), device));
  made->notes = std::move(notes);
  return made;
}

}  // namespace hilo
