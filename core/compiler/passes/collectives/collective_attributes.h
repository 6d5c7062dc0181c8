// Attributes of collectives that passes make.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// Another operation among the same devices: with the attributes of `like` but its id and what it applies.
Instruction* createAmongSame(const Instruction& like, Opcode opcode, Shape shape, Instruction* operand,
                             Instruction& before);
// Its replica_groups as lists; empty where it has none.
std::vector<std::vector<int64_t>> writtenGroups(const Instruction& collective);
void setGroups(Instruction& collective, const std::vector<std::vector<int64_t>>& groups);
// (source, target) of each.
void setPairs(Instruction& permute, const std::vector<std::pair<int64_t, int64_t>>& pairs);
// Where it has a channel, one that no other has.
void giveOwnChannel(Instruction& collective);

// Empty values are as good as none, and are taken out.
std::string_view frontendValue(const Instruction& instruction, std::string_view name);
void setFrontendValue(Instruction& instruction, std::string_view name, std::string_view value);
inline constexpr std::string_view kGroupKey = "collective_group_key";

// The same combiner for another type.
Computation* combinerOfType(Computation& combiner, ElementType type);

}  // namespace hilo
