#include "core/runtime/executor/executor.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <system_error>
#include <thread>

#include "core/runtime/device/host/perf_map.h"
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

Status checkGrid(DeviceGrid grid, size_t given) {
  if (grid.replicas < 1 || grid.partitions < 1 || grid.replicas > kMostDevices ||
      grid.partitions > kMostDevices || grid.count() > kMostDevices) {
    return fail("wrong-argument", fmt::format("{} replicas of {} partitions are not between 1 and {} devices",
                                              grid.replicas, grid.partitions, kMostDevices));
  }
  if (given != 1 && static_cast<int64_t>(given) != grid.count())
    return fail("wrong-argument", fmt::format("{} lists of arguments for {} devices", given, grid.count()));
  return {};
}

}  // namespace

std::vector<int32_t> argumentSizes(const Program& program, std::span<const Literal> arguments) {
  const std::vector<const Literal*> leaves = arrayLeaves(arguments);
  std::vector<int32_t> sizes;
  for (const ArgumentSizePlace& place : argumentSizePlaces(program.parameters)) {
    const Literal& leaf = *leaves[place.leaf];
    sizes.push_back(static_cast<int32_t>(leaf.dynamicSizes().empty() ? leaf.shape().dimension(place.dimension)
                                                                     : leaf.dynamicSizes()[place.dimension]));
  }
  return sizes;
}

namespace {

// Sizes within their bounds, and only where the parameter has room for any.
Status checkSizes(const Literal& argument, Shape parameter, size_t number) {
  const auto sizes = argument.dynamicSizes();
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t bound = parameter.dimension(d);
    const auto is = [&](std::string_view why) {
      return fail("wrong-argument",
                  fmt::format("dimension {} of array {} of the arguments has {} elements, and {} {}", d,
                              number, sizes[d], why, bound));
    };
    if (sizes[d] < 0 || sizes[d] > bound) return is("its bound is");
    if (sizes[d] < bound && !parameter.isDynamicDimension(d)) return is("always has");
  }
  return {};
}

}  // namespace

void setResultSizes(const Program& program, const DeviceMemory& memory, Literal& output) {
  const std::vector<Literal*> leaves = mutableArrayLeaves(output);
  absl::flat_hash_map<uint32_t, std::vector<int64_t>> sizes;
  for (size_t i = 0; i < program.resultSizes.size(); ++i) {
    const ResultSize& size = program.resultSizes[i];
    const auto bounds = leaves[size.leaf]->shape().dimensions();
    std::vector<int64_t>& own = sizes[size.leaf];
    if (own.empty()) own.assign(bounds.begin(), bounds.end());
    own[size.dimension] = *memory.resultSizes[i];
  }
  for (auto& [leaf, own] : sizes) {
    if (!std::ranges::equal(own, leaves[leaf]->shape().dimensions()))
      leaves[leaf]->setDynamicSizes(std::move(own));
  }
}

Status checkArguments(const Program& program, DeviceGrid grid,
                      std::span<const std::vector<Literal>> arguments) {
  TRY_STATUS(checkGrid(grid, arguments.size()));
  std::vector<Shape> parameterLeaves;
  for (const Shape parameter : program.parameters)
    std::ranges::move(arrayLeaves(parameter), std::back_inserter(parameterLeaves));
  for (const std::vector<Literal>& list : arguments) {
    if (list.size() != program.parameters.size()) {
      return fail("wrong-argument", fmt::format("the program takes {} arguments, and {} are given",
                                                program.parameters.size(), list.size()));
    }
    for (size_t i = 0; i < list.size(); ++i) {
      const auto bounds = [](Shape shape) { return shape.withoutLayout().withStaticDimensions(); };
      if (bounds(list[i].shape()) != bounds(program.parameters[i])) {
        return fail("wrong-argument",
                    fmt::format("parameter {} is {}, and the argument {}", i, toString(program.parameters[i]),
                                toString(list[i].shape())));
      }
      if (list[i].isElided())
        return fail("elided-constant", fmt::format("the values of argument {} are missing", i));
    }
    size_t leaf = 0;
    for (const Literal* argument : arrayLeaves(list)) {
      TRY_STATUS(checkSizes(*argument, parameterLeaves[leaf], leaf));
      ++leaf;
    }
  }
  return {};
}

namespace {

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
    state->kernels.push_back(function);
  }
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

namespace {

// In memory of earlier runs where the program writes all of an output. What lies beyond the real size of an
// array it need not write, and what custom calls of plug-ins do nobody knows.
Result<std::vector<Literal>> newOutputs(const Executor::State& state, size_t count) {
  const Program& program = *state.program;
  if (program.resultSizes.empty() && state.customCalls.empty())
    return state.spareResults->literals(program.result, count);
  std::vector<Literal> outputs;
  while (outputs.size() < count) {
    TRY(Literal output, Literal::tryMake(program.result));
    outputs.push_back(std::move(output));
  }
  return outputs;
}

}  // namespace

