// Holds the partitioned module to the whole one: arguments are cut by the shardings of the parameters, the
// partitioned module runs on all its devices in the reference evaluator, results are put together and
// compared with the whole module's on one device. Copies of a part must be the same on every device.
#pragma once

#include <gtest/gtest.h>

#include "core/compiler/pass/pass_runner.h"
#include "core/hlo/eval/compare.h"

namespace hilo {

struct SpmdCheck {
  std::string_view passes = "sharding-propagation,spmd-partitioning";
  uint64_t seed = 1;
  // Small numbers whose sums do not depend on their order.
  bool wholeNumbers = true;
  // Modules that take longer, in elements that are computed, are partitioned and verified alone.
  int64_t mostWork = 1 << 20;
  CompareTolerance tolerance = {};
};

// What partitioning said when it refused; else nothing.
struct SpmdOutcome {
  std::optional<Diagnostic> refusal;
  std::string difference;  // "" where the two agree
  std::shared_ptr<const Module> partitioned;
  std::vector<Remark> remarks;  // of all passes
};

SpmdOutcome partitionAndCompare(std::shared_ptr<const Module> whole, const SpmdCheck& check = {});

// The same for a test: a refusal is a failure too. `text`: a module with num_partitions.
testing::AssertionResult partitionedEqualsWhole(const std::string& text, const SpmdCheck& check = {});

}  // namespace hilo
