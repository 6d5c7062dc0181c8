// Whether two collectives do the same among the same devices.
#pragma once

#include <string_view>

#include "core/hlo/ir/module.h"

namespace hilo {

// The same operation, devices and dimensions; channels may differ, but not whether there is one.
bool sameCollective(const Instruction& a, const Instruction& b);
// The same but for the groups of devices.
bool sameButGroups(const Instruction& a, const Instruction& b);

// The frontend attribute collective_group_key, whose value sets collectives apart; "" where there is none.
std::string_view collectiveGroupKey(const Instruction& collective);

// How many devices one group has; nullopt: groups differ in size, or are malformed.
std::optional<int64_t> groupSizeOf(const Instruction& collective);

// The one operation of two parameters that a collective or reduction combines by; nullopt where it is more.
std::optional<Opcode> combinerOf(const Instruction& instruction);

}  // namespace hilo
