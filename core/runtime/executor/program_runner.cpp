#include <fmt/format.h>

#include <system_error>
#include <thread>

#include "core/runtime/executor/check_grid.h"
#include "core/runtime/executor/device_executor.h"
#include "core/runtime/executor/executor.h"

namespace hilo {

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

// In memory of earlier runs where the program writes all of an output. What lies beyond the real size of an
// array it need not write, and what custom calls of plug-ins do nobody knows.
Result<std::vector<Literal>> ProgramRunner::newOutputs(size_t count) const {
  const Program& program = this->program();
  if (writesAllResults()) return spareResults_->literals(program.result, count);
  std::vector<Literal> outputs;
  while (outputs.size() < count) {
    TRY(Literal output, Literal::tryMake(program.result));
    outputs.push_back(std::move(output));
  }
  return outputs;
}

Result<Literal> ProgramRunner::run(std::span<const Literal> arguments, const ExecuteOptions& options) const {
  const std::vector<Literal> list(arguments.begin(), arguments.end());
  TRY(std::vector<Literal> outputs, runOnDevices({}, {&list, 1}, options));
  return std::move(outputs[0]);
}

Result<std::vector<Literal>> ProgramRunner::runOnDevices(DeviceGrid grid,
                                                         std::span<const std::vector<Literal>> arguments,
                                                         const ExecuteOptions& options) const {
  const Program& program = this->program();
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
  TRY(std::vector<Literal> outputs, newOutputs(devices.size()));
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

namespace {

// The one that is chosen and those after it, as many as there are and as are wanted.
Result<std::vector<std::unique_ptr<Device>>> openDevices(DeviceChoice choice, int64_t wanted,
                                                         const OpenDevice& openDevice) {
  std::vector<std::unique_ptr<Device>> devices;
  do {
    auto opened = openDevice(choice);
    if (!opened && !devices.empty() && opened.error().kind == "no-device") return devices;
    if (!opened) return std::unexpected(std::move(opened).error());
    devices.push_back(*std::move(opened));
    ++choice.number;
  } while (std::ssize(devices) < wanted);
  return devices;
}

}  // namespace

Result<std::unique_ptr<ProgramRunner>> makeRunner(std::shared_ptr<const Program> program,
                                                  const DeviceChoice& device, const OpenDevice& openDevice,
                                                  const FindCustomCall& findCustomCall) {
  if (device.kind.empty()) return Executor::make(std::move(program), findCustomCall);
  if (!openDevice)
    return fail("unknown-device", fmt::format("this program knows no device of kind {}", device.kind));
  TRY(auto devices, openDevices(device, program->replicas * program->partitions, openDevice));
  return DeviceExecutor::make(std::move(program), std::move(devices), findCustomCall, librarySearchHere(),
                              {.graphThunks = device.graphThunks});
}

Diagnostic withFindings(Diagnostic error, const Diagnostics& findings) {
  for (const Diagnostic& finding : findings) error.notes.push_back("found before: " + toString(finding));
  return error;
}

Result<std::vector<std::vector<Literal>>> runSideBySide(DeviceGrid grid, const ExecuteOptions& options,
                                                        const RunOneDevice& runDevice) {
  TRY_STATUS(checkInfeeds(options.infeeds, grid.count()));
  std::vector<std::vector<Literal>> outfeeds(static_cast<size_t>(grid.count()));
  Communicator communicator(grid, {.cancel = options.cancel,
                                   .unreceivedLimitBytes = options.limitBytes,
                                   .waitLimit = options.rendezvousLimit});
  if (options.watch != nullptr) options.watch->setCommunicator(&communicator);
  const auto runOne = [&](int64_t device) {
    Status done;
    try {
      done = runDevice(communicator, device, outfeeds[static_cast<size_t>(device)]);
    } catch (const std::bad_alloc&) {
      done = fail("out-of-memory", "no room for what the devices exchange");
    }
    if (done) return communicator.finish(device);
    if (grid.count() > 1) done.error().notes.push_back("on " + communicator.nameOf(device));
    communicator.stop(std::move(done).error());
  };
  if (grid.count() == 1) {
    runOne(0);
  } else {
    std::vector<std::jthread> threads;
    for (int64_t device = 0; device < grid.count() && !communicator.stopped(); ++device) {
      try {
        threads.emplace_back(runOne, device);
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
