// Which layout an inferred kernel has at a site.
#pragma once

#include "core/compiler/codegen/warpgroup/launch_form.h"

namespace hilo::warpgroup {

// Null: the value there has none.
const inference::LayoutConstant* layoutAt(const inference::KernelLayouts& layouts,
                                          const inference::ValueSite& site);
// Of an array in shared memory; "kernel-lowering" of anything else.
Result<inference::SharedTransforms> transformsAt(const inference::KernelDescription& kernel,
                                                 const inference::KernelLayouts& layouts,
                                                 const inference::ValueSite& site);

}  // namespace hilo::warpgroup
