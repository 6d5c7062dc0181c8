// Makes calls to CUB's radix sort of sorts that compare one key, where XLA measured it to be faster on the
// device's generation than a sort in kernels: by bits of the key, rows and elements of a row. The call's
// workspace is sized later (estimate-cub-sort-scratch-size). As XLA's
// backends/gpu/transforms/sort_rewriter.cc for comparisons of two parameters; the comparison of floats that
// JAX writes, with zeros and NaN made alike, is left; floats are taken in total order only, since radix
// sorts have no other.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct SortRewriterSettings {
  int64_t capability = 90;  // 10 times the device's compute capability
  int64_t processors = 132;
  bool always = false;
};
Result<bool> rewriteSorts(Module& module, PassContext& context, const SortRewriterSettings& settings = {});

// Sizes the workspace of such calls, and says which of CUB's functions they are: an estimate, twice the
// arrays for their second copies and the counts of each digit. XLA's
// backends/gpu/transforms/estimate_cub_sort_scratch_size.cc asks CUB itself.
Result<bool> estimateSortScratch(Module& module, PassContext& context);

}  // namespace hilo
