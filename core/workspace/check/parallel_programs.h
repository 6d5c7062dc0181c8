// Programs that run others on several devices: custom calls "interpreter.run_parallel" of the
// public test data.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/hlo/ir/literal.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// Runs a module without parameters once, its sums as specified where the engine can. Kinds: "unknown-engine",
// "not-runnable", the engine's own.
Result<Literal> runOnce(std::shared_ptr<const Module> module, const std::string& engine,
                        const CancelToken& cancel);

// Makes the entry return `results`, in a tuple. What the module says of its old result (its layout, aliases
// of its parts with parameters) goes. The results come before `before`, or are anywhere when it is null.
void setEntryResults(Module& module, const std::vector<Instruction*>& results, Instruction* before = nullptr);

// Runs each run_parallel of the entry, in order, on as many devices as it asks for, and puts what came out in
// its place as constants. Kind "not-runnable" for grids whose devices run different programs on an engine
// that cannot, and for several devices with one infeed.
Status runParallelPrograms(Module& module, const std::string& engine, const CancelToken& cancel);

}  // namespace hilo
