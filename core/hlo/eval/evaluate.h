// The reference evaluator: runs a module, or one instruction, on literals. It is the oracle other engines are
// compared with and what constant folding calls, so it aims at plain correctness: the semantics of XLA's
// HloEvaluator for every opcode and element type that has any (narrow floats are widened to f32 for each
// operation and rounded back; integers wrap). Sums of products and sums of floats go further than XLA's own:
// they run in f64 and round once, so that a difference found is the other side's.
//
// Layouts do not matter (literals are row-major) except to bitcast. Threads: the calling one, which others
// help with large products; several evaluations may share a const Module. Memory: values are freed after last
// use. Input may be hostile: what is malformed or unsupported is a Diagnostic naming the instruction.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <functional>
#include <span>

#include "core/base/cancel.h"
#include "core/base/diagnostic.h"
#include "core/base/result.h"
#include "core/hlo/ir/device_grid.h"
#include "core/hlo/ir/module.h"

namespace hilo {

struct EvalOptions {
  CancelToken cancel;
  // Instructions executed, those inside loops and called computations counted each time. Kind "step-limit".
  int64_t maxSteps = int64_t{1} << 40;
  // Iterations of any one while loop. Kind "step-limit".
  int64_t maxLoopIterations = int64_t{1} << 40;
  // Bytes of intermediate values alive at once. Kind "memory-limit".
  int64_t maxLiveBytes = int64_t{1} << 35;
  // Calls within calls. Kind "depth-limit".
  int maxDepth = 200;
  // Sums of products in the operands' own type (no narrower than f32), each product rounded and then added,
  // in order: what StableHLO's specification says and its test data expect, and XLA's evaluator does.
  // Otherwise as told at the top.
  bool sumsAsSpecified = false;
  // What replica-id and partition-id give.
  int64_t replicaId = 0;
  int64_t partitionId = 0;
  // Seeds `rng` and the state behind rng-get-and-update-state; the same seed gives the same numbers.
  uint64_t seed = 0;
  // Values to use in place of elided constants (arguments.h makes them). May be null.
  const absl::flat_hash_map<const Instruction*, Literal>* constants = nullptr;
  // What infeeds take: one list for all devices or one a device; none: they find nothing. Belongs
  // to the caller.
  std::span<const InfeedValues> infeeds;
  // Called with each value of the entry computation as it is made, when set. Used to compare engines
  // instruction by instruction.
  std::function<void(const Instruction&, const Literal&)> observe;
};

// Runs the entry computation on one literal a parameter; of a module with an outfeed the output is as
// host_feed.h says. Errors: "unsupported-opcode", "unsupported-type",
// "unsupported-dynamic-shape", "malformed-instruction", "wrong-argument", "elided-constant", "infeed-empty",
// "cancelled", and the limits above.
Result<Literal> evaluate(const Module& module, std::span<const Literal> arguments,
                         const EvalOptions& options = {});

// Runs one computation the same way; what its outfeeds give goes nowhere.
Result<Literal> evaluateComputation(const Computation& computation, std::span<const Literal> arguments,
                                    const EvalOptions& options = {});

// Runs one instruction on the values of its operands.
Result<Literal> evaluateInstruction(const Instruction& instruction, std::span<const Literal* const> operands,
                                    const EvalOptions& options = {});

// Everything reachable from the entry computation that evaluation on these devices would refuse (one device
// cannot exchange data with others, see devices.h for several), one Diagnostic an instruction, without
// running anything. Empty: it can run (though values may still be refused, such as an elided constant
// without a replacement).
Diagnostics checkRunnable(const Module& module, DeviceGrid grid = {});

}  // namespace hilo
