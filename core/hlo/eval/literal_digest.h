// A number that tells outputs apart.
#pragma once

#include <cstdint>

#include "core/hlo/ir/literal.h"

namespace hilo {

// XXH3 over the leaves: shapes without layouts, and bytes.
uint64_t literalDigest(const Literal& literal);

}  // namespace hilo
