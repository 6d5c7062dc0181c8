#include "core/workspace/thunks/thunk_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/analysis/while_loop.h"
#include "core/base/check.h"
#include "core/compiler/codegen/cpu/disassembly.h"
#include "core/compiler/codegen/gpu/gpu_codegen.h"
#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/compiler/codegen/lower/compile_module.h"
#include "core/runtime/executor/execution_graph.h"
#include "core/runtime/executor/graph_plan.h"
#include "core/runtime/program/allocation_name.h"
#include "core/runtime/program/thunk_fields.h"
#include "core/workspace/run/cpu_engine.h"
#include "core/workspace/run/engines.h"
#include "core/workspace/run/gpu_compile.h"
#include "core/workspace/run/run_arguments.h"
#include "core/workspace/thunks/gpu_forms.h"
#include "core/workspace/thunks/gpu_timeline.h"
#include "core/workspace/thunks/thunk_hazards.h"
#include "core/workspace/thunks/thunk_runs.h"
#include "core/workspace/thunks/written_bytes.h"

namespace hilo {

struct StudiedProgram {
  std::string title;
  // What compiled it, what instructions are of, and what was compiled, with library calls written out; null
  // of a saved program.
  const Engine* engine = nullptr;
  const CodegenEngine* codegen = nullptr;
  std::shared_ptr<const Module> module, compiled;
  std::shared_ptr<const Program> program;
  // Of a program for a GPU, by sequence and thunk; empty: the compiler's estimates.
  std::vector<std::vector<int64_t>> estimatedNs;
  std::vector<uint32_t> firstOf;  // by sequence: where its first thunk stands in the study; kNone: nowhere
  // Bitcode of each kernel with lines, made when the first is asked for.
  mutable std::mutex mutex;
  mutable std::vector<std::string> bitcode;
};

namespace {

// As many as a compiled module may have.
constexpr size_t kMostThunks = 2'000'000;

ThunkUse useOf(const Program& program, const BufferUse& use) {
  const BufferSlice& slice = use.slice;
  const Allocation& allocation = program.allocations[slice.allocation];
  const uint32_t number = allocation.kind == AllocationKind::Temporary ? slice.allocation : allocation.number;
  return {.allocation = slice.allocation,
          .offsetBytes = slice.offsetBytes,
          .sizeBytes = slice.sizeBytes,
          .writes = use.writes,
          .place = fmt::format("{} {} [{}, {})", allocationName(allocation), number,
                               slice.offsetBytes, slice.endBytes()),
          .value = allocation.kind == AllocationKind::Parameter && program.parameters.size() > number &&
                           program.parameters[number].isArray()
                       ? program.parameterNames[number]
                       : ""};
}

std::string partName(const Thunk& parent, size_t which) {
  if (parent.kind() == ThunkKind::While) return which == 0 ? "condition" : "body";
  return fmt::format("branch_{}", which);
}

InstructionId joinedTo(const StudiedProgram& of, uint32_t compiled) {
  if (of.module == nullptr) return {};
  return expandedFrom(*of.module, *of.compiled, InstructionId{compiled});
}

// Thunks of a program as a list, bodies after the thunk that runs them.
class ProgramReader {
 public:
  explicit ProgramReader(const StudiedProgram& of) : of_(of), program_(*of.program), fields_(*of.program) {
    firstOf.assign(program_.sequences.size(), StudiedThunk::kNone);
    addSequence(0, StudiedThunk::kNone, "", nullptr);
  }

  ThunkStudy study;
  // By sequence. One that several thunks run stands in the list once for each; the first has its times.
  std::vector<uint32_t> firstOf;

 private:
  // What was written before in a sequence, and in those around it.
  struct Written {
    const Written* around = nullptr;
    uint32_t runBy = StudiedThunk::kNone;  // the thunk around that runs it
    WrittenBytes bytes;
  };

