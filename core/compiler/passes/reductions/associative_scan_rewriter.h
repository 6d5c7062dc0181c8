// Writes an associative scan of one array, whose last carry nobody reads, as a reduce-window; a long one as
// totals of rows and totals of these (window_scan.h). The scan must start from one number, which for long
// ones may count more than once, and each step be made of elementwise operations. As XLA's
// hlo/transforms/simplifiers/reduce_window_rewriter.cc (AssociativeScanRewriter).
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct ScanRows {
  int64_t length = 16;
};

Result<bool> rewriteAssociativeScans(Module& module, PassContext& context, const ScanRows& rows = {});

}  // namespace hilo
