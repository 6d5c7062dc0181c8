// Makes one fusion of a call to a library and the slices it reads and writes, so that the call works on parts
// of larger arrays where they lie: of kind kCustom, named "dynamic_slice_fusion". In it are the slices and
// dynamic-slices that operands come from, the call, the dynamic-update-slices that its results go to,
// bitcasts and get-tuple-elements in between, and the scalars that offsets are computed with. Calls are plain
// products of cuBLASLt and those of XLA's FFI. As XLA's
// backends/gpu/transforms/dynamic_slice_fusion_rewriter_v2.cc.
//
// A slice is taken along if it is one run of bytes of a multiple of 256, and if its offset was noted before
// by dynamic-slice-annotator where it is dynamic; an update if the computation gives its result, itself or in
// its tuple. Who else reads what was written reads it from the larger array. Left alone: calls with side
// effects or with tuples in tuples, and those whose result leads to something the fusion would read.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct DynamicSliceFusionSettings {
  bool reads = true, writes = true;
  bool throughBarriers = false;  // a slice is also looked for behind tuples and opt-barriers
};

Result<bool> fuseDynamicSlices(Module& module, PassContext& context,
                               const DynamicSliceFusionSettings& settings = {});

}  // namespace hilo
