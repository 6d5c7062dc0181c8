// Random modules through an engine, each held to the evaluator in one of two ways, turn about:
//  - every operation, on any numbers, as the module stands; each instruction judged by itself;
//  - exact operations, on small numbers, through the engine's passes; results judged.
#pragma once

#include <chrono>

#include "core/hlo/ir/device_grid.h"
#include "tests/support/module_fuzzer/judge.h"

namespace hilo::fuzz {

struct Engine {
  RunModule asItStands, optimized;
};

struct Plan {
  uint64_t firstSeed = 0;
  int64_t modules = 20;
  std::chrono::seconds longest = std::chrono::hours(24);  // no module is begun after it
  int operations = 12;
  size_t mostFindings = 1;
};

struct Finding {
  uint64_t seed = 0;
  std::string why;
  Case whole, small;
};

struct Report {
  int64_t modules = 0, refused = 0;
  std::vector<std::string> refusals;  // up to a hundred
  std::vector<Finding> findings;

  void refuse(uint64_t seed, const std::string& why);
};

Report fuzzEngine(const Engine& engine, const Plan& plan);

// The module of a seed; fails when the writer wrote what nobody can read, which is a mistake of its own.
Result<Case> makeCase(uint64_t seed, int operations);
// What the writer wrote, to be run on these devices.
Result<std::shared_ptr<const Module>> readWritten(const std::string& text, DeviceGrid grid = {});

}  // namespace hilo::fuzz
