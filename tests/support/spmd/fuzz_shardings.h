// Random modules with random shardings over 2, 4 or 8 devices: partitioned they compute what they do whole.
#pragma once

#include "tests/support/module_fuzzer/fuzz_engine.h"

namespace hilo::fuzz {

// The module of a seed: exact operations, small arrays, about every second instruction with a sharding of
// random tiles, copies and devices.
Result<std::shared_ptr<const Module>> makeShardedModule(uint64_t seed, int operations);

// The same with axes of a random mesh, as Shardy has them: parameters and constraints with open and closed
// dimensions, parts of axes, priorities and replicated axes.
Result<std::shared_ptr<const Module>> makeShardyModule(uint64_t seed, int operations);

// By sharding-propagation and spmd-partitioning. A finding's module is the whole one, with its shardings.
Report fuzzShardings(const Plan& plan);
// The same, every dot that can be a loop is one.
Report fuzzShardingsWithLoops(const Plan& plan);
// Each operation goes the way that moves fewest bytes.
Report fuzzShardingsByBytes(const Plan& plan);
// By shardy-xla and spmd-partitioning.
Report fuzzShardyShardings(const Plan& plan);

}  // namespace hilo::fuzz
