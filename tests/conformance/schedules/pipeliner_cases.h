// XLA's tests of its collective pipeliner: with what settings each runs, and what must hold afterwards.
#pragma once

#include "core/compiler/passes/collectives/pipeliner/collective_pipeliner.h"
#include "core/compiler/schedule/scheduling_annotation.h"
#include "core/hlo/ir/device_grid.h"
#include "tests/conformance/schedules/match.h"

namespace hilo {

struct PipelinerRun {
  PipelinerOptions options;
  bool changes = true;
};

struct PipelinerCase {
  const char* test;
  std::vector<PipelinerRun> runs;
  std::function<void(Module&)> check;  // null: nothing more
  DeviceGrid grid{.replicas = 4, .partitions = 2};
  bool readAll = false;  // the test looks at results its own module leaves unread
};

inline void PrintTo(const PipelinerCase& c, std::ostream* out) { *out << c.test; }

std::vector<PipelinerCase> pipelinerCases();

}  // namespace hilo
