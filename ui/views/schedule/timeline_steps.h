// Where keys lead from an instruction of an order: along its lane, to operands and users, to another place.
#pragma once

#include <optional>

#include "core/workspace/schedule/schedule_scenario.h"
#include "ui/views/schedule/shown_order.h"

namespace hilo {

// The neighbour in its lane, +1 the next; from an instruction that is not there the first that takes time.
// Itself at the end of the lane, invalid where nothing takes time.
InstructionId alongLane(const ShownOrder& order, InstructionId from, ChartAxis axis, int direction);

// The operand that ends last, or the user that begins first; a done's operand is its start. Invalid where
// there is none.
InstructionId alongData(const ShownOrder& order, const Instruction& from, bool toUsers);

// One place earlier (-1) or later among what takes time. Nothing at the ends.
std::optional<ScheduleMove> byOnePlace(const Instruction& moving, int direction);

}  // namespace hilo
