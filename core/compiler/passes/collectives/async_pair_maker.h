// An operation as a computation of its own that an async-start runs and an async-done waits for.
#pragma once

#include <span>

#include "core/hlo/ir/module.h"

namespace hilo {

struct AsyncPair {
  Instruction* start;
  Instruction* done;
};

// Both stand in front of the operation, which keeps its users and is left to the caller. The start gives its
// operands, its result, and what `contexts` says besides. Frontend attributes are the operation's.
AsyncPair wrappedAsync(Instruction& operation, std::span<const Shape> contexts = {});

// The pair in place of the operation, which goes: with its metadata, configuration and control dependencies.
// Copies have starts and dones of their own. As HloComputation::CreateAsyncInstructions of XLA.
AsyncPair makeAsync(Instruction& operation, std::span<const Shape> contexts = {});
// The same for a call, but that `runs` is run itself, which has the call's parameters and result.
AsyncPair makeAsyncRunning(Instruction& call, Computation& runs);

// The computation runs on this thread, such as "host".
void setThread(Computation& computation, std::string_view thread);
// The start says so, and what it runs.
void runOnThread(const AsyncPair& pair, std::string_view thread);

}  // namespace hilo
