#include "core/workspace/run/fitting_engine.h"

#include <fmt/format.h>

#include "core/workspace/run/engines.h"
#include "core/workspace/run/runs.h"

namespace hilo {

std::string FittingEngine::note() const {
  if (obstacles.empty()) return {};
  const std::string more = obstacles.size() == 1 ? "" : fmt::format(" (and {} more)", obstacles.size() - 1);
  return fmt::format("engine {}: {} cannot run it: {}{}", name, defaultEngine(), obstacles.front().message,
                     more);
}

FittingEngine fittingEngine(const Module& module) {
  const std::string evaluator = RunRequest().engine;
  Diagnostics obstacles = whyNotRunnable(module, defaultEngine());
  if (obstacles.empty() || !whyNotRunnable(module, evaluator).empty()) return {defaultEngine(), {}};
  return {evaluator, std::move(obstacles)};
}

}  // namespace hilo
