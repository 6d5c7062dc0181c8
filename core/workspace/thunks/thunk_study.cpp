#include "core/workspace/thunks/thunk_study.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/runtime/executor/execution_graph.h"
#include "core/workspace/run/cpu_engine.h"
#include "core/workspace/thunks/thunk_times.h"

namespace hilo {

struct KernelSources {
  std::shared_ptr<const Module> module, compiled;
  ProgramTarget target;
  // Bitcode of each kernel with lines, made when the first is asked for.
  mutable std::mutex mutex;
  mutable std::vector<std::string> bitcode;
};

namespace {

ThunkUse useOf(const Program& program, const BufferUse& use) {
  static constexpr const char* kKinds[] = {"temporary", "parameter", "constant", "device ids"};
  const BufferSlice& slice = use.slice;
  const Allocation& allocation = program.allocations[slice.allocation];
  const uint32_t number = allocation.kind == AllocationKind::Temporary ? slice.allocation : allocation.number;
  return {.allocation = slice.allocation,
          .offsetBytes = slice.offsetBytes,
          .sizeBytes = slice.sizeBytes,
          .writes = use.writes,
          .place = fmt::format("{} {} [{}, {})", kKinds[static_cast<size_t>(allocation.kind)], number,
                               slice.offsetBytes, slice.endBytes()),
          .value = allocation.kind == AllocationKind::Parameter && program.parameters.size() > number &&
                           program.parameters[number].isArray()
                       ? program.parameterNames[number]
                       : ""};
}

// What two thunks, in this order, have to do with each other's bytes; whatever they run counts as theirs.
ThunkHazard hazardBetween(const std::vector<BufferUse>& before, const std::vector<BufferUse>& after) {
  ThunkHazard hazard;
  for (const BufferUse& a : before) {
    for (const BufferUse& b : after) {
      if (!a.slice.overlaps(b.slice)) continue;
      hazard.readAfterWrite |= a.writes && !b.writes;
      hazard.writeAfterRead |= !a.writes && b.writes;
      hazard.writeAfterWrite |= a.writes && b.writes;
    }
  }
  return hazard;
}

std::string partName(const Thunk& parent, size_t which) {
  if (parent.kind() == ThunkKind::While) return which == 0 ? "condition" : "body";
  return fmt::format("branch {}", which);
}

// Thunks of a program as a list, bodies after the thunk that runs them.
class ProgramReader {
 public:
  ProgramReader(const Program& program, const Module& module, const Module& compiled)
      : program_(program), module_(module), compiled_(compiled) {
    placeOf_.resize(program.sequences.size());
    addSequence(0, StudiedThunk::kNone, "");
  }

  void addTimes(const ThunkRuns& runs) {
    std::vector<std::vector<int64_t>> sums(study.thunks.size(),
                                           std::vector<int64_t>(runs.byItself.size(), -1));
    for (size_t run = 0; run < runs.byItself.size(); ++run) {
      for (const ThunkEvent& event : runs.byItself[run]) {
        const auto place = placeOf(event);
        if (!place) continue;
        int64_t& sum = sums[*place][run];
        sum = std::max<int64_t>(sum, 0) + event.durationNs;
      }
    }
    for (size_t i = 0; i < sums.size(); ++i) study.thunks[i].measuredNs = medianOf(sums[i]);
    for (const ThunkEvent& event : runs.together) {
      if (const auto place = placeOf(event))
        study.timeline.push_back({*place, event.device, event.thread, event.startNs, event.durationNs});
    }
    study.droppedSpans = runs.dropped;
  }

  ThunkStudy study;

 private:
  // A sequence that several thunks run stands in the list once for each; the first has the time.
  std::optional<uint32_t> placeOf(const ThunkEvent& event) const {
    const auto& places = placeOf_[event.sequence];
    return places.empty() ? std::nullopt : std::optional(places[0] + event.thunk);
  }

  void addSequence(uint32_t sequence, uint32_t parent, const std::string& part) {
    const auto first = static_cast<uint32_t>(study.thunks.size());
    placeOf_[sequence].push_back(first);
    const ThunkSequence& thunks = program_.sequences[sequence];
    for (const Thunk& thunk : thunks) study.thunks.push_back(studied(thunk, parent, part));
    addHazards(sequence, first);
    for (uint32_t i = 0; i < thunks.size(); ++i) {
      const std::vector<uint32_t> nested = nestedSequences(thunks[i]);
      for (size_t k = 0; k < nested.size(); ++k) addSequence(nested[k], first + i, partName(thunks[i], k));
    }
  }

