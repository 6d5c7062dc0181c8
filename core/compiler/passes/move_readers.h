// Keeping operands in front of their users where something that was computed early is now given later.
#pragma once

#include <span>

#include "core/hlo/ir/module.h"

namespace hilo {

// Whether `from` leads to one of these, through users of users.
bool leadsToAny(const Instruction& from, std::span<Instruction* const> to);
// The same of values in front of `end`, behind `from`, looking at no more than what stands between.
bool leadsToAnyBefore(const Instruction& from, const Instruction& end, std::span<Instruction* const> to);

// What reads `maker` or its results `given`, which stand right behind it, and stands in front of it from
// `start` on, goes behind them in the order it has. None of it may lead to `maker`.
void moveReadersBehind(Instruction& start, Instruction& maker, std::span<Instruction* const> given);

}  // namespace hilo
