// How long each step of an order takes, so that what is known by step can be looked at over time.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// By position in the sequence, nanoseconds on a described device, one instruction after the other. Loops,
// branches and calls take nothing themselves where the sequence has what they run, of a loop one turn. Error
// kinds: those of costOfModule().
Result<std::vector<double>> stepTimes(const Module& module, std::span<const InstructionId> sequence,
                                      const std::string& device);

}  // namespace hilo
