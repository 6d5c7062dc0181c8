#include "core/workspace/thunks/dumped_reader.h"

#include <algorithm>

#include "core/runtime/executor/execution_graph.h"
#include "core/workspace/thunks/recorded_thunks.h"
#include "core/workspace/thunks/thunk_hazards.h"
#include "core/workspace/thunks/thunk_places.h"

namespace hilo {
namespace {

// Of thunks side by side, and of these times their uses: past them edges are not computed from bytes.
constexpr size_t kMostForHazards = 5'000, kMostWork = 200'000'000;

BufferUse bytesOf(const ThunkUse& use) {
  return {.slice = {use.allocation, use.offsetBytes, use.sizeBytes}, .writes = use.writes};
}

// Allocations no thunk can name: one that stands for everything, which thunks of which nothing is known
// write and all others read, and one of tokens.
constexpr uint32_t kEverything = UINT32_MAX, kTokens = UINT32_MAX - 1;

class DumpedReader {
 public:
  // Both null: there is no module.
  DumpedReader(const ThunkPlaces* places, const AssignedValues* values) : places_(places), values_(values) {}

  ThunkStudy read(const std::vector<DumpedThunk>& thunks, const Computation* entry) {
    add(thunks, StudiedThunk::kNone, "", entry, nullptr);
    return std::move(study_);
  }

 private:
  using Instructions = std::vector<const Instruction*>;

  void add(const std::vector<DumpedThunk>& thunks, uint32_t parent, const std::string& part,
           const Computation* computation, const Instruction* call) {
    const std::vector<Instructions> instructions = places_ == nullptr
                                                       ? std::vector<Instructions>(thunks.size())
                                                       : places_->instructionsOf(thunks, computation, call);
    std::vector<uint32_t> indices;
    for (size_t i = 0; i < thunks.size(); ++i) {
      const auto index = static_cast<uint32_t>(study_.thunks.size());
      indices.push_back(index);
      study_.thunks.push_back(studied(thunks[i], parent, part, instructions[i]));
      known_.push_back(thunks[i].slices || !thunks[i].groups.empty() || !study_.thunks.back().uses.empty());
      if (thunks[i].id >= 0) byId_[thunks[i].id] = index;
      for (const ThunkGroup& group : recorded_.groupsOf(thunks[i], instructions[i])) {
        const ThunkPlaces::Origin origin = places_ == nullptr
                                               ? ThunkPlaces::Origin()
                                               : places_->originOf(group, instructions[i], computation);
        add(group.thunks, index, group.label, origin.computation, origin.call);
      }
    }
    addHazards(thunks, indices);
  }

  StudiedThunk studied(const DumpedThunk& thunk, uint32_t parent, const std::string& part,
                       const Instructions& instructions) const {
    StudiedThunk made;
    made.name = thunk.kernelName.empty() ? thunk.profileAnnotation : thunk.kernelName;
    if (made.name.empty())
      made.name = instructions.empty() ? thunk.kind : std::string(instructions[0]->name());
    made.kind = thunk.kind;
    made.parent = parent;
    made.part = part;
    made.description = thunk.description;
    made.fields = thunk.fields;
    made.kernelName = thunk.kernelName;
    for (const Instruction* instruction : instructions) made.instructions.push_back(instruction->id());
    made.uses = usesOf(thunk, instructions);
    for (const ThunkUse& use : made.uses) made.usedBytes += use.sizeBytes;
    return made;
  }

  std::vector<ThunkUse> usesOf(const DumpedThunk& thunk, const Instructions& instructions) const {
    const Instruction* first = instructions.empty() ? nullptr : instructions[0];
    if (!thunk.slices) {
      const bool isPlain = values_ != nullptr && first != nullptr && thunk.groups.empty();
      return isPlain ? values_->usesOf(*first) : std::vector<ThunkUse>();
    }
    std::vector<ThunkUse> uses;
    for (const ThunkSlice& slice : *thunk.slices)
      uses.push_back(values_ == nullptr ? useOfSlice(slice) : values_->useOf(slice, first));
    return uses;
  }

  // `indices` are of the thunks side by side, what they run between them.
  void addHazards(const std::vector<DumpedThunk>& thunks, const std::vector<uint32_t>& indices) {
    const bool printsConflicts =
        std::ranges::any_of(thunks, [](const DumpedThunk& t) { return t.id >= 0 && t.line != 0; });
    if (printsConflicts) return addPrinted(thunks, indices);
    std::vector<std::vector<BufferUse>> uses(indices.size());
    std::vector<std::vector<uint32_t>> communicators(indices.size());
    size_t useCount = 0;
    for (size_t i = 0; i < indices.size(); ++i) {
      const auto end = i + 1 < indices.size() ? indices[i + 1] : static_cast<uint32_t>(study_.thunks.size());
      uses[i] = usesWithin(thunks[i], indices[i], end);
      communicators[i] = thunks[i].communicators;
      useCount += uses[i].size();
    }
    if (indices.size() > kMostForHazards || indices.size() * useCount > kMostWork) return addChain(indices);
    const ExecutionGraph graph = makeExecutionGraph(uses, communicators);
    for (uint32_t from = 0; from < graph.nodes.size(); ++from) {
      for (const uint32_t to : graph.nodes[from].successors) {
        ThunkHazard hazard = hazardBetween(uses[from], uses[to]);
        hazard.from = indices[from];
        hazard.to = indices[to];
        hazard.keepsOrder = std::ranges::binary_search(graph.schedulingEdges, std::pair(from, to));
        study_.hazards.push_back(hazard);
      }
    }
  }

  // Of a thunk and what it runs, which are [begin, end) of the study.
  std::vector<BufferUse> usesWithin(const DumpedThunk& thunk, uint32_t begin, uint32_t end) const {
    std::vector<BufferUse> uses;
    bool isKnown = true;
    for (uint32_t k = begin; k < end; ++k) {
      isKnown = isKnown && known_[k];
      std::ranges::transform(study_.thunks[k].uses, std::back_inserter(uses), bytesOf);
    }
    for (const uint32_t token : thunk.tokens) uses.push_back({{kTokens, token, 1}, true});
    uses.push_back({{kEverything, 0, 1}, !isKnown});
    return uses;
  }

  void addPrinted(const std::vector<DumpedThunk>& thunks, const std::vector<uint32_t>& indices) {
    for (size_t i = 0; i < thunks.size(); ++i) {
      const auto earlier = byId_.find(thunks[i].previousConflict);
      if (thunks[i].previousConflict >= 0 && earlier != byId_.end())
        study_.hazards.push_back({.from = earlier->second, .to = indices[i]});
    }
  }

  void addChain(const std::vector<uint32_t>& indices) {
    for (size_t i = 1; i < indices.size(); ++i)
      study_.hazards.push_back({.from = indices[i - 1], .to = indices[i]});
  }

  RecordedThunks recorded_;
  const ThunkPlaces* places_;
  const AssignedValues* values_;
  ThunkStudy study_;
  std::vector<bool> known_;  // by thunk: what it uses itself can be told
  absl::flat_hash_map<int64_t, uint32_t> byId_;
};

}  // namespace

ThunkStudy studyOf(const std::vector<DumpedThunk>& thunks, const Module& module,
                   const ModuleBuffers& buffers) {
  const ThunkPlaces places(module);
  const AssignedValues values(module, buffers);
  return DumpedReader(&places, &values).read(thunks, module.entry());
}

ThunkStudy studyOf(const std::vector<DumpedThunk>& thunks) {
  return DumpedReader(nullptr, nullptr).read(thunks, nullptr);
}

}  // namespace hilo
