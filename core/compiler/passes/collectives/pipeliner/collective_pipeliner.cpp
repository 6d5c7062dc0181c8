#include "core/compiler/passes/collectives/pipeliner/collective_pipeliner.h"

#include "core/analysis/async_op.h"
#include "core/analysis/call_graph.h"
#include "core/analysis/well_formed.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/collectives/pipeliner/body_facts.h"
#include "core/compiler/passes/collectives/pipeliner/rewrites.h"
#include "core/compiler/passes/simplify/dead_code_elimination.h"

namespace hilo {
namespace {

std::string_view directionName(PipelineDirection direction) {
  switch (direction) {
    case PipelineDirection::Backward:
      return "backward";
    case PipelineDirection::Forward:
      return "forward";
    case PipelineDirection::ForwardSink:
      return "out of the loop";
  }
  return {};
}

// Loops with something to move, inner before outer.
Result<std::vector<Instruction*>> loopsToPipeline(Module& module, const PipelinerOptions& options) {
  TRY(const CallGraph graph, CallGraph::build(module));
  std::vector<Instruction*> loops;
  const auto onMain = mainComputations(module);
  const absl::flat_hash_set<const Computation*> main(onMain.begin(), onMain.end());
  for (Computation* computation : graph.postOrder()) {
    if (!main.contains(computation)) continue;
    for (Instruction* i : computation->instructions()) {
      if (i->opcode() != Opcode::While) continue;
      const auto inBody = i->get<Attr::Body>()->instructions();
      if (std::ranges::any_of(inBody, [&](const Instruction* b) { return options.shouldProcess(*b); }))
        loops.push_back(i);
    }
  }
  return loops;
}

// A trip count written beside a loop that now runs once less.
void forgetTripCount(Instruction& loop) {
  if (loop.get<Attr::BackendConfig>().find("known_trip_count") != std::string_view::npos)
    loop.erase(Attr::BackendConfig);
}

Result<bool> pipelineLoop(Instruction& loop, const PipelinerOptions& options, bool delayLarge,
                          CopyNumbers& numbers, PassContext& context) {
  // Before the search: it points into the body.
  if (!whyLoopIsFixed(loop).empty() || !inductionVariable(loop)) {
    findMoves(loop, options, delayLarge, context);  // says why not
    return false;
  }
  if (findMoves(loop, options, delayLarge, context).moves.empty() || !context.mayChange(loop)) return false;
  TRY(LoopParts parts, takeLoopApart(loop));
  PassContext unheard;
  const LoopMoves found = findMoves(loop, options, delayLarge, unheard);
  for (const PipelinedMove& move : found.moves) {
    for (const Instruction* collective : move.collectives)
      context.remark(*collective, "pipelined", fmt::format("moved {}", directionName(options.direction)));
  }
  const auto rewrite = options.direction == PipelineDirection::Backward  ? moveBackward
                       : options.direction == PipelineDirection::Forward ? moveForward
                                                                         : sinkForward;
  TRY_STATUS(rewrite(parts, found, options, numbers));
  forgetTripCount(loop);
  restoreOrder(parts);
  return true;
}

bool removeMarks(Module& module) {
  bool changed = false;
  for (Computation* computation : module.computations()) {
    for (Instruction* i : computation->instructions()) {
      if (!isCustomCall(*i, kInsertedByPreviousStep) || i->operandCount() == 0) continue;
      computation->replaceAllUses(i, i->operand(0));
      computation->remove(i);
      changed = true;
    }
  }
  return changed;
}

Result<bool> runOnce(Module& module, PassContext& context, const PipelinerOptions& options, bool delayLarge) {
  TRY(const auto loops, loopsToPipeline(module, options));
  CopyNumbers numbers = copyNumbersOf(module, options.uniqueChannels);
  bool changed = false;
  for (Instruction* loop : loops) {
    if (context.cancelled()) break;
    TRY(const bool moved, pipelineLoop(*loop, options, delayLarge, numbers, context));
    changed |= moved;
  }
  if (options.lastRun) changed |= removeMarks(module);
  PassContext unheard;
  if (changed) TRY_STATUS(eliminateDeadCode(module, unheard));
  return changed;
}

InstructionPredicate isOpcode(Opcode opcode) {
  return [opcode](const Instruction& i) { return i.opcode() == opcode; };
}

}  // namespace

Result<bool> pipelineCollectives(Module& module, PassContext& context, const PipelinerOptions& options) {
  CHECK(options.shouldProcess);
  if (module.isScheduled()) {
    return fail("already-scheduled", "collectives are pipelined before the module is scheduled", {},
                {"use the module from before scheduling"});
  }
  TRY_STATUS(requireWellFormed(module));
  if (options.direction != PipelineDirection::ForwardSink) return runOnce(module, context, options, false);
  // What others wait for comes out in a later round; large ones after all small ones.
  bool changed = false, again = true;
  while (again && !context.cancelled()) {
    TRY(again, runOnce(module, context, options, true));
    changed |= again;
  }
  TRY(const bool large, runOnce(module, context, options, false));
  return changed || large;
}

bool isMarkedPipelineable(const Instruction& instruction) {
  const auto value = frontendAttribute(instruction, "is_pipelineable");
  if (!value) return false;
  std::string lower(*value);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower == "true" || lower == "t" || lower == "yes" || lower == "y" || lower == "1";
}

Result<bool> pipelineForward(Module& module, PassContext& context, const ForwardSettings& settings) {
  PipelinerOptions options{.level = settings.level,
                           .lastRun = settings.lastRun,
                           .maxPerLoop = settings.maxPerLoop,
                           .useTree = settings.useTree,
                           .differentSizes = settings.differentSizes,
                           .uniqueChannels = settings.uniqueChannels};
  bool changed = false;
  for (const auto& [opcode, isOn] : {std::pair(Opcode::AllReduce, settings.allReduce),
                                     std::pair(Opcode::ReduceScatter, settings.reduceScatter)}) {
    if (!isOn) continue;
    options.shouldProcess = isOpcode(opcode);
    TRY(const bool moved, pipelineCollectives(module, context, options));
    changed |= moved;
  }
  return changed;
}

Result<bool> pipelineBackward(Module& module, PassContext& context, const BackwardSettings& settings) {
  return pipelineCollectives(module, context,
                             {.direction = PipelineDirection::Backward,
                              .shouldProcess = isOpcode(Opcode::AllGather),
                              .maxPerLoop = settings.maxPerLoop,
                              .allowControlDependencies = settings.allowControlDependencies,
                              .includeInvariantOperations = settings.includeInvariantOperations,
                              .uniqueChannels = settings.uniqueChannels});
}

Result<bool> sinkCollectives(Module& module, PassContext& context, const SinkSettings& settings) {
  return pipelineCollectives(module, context,
                             {.direction = PipelineDirection::ForwardSink,
                              .shouldProcess = isOpcode(Opcode::AllReduce),
                              .maxPerLoop = settings.maxPerLoop,
                              .useTree = settings.useTree,
                              .differentSizes = settings.differentSizes,
                              .sizeToDelaySinking = settings.sizeToDelaySinking,
                              .uniqueChannels = settings.uniqueChannels});
}

Result<bool> pipelineAsForGpu(Module& module, PassContext& context, const GpuPipeliningSettings& settings) {
  TRY(const bool forward, pipelineForward(module, context,
                                          {.allReduce = settings.allReduce,
                                           .reduceScatter = settings.reduceScatter,
                                           .maxPerLoop = settings.maxPerLoop}));
  if (!settings.allGather) return forward;
  TRY(const bool backward, pipelineBackward(module, context, {.maxPerLoop = settings.maxPerLoop}));
  return forward || backward;
}

}  // namespace hilo
