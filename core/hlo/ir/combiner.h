// What a computation that is folded over elements, a reduction's or an all-reduce's, combines two of them by.
#pragma once

#include <optional>

#include "core/hlo/ir/computation.h"

namespace hilo {

// The root's opcode where it takes both parameters, of which there are two, in either order and nothing else;
// nullopt where the computation is more.
std::optional<Opcode> operationOnBoth(const Computation& computation);

}  // namespace hilo
