// Arrays of numbers from a seed that suit what they are for.
#pragma once

#include <functional>

#include "core/hlo/eval/seeded_numbers.h"
#include "core/hlo/eval/value_hints.h"
#include "core/hlo/ir/literal.h"

namespace hilo {

// Fills an array from the next numbers, in pieces on the processor's threads: the same values as one element
// after the other. `poll` is asked between pieces, on the calling thread, with how many bytes are there; an
// error of its ends the work.
Status fillSeeded(Literal& array, const ValueHint& hint, SeededNumbers& numbers,
                  const std::function<Status(int64_t bytes)>& poll);

}  // namespace hilo
