// The functions of lints.def: each adds what it finds, in the module's order; lint() fills in the kind.
#pragma once

#include "core/analysis/lint/lint.h"

namespace hilo {

#define LINT(kind, function, description) void function(const Module& module, LintFindings& found);
#include "core/analysis/lint/lints.def"
#undef LINT

}  // namespace hilo
