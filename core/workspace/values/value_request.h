// Whose values are asked for: a module's, by an engine, on these arguments.
#pragma once

#include "core/workspace/run/runs.h"

namespace hilo {

struct ValueRequest {
  std::shared_ptr<const Module> module;
  std::string engine = "reference";
  ArgumentSource arguments;
  int64_t devices = 0;  // as RunRequest's
  std::optional<WorkerOptions> worker = std::nullopt;
};

}  // namespace hilo
