// A dynamic-slice of what an all-gather gathered, as it is or reshaped, along the gathered dimension.
#pragma once

#include <optional>

#include "core/hlo/ir/module.h"

namespace hilo {

struct GatheredSlice {
  Instruction* gather = nullptr;
  size_t dimension = 0;  // of the slice
  int64_t part = 0;      // what one device gathers along it
};

// nullopt where the slice is another, takes more or less than a part, or a reshape between changes the
// gathered dimension. Unless told otherwise, nothing else may read the all-gather, or the reshape.
std::optional<GatheredSlice> gatheredSlice(const Instruction& slice, bool mayBeReadElsewhere = false);

}  // namespace hilo
