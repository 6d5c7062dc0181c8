#include "core/runtime/executor/device_executor.h"

#include <fmt/format.h>

#include <mutex>

#include "core/base/check.h"
#include "core/runtime/executor/check_grid.h"
#include "core/runtime/executor/stream_run.h"

namespace hilo {
namespace {

std::unexpected<Diagnostic> about(Diagnostic error, const std::string& instruction) {
  error.place.instruction = instruction;
  return std::unexpected(std::move(error));
}

// Each object once, each kernel of it by its symbol.
Status loadKernels(DeviceExecutor::State& state) {
  const Program& program = *state.program;
  state.code.resize(program.objects.size());
  for (const Kernel& kernel : program.kernels) {
    auto& code = state.code[kernel.object];
    if (code == nullptr) {
      auto loaded =
          state.device->load(program.objects[kernel.object].code, program.objects[kernel.object].name);
      if (!loaded) return about(std::move(loaded).error(), kernel.name);
      code = *std::move(loaded);
    }
    auto found = code->kernel(kernel.symbol);
    if (!found) return about(std::move(found).error(), kernel.name);
    state.kernels.push_back(*std::move(found));
  }
  return {};
}

// Of the constants, for all runs.
Status copyConstants(DeviceExecutor::State& state) {
  const Program& program = *state.program;
  state.constants.resize(program.allocations.size());
  for (size_t i = 0; i < program.allocations.size(); ++i) {
    const Allocation& allocation = program.allocations[i];
    if (allocation.kind != AllocationKind::Constant || allocation.sizeBytes == 0) continue;
    TRY(state.constants[i], state.stream->allocate(allocation.sizeBytes));
    TRY_STATUS(state.stream->copyIn(state.constants[i], program.constants[allocation.number].bytes()));
  }
  return state.stream->synchronize();
}

}  // namespace

DeviceExecutor::State::~State() {
  for (const DeviceAddress address : constants) {
    // A device that a run broke frees nothing.
    if (address != DeviceAddress{}) (void)stream->free(address);
  }
}

DeviceExecutor::DeviceExecutor(std::vector<std::unique_ptr<State>> states,
                               std::unique_ptr<GpuCliques> cliques)
    : states_(std::move(states)), cliques_(std::move(cliques)) {}
DeviceExecutor::~DeviceExecutor() = default;
const Program& DeviceExecutor::program() const { return *states_[0]->program; }

namespace {

using State = DeviceExecutor::State;

Result<std::unique_ptr<State>> stateOf(const std::shared_ptr<const Program>& program,
                                       std::unique_ptr<Device> device, const FindCustomCall& findCustomCall,
                                       DeviceExecutorOptions options) {
  auto state = std::make_unique<State>();
  state->program = program;
  state->device = std::move(device);
  TRY(state->stream, state->device->makeStream());
  TRY(state->customCalls, findCustomCalls(*program, findCustomCall, state->stream->native() != nullptr));
  TRY(state->hosted, HostedPrograms::make(*program, findCustomCall));
  if (state->stream->native() != nullptr) {
    TRY(state->libraries, GpuLibraries::open(*program, librarySearchHere()));
  }
  TRY_STATUS(loadKernels(*state));
  state->plans = std::move(options.plans);
  for (auto s = static_cast<uint32_t>(state->plans.size()); s < program->sequences.size(); ++s)
    state->plans.push_back(makeStreamPlan(*program, s, options.streams));
  for (const ThunkSequence& sequence : program->sequences)
    state->plansInOrder.push_back(planInOrder(sequence));
  if (options.graphThunks > 0) {
    const GraphRules rules{.leastThunks = options.graphThunks,
                           .whyNoLoops = state->device->whyNoLoopsInGraphs(),
                           .customCalls = &state->customCalls};
    state->graphPlans = planGraphs(*program, rules);
  }
  for (const Shape parameter : program->parameters)
    std::ranges::move(arrayLeaves(parameter), std::back_inserter(state->parameterLeaves));
  state->resultLeaves = arrayLeaves(program->result);
  return state;
}

bool hasCollectives(const Program& program) { return !program.collectives.empty(); }

}  // namespace

Result<std::unique_ptr<DeviceExecutor>> DeviceExecutor::make(std::shared_ptr<const Program> program,
                                                             std::unique_ptr<Device> device,
                                                             const FindCustomCall& findCustomCall,
                                                             DeviceExecutorOptions options) {
  std::vector<std::unique_ptr<Device>> one;
  one.push_back(std::move(device));
  return make(std::move(program), std::move(one), findCustomCall, librarySearchHere(), std::move(options));
}

Result<std::unique_ptr<DeviceExecutor>> DeviceExecutor::make(std::shared_ptr<const Program> program,
                                                             std::vector<std::unique_ptr<Device>> devices,
                                                             const FindCustomCall& findCustomCall,
                                                             const LibrarySearch& search,
                                                             DeviceExecutorOptions options) {
  TRY_STATUS(checkProgram(*program));
  if (!isForGrids(*program))
    return fail(
        "malformed-program",
        fmt::format("the program is for {}, and not for a device that runs grids", program->target.triple));
  std::vector<std::unique_ptr<State>> states;
  for (std::unique_ptr<Device>& device : devices) {
    TRY(auto state, stateOf(program, std::move(device), findCustomCall, options));
    states.push_back(std::move(state));
  }
  std::unique_ptr<GpuCliques> cliques;
  if (states.size() > 1 && hasCollectives(*program) && states[0]->stream->native() != nullptr) {
    auto opened = GpuCliques::open(search);
    if (!opened && opened.error().kind != "missing-library") return std::unexpected(opened.error());
    if (opened) cliques = *std::move(opened);
  }
  return std::unique_ptr<DeviceExecutor>(new DeviceExecutor(std::move(states), std::move(cliques)));
}

Status DeviceExecutor::checkConstants() const {
  for (const auto& state : states_) {
    std::call_once(state->constantsCopied, [&] {
      state->constantsStatus = hilo::checkConstants(*state->program);
      if (state->constantsStatus) state->constantsStatus = copyConstants(*state);
    });
    TRY_STATUS(state->constantsStatus);
  }
  return {};
}

Result<std::vector<std::vector<Literal>>> DeviceExecutor::runOnMemory(DeviceGrid grid,
                                                                      std::span<const DeviceMemory> devices,
                                                                      const ExecuteOptions& options) const {
  TRY_STATUS(checkGrid(grid, devices.size()));
  TRY_STATUS(checkConstants());
  CHECK(static_cast<int64_t>(devices.size()) == grid.count());
  // What was held before is not this run's.
  for (const auto& state : states_) TRY_STATUS(state->device->takeMostHeldBytes());
  // A clique has no two members on one GPU.
  GpuCliques* const cliques = devices.size() <= states_.size() ? cliques_.get() : nullptr;
  std::mutex mutex;
  Diagnostics notes;  // of all devices
  auto outfeeds = runSideBySide(
      grid, options,
      [&](Communicator& communicator, int64_t device, std::vector<Literal>& outfeed) -> Status {
        const State& state = *states_[static_cast<size_t>(device) % states_.size()];
        StreamRun run(state, communicator, device, options, cliques);
        Status done = run.run(devices[static_cast<size_t>(device)], options.limitBytes / grid.count());
        outfeed = run.takeOutfeed();
        if (auto note = run.takeNote()) {
          const std::lock_guard lock(mutex);
          notes.push_back(*std::move(note));
        }
        return done;
      });
  if (options.findings != nullptr) std::ranges::move(notes, std::back_inserter(*options.findings));
  for (const auto& state : states_) {
    if (options.findings != nullptr)
      std::ranges::move(state->device->takeFindings(), std::back_inserter(*options.findings));
    if (options.mostHeldBytes == nullptr || !outfeeds) continue;
    TRY(const int64_t held, state->device->takeMostHeldBytes());
    *options.mostHeldBytes = std::max(*options.mostHeldBytes, held);
  }
  return outfeeds;
}

}  // namespace hilo
