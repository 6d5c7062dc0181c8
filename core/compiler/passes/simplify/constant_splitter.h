// Gives each user of a constant a copy of its own, so that shardings do not spread from one user to another
// through it; on request also each user of a value that is computed from constants and iotas alone, by
// elementwise operations, broadcasts and slices. As xla/hlo/transforms/simplifiers/hlo_constant_splitter.cc.
#pragma once

#include <string>

#include "core/compiler/pass/pass.h"

namespace hilo {

struct ConstantSplitterSettings {
  bool expressions = false;
  std::string keep;  // names of constants that stay shared, with colons between
};
Result<bool> splitConstants(Module& module, PassContext& context,
                            const ConstantSplitterSettings& settings = {});

}  // namespace hilo
