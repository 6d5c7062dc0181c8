#include "core/workspace/kernels/inferred_kernel.h"

#include <algorithm>

#include "core/analysis/kernel_layouts/inference/kernel_text.h"

namespace hilo {

Result<InferredKernel> inferText(std::string_view text, const inference::SearchLimits& limits) {
  InferredKernel inferred;
  TRY(inferred.kernel, inference::parseKernel(text));
  TRY(inferred.layouts, inference::inferLayouts(inferred.kernel, limits));
  return inferred;
}

Result<InferredKernel> inferPayload(std::string_view bytes, const std::string& path,
                                    const inference::SearchLimits& limits) {
  TRY(StudiedKernel studied, studyKernel(bytes, path, limits.cancel));
  const auto isError = [](const Diagnostic& one) { return one.severity == Severity::kError; };
  if (const auto first = std::ranges::find_if(studied.problems, isError); first != studied.problems.end())
    return std::unexpected(*first);
  if (studied.description.kernelText.empty())
    return fail("no-kernel-text",
                "layouts of this kernel cannot be inferred: " + studied.description.noKernelText,
                {.file = path});
  auto inferred = inferText(studied.description.kernelText, limits);
  if (!inferred) {
    inferred.error().place.file = path;
    return inferred;
  }
  inferred->studied = std::move(studied);
  return inferred;
}

Result<InferredKernel> inferCall(const Instruction& instruction, const inference::SearchLimits& limits) {
  TRY(const KernelPayload payload, kernelPayload(instruction));
  return inferPayload(payload.module, std::string(instruction.name()), limits);
}

}  // namespace hilo
