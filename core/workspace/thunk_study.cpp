#include "core/workspace/thunk_study.h"

#include <fmt/format.h>

#include <algorithm>

#include <absl/container/flat_hash_map.h>

#include "core/hlo/dump/dump_name.h"
#include "core/hlo/dump/thunk_sequence.h"
#include "core/hlo/proto/schema/dump.pb.h"
#include "core/plugin_host/plugin_table.h"
#include "core/runtime/executor/execution_graph.h"
#include "core/runtime/executor/executor.h"
#include "core/workspace/cpu_engine.h"
#include "core/workspace/read_bytes.h"
#include "core/workspace/runs.h"

namespace hilo {

struct KernelSources {
  std::vector<std::string> bitcode;  // by kernel
  ProgramTarget target;
};

namespace {

constexpr size_t kMaxSequenceBytes = size_t{1} << 30;
constexpr int kRuns = 5;  // and one before, which does not count

std::string sliceText(const Program& program, const BufferSlice& slice) {
  static constexpr const char* kKinds[] = {"temporary", "parameter", "constant"};
  const Allocation& allocation = program.allocations[slice.allocation];
  const uint32_t number = allocation.kind == AllocationKind::Temporary ? slice.allocation : allocation.number;
  return fmt::format("{} {} [{}, {})", kKinds[static_cast<size_t>(allocation.kind)], number,
                     slice.offsetBytes, slice.endBytes());
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
  ProgramReader(const Program& program, const Module& module) : program_(program), module_(module) {
    placeOf_.resize(program.sequences.size());
    addSequence(0, StudiedThunk::kNone, "");
  }

  void addTimes(const std::vector<std::vector<ThunkEvent>>& runs) {
    std::vector<std::vector<int64_t>> sums(study.thunks.size(), std::vector<int64_t>(runs.size(), -1));
    for (size_t run = 0; run < runs.size(); ++run) {
      for (const ThunkEvent& timing : runs[run]) {
        // A sequence that several thunks run stands in the list once for each; the first has the time.
        const auto& places = placeOf_[timing.sequence];
        if (places.empty()) continue;
        int64_t& sum = sums[places[0] + timing.thunk][run];
        sum = std::max<int64_t>(sum, 0) + timing.durationNs;
      }
    }
    for (size_t i = 0; i < sums.size(); ++i) {
      if (sums[i].empty()) continue;
      std::ranges::nth_element(sums[i], sums[i].begin() + static_cast<ptrdiff_t>(sums[i].size() / 2));
      study.thunks[i].measuredNs = sums[i][sums[i].size() / 2];
    }
  }

  ThunkStudy study;

 private:
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
    if (module_.instruction(InstructionId{thunk.instruction}) != nullptr)
      made.instructions.push_back(InstructionId{thunk.instruction});
    for (const BufferUse& use : bufferUses(thunk)) {
      (use.writes ? made.writes : made.reads).push_back(sliceText(program_, use.slice));
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
    for (Diagnostic& race : findRaces(program_, sequence, graph)) study.races.push_back(std::move(race));
  }

  const Program& program_;
  const Module& module_;
  std::vector<std::vector<uint32_t>> placeOf_;  // by sequence: where each of its copies begins
};

const DumpFileInfo* partOf(const OpenedDump& dump, size_t moduleIndex, DumpPart part) {
  const auto& files = dump.modules[moduleIndex].files;
  const auto found =
      std::ranges::find_if(files, [&](const DumpFileInfo& file) { return file.kind == dumpPartName(part); });
  return found == files.end() ? nullptr : &*found;
}

// A kernel has its instruction's name, but for what is no letter or digit.
std::string plainName(std::string_view name) {
  std::string plain(name);
  for (char& c : plain) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return plain;
}

// The thunks XLA printed, joined to the instructions that launch them.
class PrintedReader {
 public:
  explicit PrintedReader(const Module& module) {
    for (const Computation* computation : module.computations()) {
      for (const Instruction* instruction : computation->instructions())
        named_[plainName(instruction->name())].push_back(instruction->id());
    }
  }