  void addSequence(uint32_t sequence, uint32_t parent, const std::string& part, const Written* around) {
    if (study.thunks.size() > kMostThunks) return;
    const auto first = static_cast<uint32_t>(study.thunks.size());
    if (firstOf[sequence] == StudiedThunk::kNone) firstOf[sequence] = first;
    const ThunkSequence& thunks = program_.sequences[sequence];
    for (size_t i = 0; i < thunks.size(); ++i) {
      study.thunks.push_back(studied(thunks[i], parent, part));
      if (!of_.estimatedNs.empty()) study.thunks.back().estimatedNs = of_.estimatedNs[sequence][i];
    }
    addHazards(sequence, first);
    Written written{.around = around, .runBy = parent, .bytes = {}};
    for (uint32_t i = first; i < first + thunks.size(); ++i) {
      for (ThunkUse& use : study.thunks[i].uses) {
        if (!use.writes) use.value = valueRead(use, written);
      }
      const Thunk& thunk = thunks[i - first];
      const std::vector<uint32_t> nested = nestedSequences(thunk);
      const auto begin = static_cast<uint32_t>(study.thunks.size());
      for (size_t k = 0; k < nested.size(); ++k) addSequence(nested[k], i, partName(thunk, k), &written);
      if (!nested.empty()) study.thunks[i].estimatedNs = estimateOf(thunk, i, begin);
      addWrites(i, i, written);
      for (auto inner = begin; inner < study.thunks.size(); ++inner) addWrites(inner, i, written);
    }
  }

  // As those around see it, what a loop or a branch wrote is what the thunk wrote that runs it.
  void addWrites(uint32_t from, uint32_t as, Written& written) {
    for (ThunkUse& use : study.thunks[from].uses) {
      if (!use.writes) continue;
      if (from == as) use.value = study.thunks[as].name;
      written.bytes.add(use, as);
    }
  }

  // What was not written in a loop's turn is of what the loop carries.
  std::string valueRead(const ThunkUse& use, const Written& written) const {
    const bool mayCarry = program_.allocations[use.allocation].kind == AllocationKind::Temporary;
    for (const Written* at = &written; at != nullptr; at = at->around) {
      const uint32_t writer = at->bytes.writerOf(use);
      if (writer != StudiedThunk::kNone) return study.thunks[writer].name;
      const bool isLoop = at->runBy != StudiedThunk::kNone && study.thunks[at->runBy].kind == "while";
      if (isLoop && mayCarry) return study.thunks[at->runBy].name;
    }
    return use.value;
  }

  // Of what it runs: all turns of a loop, where it is known how many, of branches the longest.
  int64_t estimateOf(const Thunk& thunk, uint32_t index, uint32_t firstInside) const {
    std::map<std::string_view, int64_t> byPart;
    for (auto i = firstInside; i < study.thunks.size(); ++i) {
      const StudiedThunk& inside = study.thunks[i];
      if (inside.parent != index) continue;
      if (inside.estimatedNs < 0) return -1;
      byPart[inside.part] += inside.estimatedNs;
    }
    int64_t sum = 0, longest = 0;
    for (const auto& [part, ns] : byPart) {
      sum += ns;
      longest = std::max(longest, ns);
    }
    if (thunk.kind() != ThunkKind::While) return longest;
    const Instruction* loop =
        of_.compiled == nullptr ? nullptr : of_.compiled->instruction(InstructionId{thunk.instruction});
    if (loop == nullptr || loop->opcode() != Opcode::While) return -1;
    const std::optional<int64_t> turns = tripCount(*loop);
    return turns
               ? static_cast<int64_t>(std::min(1e15, static_cast<double>(sum) * static_cast<double>(*turns)))
               : -1;
  }

  StudiedThunk studied(const Thunk& thunk, uint32_t parent, const std::string& part) const {
    StudiedThunk made;
    made.name = thunk.name;
    made.kind = thunkKindName(thunk.kind());
    made.parent = parent;
    made.part = part;
    made.estimatedNs = thunk.costNs;
    if (const InstructionId id = joinedTo(of_, thunk.instruction); id.valid())
      made.instructions.push_back(id);
    for (const BufferUse& use : bufferUses(thunk)) {
      made.uses.push_back(useOf(program_, use));
      made.usedBytes += use.slice.sizeBytes;
    }
    for (auto& [name, value] : fields_.of(thunk))
      made.fields.push_back({.name = std::move(name), .value = std::move(value)});
    if (const auto* kernel = std::get_if<KernelThunk>(&thunk.body)) made.kernel = kernel->kernel;
    const auto* sort = std::get_if<SortThunk>(&thunk.body);
    if (sort != nullptr && !sort->comparator.empty()) made.kernel = sort->comparator[0];
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
        hazard.keepsOrder = std::ranges::binary_search(graph.schedulingEdges, std::pair(from, to));
        study.hazards.push_back(hazard);
      }
    }
  }

  const StudiedProgram& of_;
  const Program& program_;
  const ThunkFields fields_;
};

