// Puts the pairs of contracting dimensions of a dot in the order in which one side has them in memory, where
// that side then needs no transpose to bring them together. As
// xla/backends/gpu/transforms/dot_dimension_sorter.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> sortDotDimensions(Module& module, PassContext& context);

}  // namespace hilo
