#include "core/workspace/run/chosen_engine.h"

#include <fmt/format.h>

#include <ranges>

#include "core/analysis/implied_devices.h"
#include "core/compiler/passes/canonicalize/refine_shapes.h"
#include "core/workspace/run/engines.h"
#include "core/workspace/run/engines_apart.h"
#include "core/workspace/run/run_estimate.h"
#include "core/workspace/run/runs.h"

namespace hilo {
namespace {

bool isNumber(std::string_view text) {
  return !text.empty() && text.size() < 5 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

EngineSettings ChosenEngine::settings() const { return {.flags = flags, .deviceNumber = deviceNumber}; }

Result<ChosenEngine> chooseEngine(const std::string& text) {
  ChosenEngine chosen;
  TRY(chosen.engine, engineApart(text));
  if (chosen.engine != nullptr) return chosen;
  const size_t colon = text.find(':');
  TRY(chosen.engine, engineNamed(text.substr(0, colon)));
  if (colon == std::string::npos) return chosen;
  for (const auto part : std::views::split(std::string_view(text).substr(colon + 1), '+')) {
    const std::string flag(part.begin(), part.end());
    if (chosen.engine->hasNumbers && isNumber(flag)) {
      chosen.deviceNumber = std::stoll(flag);
      continue;
    }
    if (std::ranges::find(chosen.engine->flags, flag, &EngineFlag::name) == chosen.engine->flags.end()) {
      std::vector<std::string> names;
      for (const EngineFlag& known : chosen.engine->flags) names.push_back(known.name);
      return fail("unknown-engine", fmt::format("{} has no flag '{}'", chosen.engine->name, flag), {},
                  {names.empty() ? "it has none" : fmt::format("there are: {}", fmt::join(names, ", "))});
    }
    chosen.flags.push_back(flag);
  }
  return chosen;
}

// Constants whose values were not printed are filled before anything is compiled.
Diagnostics obstaclesOn(const Engine& engine, const Module& module, DeviceGrid grid) {
  if (grid.count() > 1 && engine.canRunOnDevices == nullptr)
    return {{.kind = "one-device", .message = fmt::format("{} runs on one device", engine.name)}};
  Diagnostics obstacles = grid.count() == 1 ? engine.canRun(module) : engine.canRunOnDevices(module, grid);
  std::erase_if(obstacles, [](const Diagnostic& it) { return it.kind == "elided-constant"; });
  return obstacles;
}

namespace {

// Custom calls that compare values, which only `hilo check` knows.
bool holdsChecks(const Module& module) {
  return std::ranges::any_of(module.computations(), [](const Computation* computation) {
    return std::ranges::any_of(computation->instructions(), [](const Instruction* instruction) {
      return instruction->opcode() == Opcode::CustomCall &&
             std::string_view(instruction->get<Attr::CustomCallTarget>()).starts_with("check.expect");
    });
  });
}

// What the evaluator would take goes with it, where that is much: it is no advice otherwise.
std::string adviceOf(const Engine& evaluator, const Module& module, DeviceGrid grid) {
  const RunRequest request{.module = std::shared_ptr<const Module>(std::shared_ptr<const Module>(), &module),
                           .engine = evaluator.name,
                           .devices = grid.count()};
  const RunEstimate estimate = estimateRuns({&request, 1});
  if (estimate.memoryBytes > estimate.freeBytes)
    return fmt::format("the engine {} would need more memory: {}", evaluator.name, estimateText(estimate));
  if (!estimate.isLarge()) return fmt::format("the engine {} can run it", evaluator.name);
  return fmt::format("the engine {} can run it, in {}", evaluator.name, estimateText(estimate));
}

}  // namespace

Status checkObstacles(const Engine& engine, const Module& module, DeviceGrid grid) {
  const Diagnostics obstacles = obstaclesOn(engine, module, grid);
  if (obstacles.empty()) return {};
  std::vector<std::string> notes;
  if (hasOpenShapes(module))
    notes.emplace_back("its sizes are open: the shapes of its arguments (--argument-shapes) settle them");
  for (const Diagnostic& obstacle : obstacles) notes.push_back(toString(obstacle));
  if (holdsChecks(module)) {
    notes.emplace_back("it is a test program that holds its own answers: `hilo check FILE` runs it");
  } else if (const int64_t implied = impliedGrid(module).count(); implied > 1 && grid.count() == 1) {
    notes.push_back(
        fmt::format("its collectives are of {0} devices: --devices {0} runs it on as many", implied));
  }
  const Engine& evaluator = **engineNamed(RunRequest().engine);
  if (!isReference(engine) && obstaclesOn(evaluator, module, grid).empty())
    notes.push_back(adviceOf(evaluator, module, grid));
  return fail("not-runnable", fmt::format("{} cannot be run by {}", module.name(), engine.name), {},
              std::move(notes));
}

}  // namespace hilo
