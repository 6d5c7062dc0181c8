// Normal numbers as elements of a type.
#pragma once

#include <cstddef>

#include "core/hlo/eval/seeded_numbers.h"
#include "core/hlo/ir/element_type.h"

namespace hilo {

// out[i] = numbers.normal() * spread, rounded once to `type`, a float: these bits exactly, several times as
// fast where the type has 32 bits or fewer.
void fillNormals(std::byte* out, ElementType type, int64_t count, double spread, SeededNumbers& numbers);

}  // namespace hilo
