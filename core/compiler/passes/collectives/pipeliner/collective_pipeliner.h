// Moves collectives of a loop to another iteration, so that they overlap with a whole iteration's work
// instead of what is left of their own.
//
//  - forward: a collective whose result is only stored (by a dynamic-update-slice into what the loop carries)
//    runs one iteration later. The first iteration moves in front of the loop; the last collective behind it.
//  - backward: a collective whose operands come from what does not change and the counter runs one iteration
//    earlier. The first collective moves in front of the loop; the last iteration behind it.
//  - forward-sink: the same collectives as forward leave the loop: their operands are stacked, and one
//    collective behind the loop does the work of all iterations, with everything between it and the store
//    given one more dimension.
//
// Behaves like XLA's service/collective_pipeliner.cc. On purpose unlike it: sinking is refused unless the
// iterations store each slice exactly once, and the end value of an inner loop's counter is computed from
// what that loop starts with. Works on modules that are not scheduled yet.
#pragma once

#include <functional>

#include "core/compiler/pass/pass.h"

namespace hilo {

enum class PipelineDirection : uint8_t { Backward, Forward, ForwardSink };

using InstructionPredicate = std::function<bool(const Instruction&)>;

struct PipelinerOptions {
  PipelineDirection direction = PipelineDirection::Forward;
  // Which instructions to move. Must be set.
  InstructionPredicate shouldProcess;
  // How often the loop was pipelined before (forward): a second round finds its stores by the marks of the
  // first, which leaves them when lastRun is false.
  int64_t level = 0;
  bool lastRun = true;
  int64_t maxPerLoop = INT64_MAX;
  // Follow results with several users and elementwise operations with several operands.
  bool useTree = false;
  // Allow results of another size than the operand.
  bool differentSizes = true;
  // What may stand between the collective and its store. Null: all that can.
  InstructionPredicate acceptableFormatting;
  // Forward: keep the operand in the slice the result goes to, when they are alike, instead of carrying
  // it. Null: yes.
  InstructionPredicate reuseBuffer;
  // Backward: elements of what the loop carries that change but may be read. Null: none.
  InstructionPredicate allowLoopVariantParameter;
  bool allowControlDependencies = false;
  bool includeInvariantOperations = false;
  // Backward: another instruction whose operands move along. Null: none.
  std::function<Instruction*(Instruction&)> additionalChainStart;
  // ForwardSink: collectives of this many elements or more move after all smaller ones.
  int64_t sizeToDelaySinking = INT64_MAX;
  bool uniqueChannels = true;
  // Called on copies: in front of the loop, within it, and behind it (backward).
  std::function<void(Instruction&)> onPeeled, onRotated, onTrailing;
};

// Error kinds: "already-scheduled", "module-too-large", "malformed-module".
Result<bool> pipelineCollectives(Module& module, PassContext& context, const PipelinerOptions& options);

// The custom calls that mark what one round leaves for the next.
inline constexpr std::string_view kInsertedByPreviousStep = "InsertedByPreviousStep";
inline constexpr std::string_view kSunkByPreviousStep = "SunkByPreviousStep";

// is_pipelineable="true" (or "1", "yes", "t", "y") among the frontend attributes.
bool isMarkedPipelineable(const Instruction& instruction);

// The passes, with what can be set of them. All-reduces forward, then reduce-scatters.
struct ForwardSettings {
  bool allReduce = true, reduceScatter = true;
  int64_t level = 0;
  bool lastRun = true;
  int64_t maxPerLoop = kUnlimited;
  bool useTree = false;
  bool differentSizes = true;
  bool uniqueChannels = true;
};
Result<bool> pipelineForward(Module& module, PassContext& context, const ForwardSettings& settings = {});

// All-gathers backward.
struct BackwardSettings {
  int64_t maxPerLoop = kUnlimited;
  bool allowControlDependencies = false;
  bool includeInvariantOperations = false;
  bool uniqueChannels = true;
};
Result<bool> pipelineBackward(Module& module, PassContext& context, const BackwardSettings& settings = {});

// All-reduces out of the loop.
struct SinkSettings {
  int64_t maxPerLoop = kUnlimited;
  bool useTree = true;
  bool differentSizes = true;
  int64_t sizeToDelaySinking = kUnlimited;
  bool uniqueChannels = true;
};
Result<bool> sinkCollectives(Module& module, PassContext& context, const SinkSettings& settings = {});

// XLA's choices for GPU: forward, then backward.
struct GpuPipeliningSettings {
  bool allReduce = true, reduceScatter = true, allGather = true;
  int64_t maxPerLoop = kUnlimited;
};
Result<bool> pipelineAsForGpu(Module& module, PassContext& context,
                              const GpuPipeliningSettings& settings = {});

}  // namespace hilo
