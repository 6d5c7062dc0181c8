// The number that a literal of one integer is.
#pragma once

#include <cstdint>
#include <optional>

#include "core/hlo/ir/literal.h"

namespace hilo {

// nullopt: not one integer, elided, smaller than a byte, or an unsigned one that int64 cannot hold.
std::optional<int64_t> scalarInteger(const Literal& literal);

}  // namespace hilo
