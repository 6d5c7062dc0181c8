// Private to the room: registers that hold one number all the time. nvcc moves numbers into registers before
// it uses them: shuffles by a number that is known when the kernel is translated are moves within vectors.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/runtime/ptx/ptx_module.h"

namespace hilo {

// By register, the bits of those written in one place alone, by `mov` of a number without a guard. Read
// before that they hold nothing in particular.
std::vector<std::optional<uint64_t>> constantRegisters(const PtxFunction& function);

}  // namespace hilo
