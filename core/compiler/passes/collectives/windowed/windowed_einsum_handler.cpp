#include "core/compiler/passes/collectives/windowed/windowed_einsum_handler.h"

#include <algorithm>

#include "core/analysis/well_formed.h"
#include "core/analysis/while_loop.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/pass/next_channel.h"
#include "core/compiler/passes/collectives/windowed/gathered_operand.h"
#include "core/compiler/passes/collectives/windowed/loop_sums.h"
#include "core/compiler/passes/collectives/windowed/scaled_operand.h"
#include "core/compiler/passes/collectives/windowed/split_all_to_all.h"
#include "core/compiler/passes/gpu_config.h"
#include "core/compiler/passes/loops/loop_elements.h"
#include "core/compiler/passes/loops/loop_unroller.h"
#include "core/compiler/passes/simplify/dead_code_elimination.h"

namespace hilo {
namespace {

constexpr std::string_view kGathers = "windowed_dot_general_body_ag";
constexpr std::string_view kScatters = "windowed_dot_general_body_rs";

int64_t dotsIn(const Computation& computation) {
  return std::ranges::count(computation.instructions(), Opcode::Dot, &Instruction::opcode);
}

bool isWindowed(const Instruction& loop) {
  const Computation* body = loop.get<Attr::Body>();
  if (body == nullptr || !(body->name().starts_with(kGathers) || body->name().starts_with(kScatters)))
    return false;
  return dotsIn(*body) > 1 || (dotsIn(*body) == 1 && tripCount(loop).value_or(1) > 1);
}

std::vector<Instruction*> windowedLoops(Module& module, PassContext& context) {
  std::vector<Instruction*> loops;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* loop : whileLoopsOf(*computation)) {
      if (!isWindowed(*loop)) continue;
      const std::string_view fixed = whyLoopIsFixed(*loop);
      if (fixed.empty()) {
        loops.push_back(loop);
      } else {
        context.remark(*loop, "missed", std::string(fixed));
      }
    }
  }
  return loops;
}

// Why the iterations cannot be written out; empty where they can.
std::string whyNotUnrolled(const Instruction& loop) {
  const UnrollLimits limits;
  const auto counter = inductionVariable(loop);
  const Computation& body = *loop.get<Attr::Body>();
  if (!counter || counter->trips < 1) return "its trips are not known";
  if (!whileLoopsOf(body).empty()) return "there are loops in it";
  if (counter->trips > limits.trips) return fmt::format("it runs {} times", counter->trips);
  const int64_t made = static_cast<int64_t>(body.instructionCount()) * counter->trips;
  return made > limits.instructions ? fmt::format("it would make {} instructions", made) : "";
}

// The permute of what the loop starts with is sent first; each dot has a queue of its own.
void assignQueues(const LoopParts& parts, int64_t sentFirst, int64_t queue) {
  for (Instruction* i : parts.body->instructions()) {
    if (i->opcode() == Opcode::Dot)
      setGpuConfig(*i, "", "operation_queue_id", fmt::format("\"{}\"", queue++));
    if (i->opcode() != Opcode::CollectivePermute || i->operandCount() != 1) continue;
    const Instruction& sent = *i->operand(0);
    if (sent.opcode() == Opcode::GetTupleElement && sent.operand(0) == parts.parameter &&
        sent.tupleIndex() == sentFirst)
      setGpuConfig(*i, "", "force_earliest_schedule", "true");
  }
}

void keepThoughItRunsOnce(Instruction& loop) {
  const auto old = loop.get<Attr::FrontendAttributes>();
  std::vector<FrontendAttribute> attributes(old.begin(), old.end());
  attributes.push_back({kKeepLoopThatRunsOnce, "true"});
  loop.set<Attr::FrontendAttributes>(attributes);
}

Result<bool> writeOut(Instruction& loop, PassContext& context, CopyNumbers& numbers, int64_t queue) {
  if (const std::string reason = whyNotUnrolled(loop); !reason.empty()) {
    context.remark(loop, "missed", fmt::format("not unrolled: {}", reason));
    return false;
  }
  if (!context.mayChange(loop)) return false;
  Module& module = loop.module();
  const int64_t trips = inductionVariable(loop)->trips;
  const std::string body(loop.get<Attr::Body>()->name()), condition(loop.get<Attr::Condition>()->name());
  context.remark(loop, "unrolled", fmt::format("{} times, kept as a loop", trips));
  TRY(LoopParts parts, takeLoopApart(loop));
  TRY_STATUS(unrollBody(parts, trips, numbers));
  loop.erase(Attr::BackendConfig);
  restoreOrder(parts);
  parts.body->setName(module.uniqueName("unrolled_" + body));
  parts.condition->setName(module.uniqueName("unrolled_" + condition));
  keepThoughItRunsOnce(loop);
  const bool gathers = body.starts_with(kGathers);
  assignQueues(parts, gathers ? 0 : 2, queue);
  if (gathers) moveSumsBehindLoop(parts);
  return true;
}

Result<bool> scaleAndGather(Instruction& loop, PassContext& context) {
  bool scaled = false;
  if (context.mayChange(loop)) {
    TRY(scaled, moveScalingIntoLoop(loop));
  }
  if (scaled) context.remark(loop, "scaled", "8-bit floats are scaled in the loop");
  if (!loop.get<Attr::Body>()->name().starts_with(kGathers)) return scaled;
  TRY(const bool gathered, gatherInLoop(loop, context));
  return scaled || gathered;
}

}  // namespace

Result<bool> handleWindowedEinsums(Module& module, PassContext& context,
                                   const WindowedEinsumSettings& settings) {
  if (module.isScheduled()) {
    return fail("already-scheduled", "loops are unrolled before the module is scheduled", {},
                {"use the module from before scheduling"});
  }
  TRY_STATUS(requireWellFormed(module));
  const int64_t queue = nextChannel(module);
  const std::vector<Instruction*> loops = windowedLoops(module, context);
  bool changed = false;
  for (Instruction* loop : loops) {
    TRY(const bool rewritten, scaleAndGather(*loop, context));
    changed |= rewritten;
  }
  if (settings.splitAllToAll) changed |= splitAllToAlls(module, context);
  CopyNumbers numbers = copyNumbersOf(module);
  for (Instruction* loop : loops) {
    if (context.cancelled()) break;
    TRY(const bool written, writeOut(*loop, context, numbers, queue));
    changed |= written;
  }
  PassContext unheard;
  if (changed) TRY_STATUS(eliminateDeadCode(module, unheard));
  return changed;
}

}  // namespace hilo
