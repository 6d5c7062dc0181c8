// What a module runs on where no engine is named.
#pragma once

#include <string>

#include "core/base/diagnostic.h"
#include "core/hlo/ir/module.h"

namespace hilo {

struct FittingEngine {
  std::string name;
  Diagnostics obstacles;  // what keeps the default engine from running it, where it is not that one

  // "engine reference: cpu cannot run it: ..."; "" where it is the default one.
  std::string note() const;
};

// The default engine (engines.h), or, where that cannot run the module and the evaluator can, the evaluator.
FittingEngine fittingEngine(const Module& module);

}  // namespace hilo