Result<ThunkStudy> studyOf(std::shared_ptr<StudiedProgram> of, std::string title) {
  ProgramReader reader(*of);
  if (reader.study.thunks.size() > kMostThunks)
    return fail("too-large", fmt::format("the program runs more than {} thunks", kMostThunks));
  of->firstOf = std::move(reader.firstOf);
  ThunkStudy& study = reader.study;
  of->title = std::move(title);
  if (of->program->replicas * of->program->partitions > 1)
    of->title += fmt::format(", on {} devices", of->program->replicas * of->program->partitions);
  study.title = of->title;
  study.program = std::move(of);
  study.isChecked = study.thunks.size() <= kMostForRaces;
  if (study.isChecked) study.races = findRaces(study);
  return std::move(study);
}

void addTimes(const ThunkRuns& runs, ThunkStudy& study) {
  const auto placeOf = [&](uint32_t sequence, uint32_t thunk) -> std::optional<uint32_t> {
    const uint32_t first = study.program->firstOf[sequence];
    return first == StudiedThunk::kNone ? std::nullopt : std::optional(first + thunk);
  };
  for (StudiedThunk& thunk : study.thunks) thunk.measuredNs = -1;
  for (const ThunkTime& time : thunkTimes(*study.program->program, runs.byItself)) {
    if (const auto place = placeOf(time.sequence, time.thunk)) study.thunks[*place].measuredNs = time.totalNs;
  }
  study.timeline.clear();
  for (const ThunkEvent& event : runs.together) {
    if (const auto place = placeOf(event.sequence, event.thunk))
      study.timeline.push_back({*place, event.device, event.thread, event.startNs, event.durationNs});
  }
  study.droppedSpans = runs.dropped;
}

// A module tells what its arguments are for; of a saved program their shapes are all that is known.
Result<std::vector<std::vector<Literal>>> argumentsOf(const StudiedProgram& of, const JobContext& context) {
  std::vector<std::vector<Literal>> lists;
  if (of.module == nullptr) {
    TRY(auto made, makeArguments(of.program->parameters, 0, makingFor(context)));
    lists.push_back(std::move(made));
    return lists;
  }
  TRY(WalkedModule walked, walkedModule({.module = of.module, .engine = of.engine->name}, context));
  return std::move(walked.arguments);
}

// Of a thunk without a kernel.
std::string_view workOf(std::string_view kind) {
  if (kind == "dot" || kind == "convolution" || kind == "row-blocks" || kind == "library")
    return "a library does the work, on the bytes it reads and writes";
  if (kind == "while" || kind == "conditional") return "it runs the thunks that stand inside it";
  if (kind == "copy") return "it copies bytes";
  return "the runtime does the work";
}

// As a device gives them that takes loops, from the length on that engines have.
void markGraphs(ThunkStudy& study) {
  const StudiedProgram& of = *study.program;
  const std::vector<GraphPlan> plans = planGraphs(*of.program, {});
  uint32_t graphs = 0;
  for (uint32_t s = 0; s < of.program->sequences.size(); ++s) {
    const uint32_t first = of.firstOf[s];
    if (first == StudiedThunk::kNone) continue;
    const GraphPlan& plan = plans[s];
    // The thunks of a sequence stand among those that they run.
    std::vector<StudiedThunk*> thunks;
    const uint32_t parent = study.thunks.size() > first ? study.thunks[first].parent : StudiedThunk::kNone;
    for (uint32_t i = first; i < study.thunks.size() && thunks.size() < plan.why.size(); ++i) {
      if (study.thunks[i].parent == parent) thunks.push_back(&study.thunks[i]);
    }
    for (size_t t = 0; t < thunks.size(); ++t) thunks[t]->whyNoGraph = plan.why[t];
    for (const GraphRange& range : plan.graphs) {
      for (uint32_t t = range.begin; t < range.end; ++t) thunks[t]->graph = graphs;
      ++graphs;
    }
  }
  // What a loop in a graph runs is in that graph.
  for (StudiedThunk& thunk : study.thunks) {
    if (thunk.parent == StudiedThunk::kNone || study.thunks[thunk.parent].graph == StudiedThunk::kNone)
      continue;
    thunk.graph = study.thunks[thunk.parent].graph;
    thunk.whyNoGraph.clear();
  }
}

void addPlannedTimeline(ThunkStudy& study) {
  const StudiedProgram& of = *study.program;
  if (of.program->sequences[0].empty()) return;
  // Loops and choices as long as what they run.
  std::vector<int64_t> ns;
  for (size_t t = 0; t < of.program->sequences[0].size(); ++t)
    ns.push_back(study.thunks[of.firstOf[0] + t].estimatedNs);
  study.isPlanned = true;
  for (const PlannedSpan& span : plannedOnStreams(*of.program, ns))
    study.timeline.push_back({of.firstOf[0] + span.thunk, 0, span.stream, span.startNs, span.durationNs});
}

