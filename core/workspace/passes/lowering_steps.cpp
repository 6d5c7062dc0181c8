#include "core/workspace/passes/lowering_steps.h"

#include <fmt/format.h>

#include "core/base/amount_text.h"
#include "core/base/enum_table.h"
#include "core/compiler/pipelines/pipelines.h"
#include "core/runtime/engine/engine.h"
#include "core/runtime/program/allocation_name.h"

namespace hilo {
namespace {

Remark remarkOf(const Module& module, const Thunk& thunk, std::string kind, std::string message) {
  const InstructionId id{thunk.instruction};
  return {.instruction = module.instruction(id) == nullptr ? InstructionId() : id,
          .name = thunk.name,
          .kind = std::move(kind),
          .message = std::move(message)};
}

std::string placesWritten(const Program& program, const Thunk& thunk) {
  std::vector<std::string> places;
  for (const BufferUse& use : bufferUses(thunk)) {
    if (!use.writes) continue;
    const Allocation& allocation = program.allocations[use.slice.allocation];
    places.push_back(fmt::format("{} {} [{}, {})", allocationName(allocation), use.slice.allocation,
                                 use.slice.offsetBytes, use.slice.endBytes()));
  }
  return fmt::format("{}", fmt::join(places, ", "));
}

// Bytes by kind of allocation, and what the values would take in temporaries that share nothing.
struct Sizes {
  explicit Sizes(const Program& program) {
    for (const Allocation& allocation : program.allocations)
      ofKind[static_cast<size_t>(allocation.kind)] += allocation.sizeBytes;
    for (const ThunkSequence& sequence : program.sequences) {
      for (const Thunk& thunk : sequence) {
        for (const BufferUse& use : bufferUses(thunk)) {
          const bool isTemporary =
              program.allocations[use.slice.allocation].kind == AllocationKind::Temporary;
          if (use.writes && isTemporary) apart += use.slice.sizeBytes;
        }
      }
    }
  }
  int64_t of(AllocationKind kind) const { return ofKind[static_cast<size_t>(kind)]; }

  std::array<int64_t, enumCount<AllocationKind>()> ofKind{};
  int64_t apart = 0;
};

SeriesStep buffersStep(const std::shared_ptr<const Module>& module, const CompiledModule& compiled) {
  const Program& program = compiled.program;
  const Sizes sizes(program);
  SeriesStep step = makeStep(std::string(loweringSteps()[0].name), module, StepKind::Lowering);
  step.made = amount::bytes(sizes.of(AllocationKind::Temporary)) + " temporary";
  step.durationNs = compiled.times.loweringNs;
  step.remarks.push_back(
      {.kind = "memory",
       .message =
           fmt::format("{} allocations: parameters {}, constants {}, temporaries {} for {} of values",
                       program.allocations.size(), amount::bytes(sizes.of(AllocationKind::Parameter)),
                       amount::bytes(sizes.of(AllocationKind::Constant)),
                       amount::bytes(sizes.of(AllocationKind::Temporary)), amount::bytes(sizes.apart))});
  for (const ThunkSequence& sequence : program.sequences) {
    for (const Thunk& thunk : sequence) {
      if (std::string places = placesWritten(program, thunk); !places.empty())
        step.remarks.push_back(remarkOf(*module, thunk, "placed", std::move(places)));
    }
  }
  return step;
}

SeriesStep emitStep(const std::shared_ptr<const Module>& module, const CompiledModule& compiled) {
  const Program& program = compiled.program;
  size_t thunks = 0;
  SeriesStep step = makeStep(std::string(loweringSteps()[1].name), module, StepKind::Lowering);
  step.durationNs = compiled.times.kernelsNs;
  for (const ThunkSequence& sequence : program.sequences) {
    thunks += sequence.size();
    for (const Thunk& thunk : sequence) {
      std::string message;
      if (const auto* body = std::get_if<KernelThunk>(&thunk.body)) {
        const Kernel& kernel = program.kernels[body->kernel];
        message = fmt::format("kernel {}, {} of code in object {}", body->kernel,
                              amount::bytes(static_cast<int64_t>(program.objects[kernel.object].code.size())),
                              kernel.object);
      }
      step.remarks.push_back(
          remarkOf(*module, thunk, std::string(thunkKindName(thunk.kind())), std::move(message)));
    }
  }
  step.made = fmt::format("{} thunks, {} kernels", thunks, compiled.counts.kernels);
  step.remarks.insert(
      step.remarks.begin(),
      {.kind = "kernels",
       .message = fmt::format("{} kernels, {} of them distinct, {} from the cache", compiled.counts.kernels,
                              compiled.counts.distinct, compiled.counts.fromCache)});
  return step;
}

SeriesStep refusedStep(const std::shared_ptr<const Module>& module, const Diagnostic& why) {
  SeriesStep step = makeStep(std::string(loweringSteps()[0].name), module, StepKind::Lowering);
  step.made = "cannot be compiled";
  step.outcome = PassOutcome::Failed;
  step.remarks.push_back({.kind = "refused", .message = why.message});
  for (const std::string& note : why.notes) step.remarks.push_back({.kind = "refused", .message = note});
  return step;
}

}  // namespace

Result<std::vector<SeriesStep>> lowerInSteps(const ProgramCompiler& compiler,
                                             std::shared_ptr<const Module> module,
                                             const JobContext& context) {
  context.progress(-1, "compiling");
  std::vector<SeriesStep> steps;
  const auto compiled = compiler.compile(module, {.runsPasses = false}, context.cancel());
  if (compiled) {
    steps = {buffersStep(module, *compiled), emitStep(module, *compiled)};
  } else if (compiled.error().kind == "cancelled") {
    return cancelledError();
  } else {
    steps = {refusedStep(module, compiled.error())};
  }
  for (SeriesStep& step : steps) {
    step.pipeline = "lower";
    if (!step.outcome) step.outcome = PassOutcome::Unchanged;
  }
  return steps;
}

}  // namespace hilo
