// A module compiled by a library of PJRT, as an engine gives it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/hlo/ir/shape.h"
#include "core/runtime/engine/engine.h"

namespace hilo {

// A library and the options of its client, as "pjrt:PATH+NAME=VALUE+..." names them.
struct PjrtName {
  std::string path;  // absolute
  std::vector<std::string> options;
  // Kind "unknown-engine" of no path.
  static Result<PjrtName> of(std::string_view text);
  std::string text() const;
};

// In this process. `module`: a HloModuleProto, whose entry gives `result`. Kinds: the library's.
Result<std::unique_ptr<Executable>> compileByPjrt(const PjrtName& name, std::string_view module,
                                                  int64_t replicas, Shape result);

}  // namespace hilo