  StudiedThunk studied(const Thunk& thunk, uint32_t parent, const std::string& part) const {
    StudiedThunk made;
    made.name = thunk.name;
    made.kind = thunkKindName(thunk.kind());
    made.parent = parent;
    made.part = part;
    made.guessNs = thunk.costNs;
    const InstructionId of = expandedFrom(module_, compiled_, InstructionId{thunk.instruction});
    if (of.valid()) made.instructions.push_back(of);
    for (const BufferUse& use : bufferUses(thunk)) {
      made.uses.push_back(useOf(program_, use));
      made.usedBytes += use.slice.sizeBytes;
    }
    if (const auto* kernel = std::get_if<KernelThunk>(&thunk.body)) made.kernel = kernel->kernel;
    if (const auto* sort = std::get_if<SortThunk>(&thunk.body)) made.kernel = sort->comparator;
    return made;
  }

  void addHazards(uint32_t sequence, uint32_t first) {
    const ExecutionGraph graph = makeExecutionGraph(program_, sequence);
    std::vector<std::vector<BufferUse>> uses;
    for (const Thunk& thunk : program_.sequences[sequence]) uses.push_back(allBufferUses(program_, thunk));
    for (uint32_t from = 0; from < graph.nodes.size(); ++from) {
      for (uint32_t to : graph.nodes[from].successors) {
        ThunkHazard hazard = hazardBetween(uses[from], uses[to]);
        hazard.from = first + from;
        hazard.to = first + to;
        study.hazards.push_back(hazard);
      }
    }
  }

  const Program& program_;
  const Module &module_, &compiled_;
  std::vector<std::vector<uint32_t>> placeOf_;  // by sequence: where each of its copies begins
};

KernelForm joined(std::string title, ListedCode code, const KernelSources& sources) {
  KernelForm form{.title = std::move(title), .text = std::move(code.text), .instructions = {}};
  for (const uint32_t of : code.instructions)
    form.instructions.push_back(of == ListedCode::kNone
                                    ? InstructionId()
                                    : expandedFrom(*sources.module, *sources.compiled, InstructionId{of}));
  return form;
}

}  // namespace

Result<ThunkStudy> studyThunks(std::shared_ptr<const Module> module,
                               const std::optional<WorkerOptions>& worker, const JobContext& context) {
  context.progress(-1, "compiling");
  TRY(const WalkedModule walked, walkedModule({.module = std::move(module), .engine = "cpu"}));
  auto kernels = std::make_shared<KernelSources>();
  kernels->module = walked.module;
  TRY(kernels->compiled, expandedForCpu(walked.module, context.cancel()));
  TRY(CompiledModule compiled, compileForCpu(kernels->compiled, {.runsPasses = false}, context.cancel()));
  kernels->target = compiled.program.target;
  const auto program = std::make_shared<const Program>(std::move(compiled.program));
  ProgramReader reader(*program, *walked.module, *kernels->compiled);
  ThunkStudy& study = reader.study;
  study.title = fmt::format("compiled as it stands for {}", program->target.cpu);
  if (walked.grid.count() > 1) study.title += fmt::format(", on {} devices", walked.grid.count());
  study.kernels = std::move(kernels);
  study.isChecked = study.thunks.size() <= kMostForRaces;
  if (study.isChecked) study.races = findRaces(study);
  TRY(const ThunkRuns runs, runThunks(program, walked, worker, true, context));
  reader.addTimes(runs);
  return std::move(study);
}

Result<KernelForms> kernelForms(const ThunkStudy& study, uint32_t thunk) {
  const StudiedThunk& of = study.thunks[thunk];
  if (study.kernels == nullptr || of.kernel == StudiedThunk::kNone)
    return fail("no-kernel", fmt::format("{} runs no kernel of Hilo's own", of.name));
  const KernelSources& sources = *study.kernels;
  KernelForms forms;
  if (!of.instructions.empty())
    forms.forms.push_back(hloForm(*sources.module->instruction(of.instructions[0])));
  const std::lock_guard lock(sources.mutex);
  if (sources.bitcode.empty()) {
    TRY(sources.bitcode, emitKernels(*sources.compiled, sources.target));
  }
  if (of.kernel >= sources.bitcode.size())
    return fail("no-kernel", fmt::format("{} runs a kernel that is not there", of.name));
  TRY(KernelListing listing, listKernel(sources.bitcode[of.kernel], sources.target));
  forms.forms.push_back(joined("LLVM IR as emitted", std::move(listing.before), sources));
  forms.forms.push_back(joined("LLVM IR, optimised", std::move(listing.after), sources));
  forms.forms.push_back(joined("assembly", std::move(listing.assembly), sources));
  return forms;
}

}  // namespace hilo
