// An engine as text names it, with flags: "reference", "cpu:quick+no-cache", "cuda:1", or one that runs in a
// process of its own (engines_apart.h).
#pragma once

#include "core/runtime/engine/engine.h"

namespace hilo {

struct ChosenEngine {
  const Engine* engine = nullptr;
  std::vector<std::string> flags;
  int64_t deviceNumber = 0;

  // Of these flags and this device, and nothing else.
  EngineSettings settings() const;
};

// Kind "unknown-engine", of flags too.
Result<ChosenEngine> chooseEngine(const std::string& text);

// What keeps the engine from running the module on these devices. Constants whose values were not printed do
// not: they are filled before anything is compiled.
Diagnostics obstaclesOn(const Engine& engine, const Module& module, DeviceGrid grid);
// Kind "not-runnable", with all of them in its notes.
Status checkObstacles(const Engine& engine, const Module& module, DeviceGrid grid);

}  // namespace hilo