  void add(const std::vector<PrintedThunk>& thunks, uint32_t parent, const std::string& part) {
    uint32_t before = StudiedThunk::kNone;
    for (const PrintedThunk& thunk : thunks) {
      const auto index = static_cast<uint32_t>(study.thunks.size());
      StudiedThunk made;
      made.name = thunk.kernelName.empty() ? thunk.profileAnnotation : thunk.kernelName;
      if (made.name.empty()) made.name = thunk.kind;
      made.kind = thunk.kind;
      made.parent = parent;
      made.part = part;
      made.description = thunk.description;
      for (const std::string* name : {&thunk.profileAnnotation, &thunk.kernelName}) {
        const auto found = named_.find(plainName(*name));
        if (found != named_.end() && made.instructions.empty()) made.instructions = found->second;
      }
      study.thunks.push_back(std::move(made));
      if (thunk.id >= 0) byId_[thunk.id] = index;
      if (const auto earlier = byId_.find(thunk.previousConflict);
          thunk.previousConflict >= 0 && earlier != byId_.end()) {
        study.hazards.push_back({.from = earlier->second, .to = index});
      } else if (thunk.id < 0 && before != StudiedThunk::kNone) {
        // The older form says nothing of conflicts: one stream, one after the other.
        study.hazards.push_back({.from = before, .to = index});
      }
      before = index;
      for (const ThunkGroup& group : thunk.groups) add(group.thunks, index, group.label);
    }
  }

  ThunkStudy study;

 private:
  absl::flat_hash_map<std::string, std::vector<InstructionId>> named_;
  absl::flat_hash_map<int64_t, uint32_t> byId_;
};

}  // namespace

Result<ThunkStudy> studyThunks(std::shared_ptr<const Module> module, const JobContext& context) {
  context.progress(-1, "compiling");
  TRY(CompiledModule compiled, compileForCpu(module, {.runsPasses = false}, context.cancel()));
  auto kernels = std::make_shared<KernelSources>();
  kernels->bitcode = std::move(compiled.kernelSources);
  kernels->target = compiled.program.target;
  const auto program = std::make_shared<const Program>(std::move(compiled.program));
  ProgramReader reader(*program, *module);
  reader.study.title = fmt::format("compiled as it stands for {}", program->target.cpu);
  reader.study.kernels = std::move(kernels);
  TRY(const auto executor, Executor::make(program, findCustomCall));
  TRY(const ArgumentSource arguments, settleArguments(*module, {}));
  std::vector<std::vector<ThunkEvent>> runs;
  for (int run = 0; run <= kRuns; ++run) {
    context.progress(static_cast<double>(run) / (kRuns + 1), "running");
    ThunkTrace trace;
    TRY_STATUS(
        executor->run(arguments.given, {.cancel = context.cancel(), .sequential = true, .trace = &trace}));
    if (run > 0) runs.push_back(trace.events());
  }
  reader.addTimes(runs);
  return std::move(reader.study);
}

bool hasThunkSequence(const OpenedDump& dump, size_t moduleIndex) {
  return partOf(dump, moduleIndex, DumpPart::ThunkSequence) != nullptr;
}

Result<ThunkStudy> studyThunksOfDump(const OpenedDump& dump, size_t moduleIndex, const Module& module) {
  const DumpFileInfo* file = partOf(dump, moduleIndex, DumpPart::ThunkSequence);
  if (file == nullptr) return fail("no-thunk-sequence", "the dump holds no thunk sequence of this module");
  TRY(const std::string text, readBytes(file->path, {}, kMaxSequenceBytes));
  TRY(std::vector<PrintedThunk> thunks, parseThunkSequence(text, file->path));
  if (const DumpFileInfo* metadata = partOf(dump, moduleIndex, DumpPart::ThunkMetadata);
      metadata != nullptr) {
    TRY(const std::string bytes, readBytes(metadata->path, {}, kMaxSequenceBytes));
    pb::ThunkMetadataListProto proto;
    if (!proto.ParseFromString(bytes))
      return fail("bad-thunk-metadata", "the thunk metadata cannot be read", {.file = metadata->path});
    joinThunkMetadata(thunks, proto);
  }
  PrintedReader reader(module);
  reader.add(thunks, StudiedThunk::kNone, "");
  reader.study.title = "as XLA wrote it in " + file->name;
  return std::move(reader.study);
}

Result<std::string> kernelText(const ThunkStudy& study, uint32_t thunk) {
  const uint32_t kernel = study.thunks[thunk].kernel;
  if (study.kernels == nullptr || kernel >= study.kernels->bitcode.size())
    return fail("no-kernel", fmt::format("{} runs no kernel of Hilo's own", study.thunks[thunk].name));
  TRY(const KernelListing listing, listKernel(study.kernels->bitcode[kernel], study.kernels->target));
  return fmt::format("; ---- LLVM IR as emitted\n{}\n; ---- LLVM IR, optimised\n{}\n; ---- assembly\n{}",
                     listing.before, listing.after, listing.assembly);
}

}  // namespace hilo