KernelForm joined(std::string title, ListedCode code, const StudiedProgram& program) {
  KernelForm form{.title = std::move(title), .text = std::move(code.text), .instructions = {}};
  for (const uint32_t of : code.instructions)
    form.instructions.push_back(of == ListedCode::kNone ? InstructionId() : joinedTo(program, of));
  return form;
}

// A thunk that is a launch of the kernel; null where it is called by others alone.
const KernelThunk* launchOf(const Program& program, uint32_t kernel) {
  for (const ThunkSequence& sequence : program.sequences) {
    for (const Thunk& thunk : sequence) {
      const auto* launch = std::get_if<KernelThunk>(&thunk.body);
      if (launch != nullptr && launch->kernel == kernel) return launch;
    }
  }
  return nullptr;
}

}  // namespace

std::shared_ptr<const Program> programOf(const ThunkStudy& study) {
  return study.program == nullptr ? nullptr : study.program->program;
}

Result<ThunkStudy> compileThunks(std::shared_ptr<const Module> module, const JobContext& context) {
  TRY(const Engine* engine, compilingEngine());
  // Without arguments, which may be large: nothing runs.
  TRY(const WalkedModule walked,
      walkedModule(
          {.module = module, .engine = engine->name, .arguments = {.kind = ArgumentSource::Kind::Given}},
          context));
  context.progress(-1, "compiling");
  auto of = std::make_shared<StudiedProgram>();
  of->engine = engine;
  of->codegen = &codegenOf(*engine);
  of->module = walked.module;
  TRY(of->compiled, engine->compiler->expanded(walked.module, context.cancel()));
  const auto tellSlow = [&](const std::string& text) { context.progress(-1, text); };
  TRY(CompiledModule compiled,
      engine->compiler->compile(of->compiled, {.runsPasses = false, .tellSlow = tellSlow}, context.cancel()));
  of->program = std::make_shared<const Program>(std::move(compiled.program));
  std::string title = fmt::format("compiled without passes for {}", of->program->target.processor);
  if (walked.module != module) title += ", elided constants filled with random data";
  return studyOf(std::move(of), std::move(title));
}

Result<ThunkStudy> compileThunksForGpu(std::shared_ptr<const Module> module, const std::string& gpu,
                                       const JobContext& context) {
  TRY(const Engine* engine, compilingEngine());
  TRY(const ProgramTarget target, gpuTarget(gpu));
  context.progress(-1, "compiling");
  const ProgramCompiler compiler = compilerOf(gpuCodegen());
  auto of = std::make_shared<StudiedProgram>();
  of->engine = engine;
  of->codegen = &gpuCodegen();
  of->module = module;
  TRY(of->compiled, compiler.expanded(module, context.cancel()));
  TRY(CompiledModule compiled,
      compiler.compile(of->compiled, {.flags = {"no-cache"}, .runsPasses = false, .target = target},
                       context.cancel()));
  of->program = std::make_shared<const Program>(std::move(compiled.program));
  TRY(const GpuTarget known, findGpuTarget(gpu));
  const DeviceDescription device = deviceLike(known);
  of->estimatedNs = estimatedThunkNs(*of->program, *of->compiled, device);
  TRY(ThunkStudy study,
      studyOf(std::move(of),
              fmt::format("compiled without passes for {}, times estimated for {}", gpu, device.name)));
  markGraphs(study);
  addPlannedTimeline(study);
  return study;
}

Result<ThunkStudy> studyProgram(std::shared_ptr<const Program> program) {
  std::string title = fmt::format("{}, a program saved for {}", program->name, program->target.processor);
  if (const Status fits = checkMachine(program->target); !fits)
    title += fmt::format(" that cannot run here ({})", fits.error().message);
  auto of = std::make_shared<StudiedProgram>();
  of->program = std::move(program);
  return studyOf(std::move(of), std::move(title));
}

Result<ThunkStudy> measureThunks(const ThunkStudy& study, const std::optional<WorkerOptions>& worker,
                                 const JobContext& context) {
  CHECK(study.program != nullptr, study.title);
  const StudiedProgram& of = *study.program;
  TRY_STATUS(checkMachine(of.program->target));
  context.progress(-1, "making arguments");
  TRY(const auto arguments, argumentsOf(of, context));
  const DeviceGrid grid{.replicas = of.program->replicas, .partitions = of.program->partitions};
  TRY(const ThunkRuns runs, runThunks(of.program, grid, arguments, worker, true, context));
  ThunkStudy measured = study;
  measured.title = of.title;
  addTimes(runs, measured);
  return measured;
}

