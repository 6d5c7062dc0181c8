// A part of a module as HLO text that stands alone.
#pragma once

#include <span>
#include <string>

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// See core/analysis/extract.h.
Result<std::string> extractAsText(const Module& module, std::span<const InstructionId> wanted);

}  // namespace hilo
