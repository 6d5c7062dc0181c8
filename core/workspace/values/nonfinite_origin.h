// Where NaNs and infinities come from: the first instruction, inside of fusions, loops, branches and calls
// too, that makes one of finite operands.
#pragma once

#include "core/workspace/values/value_request.h"

namespace hilo {

struct NonfiniteOrigin {
  bool found = false;
  std::vector<std::string> path;  // from the entry to the instruction
  uint32_t instruction = 0;
  std::string opcode, shape;
  int64_t device = 0;
  int64_t nan = 0, inf = 0, elements = 0;  // of its result
  std::string first;                       // "[3,0]: nan"
  std::vector<std::string> operands;       // "p.1: f32[4], -2 to 1.5"
  // "argument 0 holds 3 NaN": what was not finite to begin with.
  std::vector<std::string> notes;
};

// Errors as execute().
Result<NonfiniteOrigin> findNonfiniteOrigin(const ValueRequest& request, const JobContext& context);

}  // namespace hilo
