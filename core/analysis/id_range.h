// Facts about the instructions of one computation lie in an array as long as their ids reach: one as long as
// the module's ids for each of thousands of computations would take longer than the facts.
#pragma once

#include <algorithm>

#include "core/hlo/ir/module.h"

namespace hilo {

struct IdRange {
  uint32_t first = 0, limit = 0;
  size_t size() const { return limit - first; }
  bool contains(uint32_t id) const { return id >= first && id < limit; }
  void include(uint32_t id) {
    first = size() == 0 ? id : std::min(first, id);
    limit = std::max(limit, id + 1);
  }
};

inline IdRange idsOf(const Computation& computation) {
  IdRange ids;
  for (const Instruction* instruction : computation.instructions()) ids.include(instruction->id().value);
  return ids;
}

}  // namespace hilo
