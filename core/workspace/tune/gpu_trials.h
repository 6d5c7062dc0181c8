// One instruction's kernels for a GPU, compiled side by side, run and judged. Private to the tuner.
#pragma once

#include "core/compiler/codegen/gpu/kernel_variants.h"
#include "core/workspace/tune/gpu_tune.h"
#include "core/workspace/tune/trials.h"

namespace hilo {

// The default first, then the variants in their order. Kind "cancelled"; other failures are in the rows.
Result<std::vector<TriedKernel>> tryKernels(const TrialModule& trial,
                                            const std::vector<KernelVariant>& variants,
                                            const GpuTuneRequest& request, const JobContext& context);

// Answers in clusters: each is of the first that it is like. `trusted` says of each answer whether its maker
// is. Gives for each answer whether it is in the right cluster, that with the most trusted answers; of equal
// ones the one that was begun first.
std::vector<bool> rightAnswers(const std::vector<bool>& trusted,
                               const std::function<bool(size_t first, size_t other)>& isAlike);

// Of those that work: the quickest, or one within 2 us of it that needs less scratch. Null: none works.
const TriedKernel* bestKernel(const std::vector<TriedKernel>& tried);

}  // namespace hilo
