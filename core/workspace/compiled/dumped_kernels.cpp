#include "core/workspace/compiled/dumped_kernels.h"

#include <fmt/format.h>

#include "core/analysis/extract.h"
#include "core/hlo/text/print.h"
#include "core/workspace/thunks/instruction_buffers.h"

namespace hilo {

std::string textWithoutNames(Module& module) {
  size_t number = 0;
  for (Computation* computation : module.computations()) computation->setName(fmt::format("c{}", number++));
  PrintOptions options = PrintOptions::canonical();
  options.largeConstants = true;
  options.backendConfig = true;
  options.ids = false;
  return printModule(module, options);
}

std::optional<DumpedKernel> DumpedKernels::named(const std::string& name) const {
  for (uint32_t file = 0; file < files_.size(); ++file) {
    const PtxFunction* function = files_[file].module.function(name);
    if (function != nullptr && function->isEntry && function->hasBody) return DumpedKernel{file, function};
  }
  return std::nullopt;
}

std::optional<DumpedKernel> DumpedKernels::of(const Instruction& instruction) {
  const InstructionId id = instruction.id();
  const auto alone = extractModule(module_, {&id, 1});
  const std::string hash = alone ? textWithoutNames(**alone) : std::string();
  if (const auto own = named(kernelNameOf(instruction.name()))) {
    if (alone) sameAs_.try_emplace(hash, *own);
    return own;
  }
  const auto same = alone ? sameAs_.find(hash) : sameAs_.end();
  return same == sameAs_.end() ? std::nullopt : std::optional(same->second);
}

}  // namespace hilo
