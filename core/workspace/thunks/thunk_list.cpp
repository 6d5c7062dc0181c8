// The thunks of a compiled program as a study lists them.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/analysis/while_loop.h"
#include "core/runtime/executor/execution_graph.h"
#include "core/runtime/program/allocation_name.h"
#include "core/runtime/program/thunk_fields.h"
#include "core/workspace/thunks/studied_program.h"
#include "core/workspace/thunks/thunk_hazards.h"
#include "core/workspace/thunks/thunk_runs.h"
#include "core/workspace/thunks/written_bytes.h"

namespace hilo {

InstructionId joinedTo(const StudiedProgram& of, uint32_t compiled) {
  if (of.module == nullptr) return {};
  return expandedFrom(*of.module, *of.compiled, InstructionId{compiled});
}

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
          .place = fmt::format("{} {} [{}, {})", allocationName(allocation), number, slice.offsetBytes,
                               slice.endBytes()),
          .value = allocation.kind == AllocationKind::Parameter && program.parameters.size() > number &&
                           program.parameters[number].isArray()
                       ? program.parameterNames[number]
                       : ""};
}

std::string partName(const Thunk& parent, size_t which) {
  if (parent.kind() == ThunkKind::While) return which == 0 ? "condition" : "body";
  return fmt::format("branch_{}", which);
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

}  // namespace

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

}  // namespace hilo
