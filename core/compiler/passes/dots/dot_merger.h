// Makes one dot of two that read the same array (dot_pair.h), where at most one of them is large. As XLA's
// hlo/transforms/simplifiers/dot_merger.cc, but an array and a reshape of it are two. Dots with control edges
// stay as they are.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct DotMergerSettings {
  int64_t maxBytes = 64 * 1024 * 1024;  // of a dot's operands and result; more: it is large
};
Result<bool> mergeDots(Module& module, PassContext& context, const DotMergerSettings& settings = {});

}  // namespace hilo