Result<Literal> Executor::run(std::span<const Literal> arguments, const ExecuteOptions& options) const {
  const std::vector<Literal> list(arguments.begin(), arguments.end());
  TRY(std::vector<Literal> outputs, runOnDevices({}, {&list, 1}, options));
  return std::move(outputs[0]);
}

Result<std::vector<Literal>> Executor::runOnDevices(DeviceGrid grid,
                                                    std::span<const std::vector<Literal>> arguments,
                                                    const ExecuteOptions& options) const {
  const Program& program = *state_->program;
  TRY_STATUS(checkArguments(program, grid, arguments));
  std::vector<DeviceMemory> devices(static_cast<size_t>(grid.count()));
  std::vector<std::vector<int32_t>> givenSizes;
  for (const std::vector<Literal>& list : arguments) givenSizes.push_back(argumentSizes(program, list));
  for (size_t device = 0; device < devices.size(); ++device) {
    const size_t list = arguments.size() == 1 ? 0 : device;
    for (const Literal* leaf : arrayLeaves(arguments[list]))
      devices[device].arguments.push_back(leaf->bytes().data());
    devices[device].argumentSizes = givenSizes[list].data();
  }
  const int64_t resultBytes = program.result.byteSize();
  if (resultBytes > options.limitBytes / grid.count())
    return fail("out-of-memory", fmt::format("the results alone take over {} bytes", options.limitBytes));
  ExecuteOptions rest = options;
  rest.limitBytes -= resultBytes * grid.count();
  TRY(std::vector<Literal> outputs, newOutputs(*state_, devices.size()));
  std::vector<std::vector<int32_t>> sizes(devices.size(), std::vector<int32_t>(program.resultSizes.size()));
  for (size_t device = 0; device < devices.size(); ++device) {
    for (Literal* leaf : mutableArrayLeaves(outputs[device]))
      devices[device].results.push_back(leaf->mutableBytes().data());
    for (int32_t& size : sizes[device]) devices[device].resultSizes.push_back(&size);
  }
  TRY(auto outfeeds, runOnMemory(grid, devices, rest));
  for (size_t device = 0; device < devices.size(); ++device) {
    setResultSizes(program, devices[device], outputs[device]);
    if (program.givesOutfeed)
      outputs[device] = withOutfeed(std::move(outputs[device]), std::move(outfeeds[device]));
  }
  return outputs;
}

Result<std::vector<std::vector<Literal>>> Executor::runOnMemory(DeviceGrid grid,
                                                                std::span<const DeviceMemory> devices,
                                                                const ExecuteOptions& options) const {
  TRY_STATUS(checkGrid(grid, devices.size()));
  TRY_STATUS(checkInfeeds(options.infeeds, grid.count()));
  TRY_STATUS(checkConstants());
  CHECK(static_cast<int64_t>(devices.size()) == grid.count());
  std::vector<std::vector<Literal>> outfeeds(devices.size());
  Communicator communicator(grid, {.cancel = options.cancel, .unreceivedLimitBytes = options.limitBytes});
  if (options.watch != nullptr) options.watch->setCommunicator(&communicator);
  const auto runDevice = [&](size_t device) {
    const auto number = static_cast<int64_t>(device);
    Status done;
    try {
      DeviceRun run(*state_, communicator, number, options);
      done = run.run(devices[device], options.limitBytes / grid.count());
      outfeeds[device] = run.takeOutfeed();
    } catch (const std::bad_alloc&) {
      done = fail("out-of-memory", "no room for what the devices exchange");
    }
    if (done) return communicator.finish(number);
    if (grid.count() > 1) done.error().notes.push_back("on " + communicator.nameOf(number));
    communicator.stop(std::move(done).error());
  };
  if (grid.count() == 1) {
    runDevice(0);
  } else {
    std::vector<std::jthread> threads;
    for (size_t device = 0; device < devices.size() && !communicator.stopped(); ++device) {
      try {
        threads.emplace_back(runDevice, device);
      } catch (const std::system_error& error) {
        communicator.stop({.kind = "no-thread",
                           .message = fmt::format("no thread for device {}: {}", device, error.what()),
                           .place = {},
                           .notes = {}});
      }
    }
  }
  if (options.watch != nullptr) options.watch->setCommunicator(nullptr);
  if (communicator.stopped()) return std::unexpected(communicator.failure());
  return outfeeds;
}

}  // namespace hilo
