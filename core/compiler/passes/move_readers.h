// Keeping operands in front of their users where something that was computed early is now given later.
#pragma once

#include <span>

#include "core/hlo/ir/module.h"

namespace hilo {

// Whether `from` leads to one of these, through users of users.
bool leadsToAny(const Instruction& from, std::span<Instruction* const> to);

// What reads `given`, results of an instruction that was moved back to where `maker` is, from further in
// front goes behind the last of them, in the order it has. None of it may lead to `maker`.
void moveReadersBehind(Instruction& maker, std::span<Instruction* const> given);

}  // namespace hilo
