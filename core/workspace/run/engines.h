// The engines there are. The one place where runtime's table meets what fills it.
#pragma once

#include <string_view>

#include "core/runtime/engine/engine.h"

namespace hilo {

struct CodegenEngine;

// The flag of engines that can round every sum as StableHLO's specification says: for programs that hold
// answers computed so.
inline constexpr std::string_view kSumsAsSpecified = "sums-as-specified";

// Made at the first call, with Hilo's own engines in it.
EngineTable& engineTable();

// Kind "unknown-engine".
Result<const Engine*> engineNamed(std::string_view name);

// The engine of this name, which makes programs; where none is named the first of the table that does. Kinds
// "unknown-engine", "no-programs".
Result<const Engine*> compilingEngine(std::string_view name = {});
// The name of that one, and of the pass pipeline in front of it.
const std::string& defaultEngine();
// The evaluator. With a worker it runs in a process of the worker's program; where that is to start nothing
// (WorkerOptions::command is empty) or there is none, in this one, within the limits.
bool isReference(const Engine& engine);
// How such an engine makes kernels: for those who list them.
const CodegenEngine& codegenOf(const Engine& engine);
// The one that compiles what a pipeline of this name gives; null where none does.
const Engine* engineOfPipeline(std::string_view pipeline);

}  // namespace hilo