bool hasTimesOf(const ThunkStudy& study, const RunRecord& run) {
  return study.program != nullptr && study.program->program->name == run.moduleName &&
         !run.thunkTimes.empty();
}

Result<ThunkStudy> withTimesOf(const ThunkStudy& study, const RunRecord& run) {
  CHECK(hasTimesOf(study, run), run.moduleName);
  std::vector<const ThunkTime*> inOrder;
  for (const ThunkTime& time : run.thunkTimes) inOrder.push_back(&time);
  std::ranges::sort(inOrder, {}, [](const ThunkTime* t) { return std::pair(t->sequence, t->thunk); });
  // Several thunks of one instruction follow each other in both.
  std::map<std::pair<std::string, std::string>, std::deque<const ThunkTime*>> byNameAndKind;
  for (const ThunkTime* time : inOrder) byNameAndKind[{time->name, time->kind}].push_back(time);
  ThunkStudy timed = study;
  timed.title = fmt::format("{}, times of run {}", study.program->title, run.id.value);
  timed.timeline.clear();
  bool isJoined = false;
  for (StudiedThunk& thunk : timed.thunks) {
    thunk.measuredNs = -1;
    const auto found = byNameAndKind.find({thunk.name, thunk.kind});
    if (found == byNameAndKind.end() || found->second.empty()) continue;
    thunk.measuredNs = found->second.front()->totalNs;
    found->second.pop_front();
    isJoined = true;
  }
  if (!isJoined)
    return fail("other-module",
                fmt::format("run {} of {} timed none of these thunks", run.id.value, run.moduleName));
  return timed;
}

Result<ThunkStudy> studyThunks(std::shared_ptr<const Module> module,
                               const std::optional<WorkerOptions>& worker, const JobContext& context) {
  TRY(const ThunkStudy study, compileThunks(std::move(module), context));
  return measureThunks(study, worker, context);
}

Result<KernelForms> kernelForms(const ThunkStudy& study, uint32_t thunk,
                                const std::optional<LlvmKernelOptions>& options) {
  const StudiedThunk& of = study.thunks[thunk];
  if (study.program == nullptr || of.kernel == StudiedThunk::kNone)
    return fail("no-kernel", fmt::format("{} runs no kernel of Hilo's own: {}", of.name, workOf(of.kind)));
  const StudiedProgram& sources = *study.program;
  KernelForms forms;
  if (sources.module == nullptr) {
    const Program& program = *sources.program;
    TRY(std::string code,
        disassemble(program.objects[program.kernels[of.kernel].object].code, program.target));
    forms.forms.push_back({.title = "machine code", .text = std::move(code), .instructions = {}});
    return forms;
  }
  if (!of.instructions.empty())
    forms.forms.push_back(hloForm(*sources.module->instruction(of.instructions[0])));
  const CodegenEngine& codegen = *sources.codegen;
  const std::lock_guard lock(sources.mutex);
  if (sources.bitcode.empty()) {
    TRY(sources.bitcode, emitKernels(*sources.compiled, codegen, sources.program->target));
  }
  if (of.kernel >= sources.bitcode.size())
    return fail("no-kernel", fmt::format("{} runs a kernel that is not there", of.name));
  TRY(KernelListing listing,
      listKernel(sources.bitcode[of.kernel], codegen, sources.program->target, options));
  forms.options = listing.options;
  forms.forms.push_back(joined("LLVM IR as emitted", std::move(listing.before), sources));
  forms.forms.push_back(joined("LLVM IR, optimised", std::move(listing.after), sources));
  const bool isGpu = isForGrids(*sources.program);
  KernelForm assembly = joined(isGpu ? "PTX" : "assembly", std::move(listing.assembly), sources);
  if (options) {
    TRY(KernelListing said, listKernel(sources.bitcode[of.kernel], codegen, sources.program->target));
    const KernelForm before = joined("", std::move(said.assembly), sources);
    assembly = differenceOf(before, assembly, "assembly: - as compiled, + as chosen");
  }
  forms.forms.push_back(std::move(assembly));
  if (!isGpu) return forms;
  if (const KernelThunk* launch = launchOf(*sources.program, of.kernel))
    TRY_STATUS(addGpuForms(*sources.program, *launch, forms));
  return forms;
}

}  // namespace hilo
