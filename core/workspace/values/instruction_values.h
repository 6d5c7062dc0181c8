// What every instruction of the entry computes, in a line each: values for whoever shows a graph or a list.
#pragma once

#include "core/workspace/values/value_request.h"
#include "core/workspace/values/value_summary.h"

namespace hilo {

struct InstructionValue {
  uint32_t instruction = 0;  // its id in the module
  std::string name, opcode, shape;
  std::vector<ValueSummary> devices;  // one a device
  std::vector<Literal> literals;      // likewise
};

// In the order of the computation; instructions that only take tuples apart or put them together are left
// out. Errors as execute().
Result<std::vector<InstructionValue>> instructionValues(const ValueRequest& request,
                                                        const JobContext& context);

}  // namespace hilo
