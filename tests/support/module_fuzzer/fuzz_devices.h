// Random modules of several devices through an engine, their results held to the evaluator's: collectives of
// every kind in exact operations on small numbers, other ones on each device.
#pragma once

#include "tests/support/module_fuzzer/fuzz_engine.h"

namespace hilo::fuzz {

using DeviceArguments = std::vector<std::vector<Literal>>;  // a list a device
using RunOnDevices = std::function<Result<std::vector<Literal>>(std::shared_ptr<const Module>, DeviceGrid,
                                                                const DeviceArguments&)>;

// By the evaluator; infeeds take values made up from seed 0, as they do of engines.
Result<std::vector<Literal>> evaluateCase(const Module& module, DeviceGrid grid,
                                          const DeviceArguments& arguments);

struct DeviceCase {
  std::shared_ptr<const Module> module;
  DeviceGrid grid;
  DeviceArguments arguments;
};

// The module of a seed, of 2 to `mostDevices` devices; fails when the writer wrote what nobody can run.
Result<DeviceCase> makeDeviceCase(uint64_t seed, int operations, int64_t mostDevices);

// The engines in turn. The module of a finding holds what the first wrong element of its result needs; its
// arguments are device 0's.
Report fuzzDevices(const std::vector<RunOnDevices>& engines, const Plan& plan, int64_t mostDevices);

}  // namespace hilo::fuzz
