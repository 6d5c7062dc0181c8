// In which orders operations want their arrays that libraries or collectives run, whatever is around them.
// XLA's backends/gpu/transforms/layout_assignment.cc.
#pragma once

#include "core/compiler/passes/layout/layout_flow.h"

namespace hilo {

struct GpuLayoutSettings {
  int64_t capability = 90;           // ten times the GPU's compute capability
  bool packsAlongContracted = true;  // operands of less than a byte have the contracted dimensions minor
  bool channelsFirst = false;        // of convolutions, whatever the GPU would like
  bool channelsLast = false;
  bool choosesEntry = false;  // arrays of the entry's interface that state no layout
};

// What an operation asks for by itself.
struct StatedOrders {
  std::vector<std::optional<DimensionOrder>> operands;  // by index
  std::optional<DimensionOrder> result;
};
StatedOrders ordersAskedBy(const Instruction& instruction, const GpuLayoutSettings& settings);

// Whether a dot gives its result in this order.
bool dotGives(const Instruction& dot, const DimensionOrder& order);
// Whether the order of its result matters to a dot: with several free or batch dimensions.
bool asksForResult(const Instruction& dot);

// In which order an instruction whose interface is fixed reads an operand: as the module states, or as a
// library takes it. None: in any.
std::optional<DimensionOrder> orderTaken(const Instruction& taker, size_t index,
                                         const GpuLayoutSettings& settings);

}  // namespace hilo
