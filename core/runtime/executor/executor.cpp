#include "core/runtime/executor/executor.h"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "core/runtime/device/host/perf_map.h"
#include "core/runtime/executor/check_grid.h"
#include "core/runtime/executor/device_run.h"

namespace hilo {
namespace {

// A sequence cheaper than this is run by one thread: waking another costs as much.
constexpr int64_t kWorthSharingNs = 50'000;

int64_t costOf(const Program& program, uint32_t sequence) {
  int64_t total = 0;
  for (const Thunk& thunk : program.sequences[sequence]) {
    total += thunk.costNs;
    for (const uint32_t nested : nestedSequences(thunk)) total += costOf(program, nested);
  }
  return total;
}

// For profilers: by the module and the instruction a kernel was made for, and how many others are the same
// code. Of a map that cannot be written whoever asked for it is told, once: on standard error, which a worker
// shares with who started it.
void nameKernels(const Program& program, std::span<const HostCode> objects) {
  static std::once_flag told;
  std::map<const std::byte*, std::vector<const Kernel*>> kernelsAt;
  for (const Kernel& kernel : program.kernels)
    kernelsAt[objects[kernel.object].bytes(kernel.symbol).data()].push_back(&kernel);
  for (const auto& [address, kernels] : kernelsAt) {
    const Kernel& first = *kernels[0];
    std::string name = fmt::format("{}/{}", program.name, first.name);
    if (kernels.size() > 1) name += fmt::format(" and {} more", kernels.size() - 1);
    const Status done = tellProfilers(objects[first.object].bytes(first.symbol), name);
    if (!done) std::call_once(told, [&] { fmt::print(stderr, "hilo: note: {}\n", done.error().message); });
  }
}

}  // namespace

Executor::Executor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Executor::~Executor() = default;
const Program& Executor::program() const { return *state_->program; }

Status Executor::checkConstants() const {
  std::call_once(state_->constantsLookedAt,
                 [&] { state_->constants = hilo::checkConstants(*state_->program); });
  return state_->constants;
}

Result<std::unique_ptr<Executor>> Executor::make(std::shared_ptr<const Program> program,
                                                 const FindCustomCall& findCustomCall) {
  TRY_STATUS(checkProgram(*program));
  TRY_STATUS(checkMachine(program->target));
  auto state = std::make_unique<State>();
  TRY(state->customCalls, findCustomCalls(*program, findCustomCall));
  state->program = program;
  for (const KernelObject& object : program->objects) {
    TRY(HostCode code, HostCode::load(object.code));
    state->objects.push_back(std::move(code));
  }
  for (const Kernel& kernel : program->kernels) {
    const KernelFunction function = state->objects[kernel.object].function(kernel.symbol);
    if (function == nullptr)
      return fail("malformed-program",
                  fmt::format("the object of {} has no symbol {}", kernel.name, kernel.symbol));
    state->kernels.push_back({.function = function});
  }
  TRY(state->hosted, HostedPrograms::make(*program, findCustomCall));
  nameKernels(*program, state->objects);
  for (uint32_t s = 0; s < program->sequences.size(); ++s) {
    PreparedSequence prepared;
    if (costOf(*program, s) >= kWorthSharingNs && hostThreads().threads() > 1) {
      prepared.graph = makeExecutionGraph(*program, s);
      prepared.parallel = prepared.graph.width > 1;
    }
    state->sequences.push_back(std::move(prepared));
  }
  for (const Shape parameter : program->parameters) {
    const auto leaves = arrayLeaves(parameter);
    state->parameterLeaves.insert(state->parameterLeaves.end(), leaves.begin(), leaves.end());
  }
  state->resultLeaves = arrayLeaves(program->result);
  return std::unique_ptr<Executor>(new Executor(std::move(state)));
}

bool Executor::writesAllResults() const {
  return state_->program->resultSizes.empty() && state_->customCalls.empty();
}

Result<std::vector<std::vector<Literal>>> Executor::runOnMemory(DeviceGrid grid,
                                                                std::span<const DeviceMemory> devices,
                                                                const ExecuteOptions& options) const {
  TRY_STATUS(checkGrid(grid, devices.size()));
  TRY_STATUS(checkConstants());
  CHECK(static_cast<int64_t>(devices.size()) == grid.count());
  return runSideBySide(
      grid, options, [&](Communicator& communicator, int64_t device, std::vector<Literal>& outfeed) {
        DeviceRun run(*state_, communicator, device, options);
        Status done = run.run(devices[static_cast<size_t>(device)], options.limitBytes / grid.count());
        outfeed = run.takeOutfeed();
        return done;
      });
}

}  // namespace hilo
