// Makes one dot of two that read the same array, by concatenating what else they read, where that takes few
// bytes. As XLA's hlo/transforms/simplifiers/dot_merger.cc for canonical dots without batch dimensions; dots
// with control edges stay.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct DotMergerSettings {
  int64_t maxBytes = 64 * 1024 * 1024;  // of both dots' results and the operands that differ
};
Result<bool> mergeDots(Module& module, PassContext& context, const DotMergerSettings& settings = {});

}  // namespace hilo
