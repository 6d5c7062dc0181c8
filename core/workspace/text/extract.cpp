#include "core/workspace/text/extract.h"

#include "core/analysis/extract.h"
#include "core/hlo/text/print.h"

namespace hilo {

Result<std::string> extractAsText(const Module& module, std::span<const InstructionId> wanted) {
  TRY(const auto extracted, extractModule(module, wanted));
  return printModule(*extracted, PrintOptions::asRead(*extracted));
}

}  // namespace hilo
