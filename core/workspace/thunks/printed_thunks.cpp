#include "core/workspace/thunks/printed_thunks.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/dataflow/dataflow_analysis.h"
#include "core/hlo/dump/dump_name.h"
#include "core/hlo/dump/thunk_sequence.h"
#include "core/hlo/proto/schema/dump.pb.h"
#include "core/workspace/open/read_bytes.h"
#include "core/workspace/thunks/instruction_buffers.h"
#include "core/workspace/thunks/thunk_places.h"

namespace hilo {
namespace {

constexpr size_t kMaxSequenceBytes = size_t{1} << 30;
// Of thunks side by side: past them edges are not worked out of bytes.
constexpr size_t kMostForHazards = 5'000;

const DumpFileInfo* partOf(const OpenedDump& dump, size_t moduleIndex, DumpPart part) {
  const auto& files = dump.modules[moduleIndex].files;
  const auto found =
      std::ranges::find_if(files, [&](const DumpFileInfo& file) { return file.kind == dumpPartName(part); });
  return found == files.end() ? nullptr : &*found;
}

class PrintedReader {
 public:
  PrintedReader(const Module& module, const ModuleBuffers& buffers)
      : places_(module), values_(module, buffers) {}

  ThunkStudy read(const std::vector<PrintedThunk>& thunks, const Computation* entry) {
    add(thunks, StudiedThunk::kNone, "", entry);
    return std::move(study_);
  }

 private:
  void add(const std::vector<PrintedThunk>& thunks, uint32_t parent, const std::string& part,
           const Computation* computation) {
    const auto instructions = places_.instructionsOf(thunks, computation);
    std::vector<uint32_t> indices;
    for (size_t i = 0; i < thunks.size(); ++i) {
      const auto index = static_cast<uint32_t>(study_.thunks.size());
      indices.push_back(index);
      study_.thunks.push_back(studied(thunks[i], parent, part, instructions[i]));
      if (thunks[i].id >= 0) byId_[thunks[i].id] = index;
      for (const ThunkGroup& group : thunks[i].groups)
        add(group.thunks, index, group.label, places_.computationOf(group, instructions[i], computation));
    }
    addHazards(thunks, indices);
  }

  StudiedThunk studied(const PrintedThunk& thunk, uint32_t parent, const std::string& part,
                       const std::vector<const Instruction*>& instructions) const {
    StudiedThunk made;
    made.name = thunk.kernelName.empty() ? thunk.profileAnnotation : thunk.kernelName;
    if (made.name.empty())
      made.name = instructions.empty() ? thunk.kind : std::string(instructions[0]->name());
    made.kind = thunk.kind;
    made.parent = parent;
    made.part = part;
    made.description = thunk.description;
    made.kernelName = thunk.kernelName;
    for (const Instruction* instruction : instructions) made.instructions.push_back(instruction->id());
    if (!instructions.empty() && thunk.groups.empty()) made.uses = values_.usesOf(*instructions[0]);
    for (const ThunkUse& use : made.uses) made.usedBytes += use.sizeBytes;
    return made;
  }

  // `indices` are of the thunks side by side, what they run between them.
  void addHazards(const std::vector<PrintedThunk>& thunks, const std::vector<uint32_t>& indices) {
    const bool printsConflicts = std::ranges::any_of(thunks, [](const PrintedThunk& t) { return t.id >= 0; });
    if (printsConflicts) {
      for (size_t i = 0; i < thunks.size(); ++i) {
        const auto earlier = byId_.find(thunks[i].previousConflict);
        if (thunks[i].previousConflict >= 0 && earlier != byId_.end())
          study_.hazards.push_back({.from = earlier->second, .to = indices[i]});
      }
      return;
    }
    const auto end = static_cast<uint32_t>(study_.thunks.size());
    std::vector<std::vector<const ThunkUse*>> uses(indices.size());
    std::vector<bool> known(indices.size(), true);
    for (size_t i = 0; i < indices.size(); ++i) {
      for (uint32_t k = indices[i]; k < (i + 1 < indices.size() ? indices[i + 1] : end); ++k) {
        const StudiedThunk& thunk = study_.thunks[k];
        const bool runsOthers = k + 1 < end && study_.thunks[k + 1].parent == k;
        known[i] = known[i] && (runsOthers || !thunk.uses.empty());
        for (const ThunkUse& use : thunk.uses) uses[i].push_back(&use);
      }
    }
    indices.size() > kMostForHazards ? addChain(indices) : addByBytes(indices, uses, known);
  }

  void addChain(const std::vector<uint32_t>& indices) {
    for (size_t i = 1; i < indices.size(); ++i)
      study_.hazards.push_back({.from = indices[i - 1], .to = indices[i]});
  }

  // From the latest one back: an earlier one that another implies is then among those before it already.
  void addByBytes(const std::vector<uint32_t>& indices, const std::vector<std::vector<const ThunkUse*>>& uses,
                  const std::vector<bool>& known) {
    const size_t words = (indices.size() + 63) / 64;
    std::vector<std::vector<uint64_t>> before(indices.size(), std::vector<uint64_t>(words));
    for (size_t to = 0; to < indices.size(); ++to) {
      for (size_t from = to; from-- > 0;) {
        if ((before[to][from / 64] >> (from % 64) & 1) != 0) continue;
        ThunkHazard hazard{.from = indices[from], .to = indices[to]};
        const bool waits = known[from] && known[to] ? conflict(uses[from], uses[to], hazard) : true;
        if (!waits) continue;
        study_.hazards.push_back(hazard);
        before[to][from / 64] |= uint64_t{1} << (from % 64);
        for (size_t word = 0; word < words; ++word) before[to][word] |= before[from][word];
      }
    }
  }

  static bool conflict(const std::vector<const ThunkUse*>& before, const std::vector<const ThunkUse*>& after,
                       ThunkHazard& hazard) {
    for (const ThunkUse* a : before) {
      for (const ThunkUse* b : after) {
        if (!a->overlaps(*b)) continue;
        hazard.readAfterWrite |= a->writes && !b->writes;
        hazard.writeAfterRead |= !a->writes && b->writes;
        hazard.writeAfterWrite |= a->writes && b->writes;
      }
    }
    return hazard.readAfterWrite || hazard.writeAfterRead || hazard.writeAfterWrite;
  }

  ThunkPlaces places_;
  AssignedValues values_;
  ThunkStudy study_;
  absl::flat_hash_map<int64_t, uint32_t> byId_;
};

Result<std::vector<PrintedThunk>> readSequence(const OpenedDump& dump, size_t moduleIndex,
                                               const DumpFileInfo& file) {
  TRY(const std::string text, readBytes(file.path, {}, kMaxSequenceBytes));
  TRY(std::vector<PrintedThunk> thunks, parseThunkSequence(text, file.path));
  const DumpFileInfo* metadata = partOf(dump, moduleIndex, DumpPart::ThunkMetadata);
  if (metadata == nullptr) return thunks;
  TRY(const std::string bytes, readBytes(metadata->path, {}, kMaxSequenceBytes));
  pb::ThunkMetadataListProto proto;
  if (!proto.ParseFromString(bytes))
    return fail("bad-thunk-metadata", "the thunk metadata cannot be read", {.file = metadata->path});
  joinThunkMetadata(thunks, proto);
  return thunks;
}

// The definition of a function in a file of LLVM IR or PTX, from its head to the closing brace; the whole
// file where none is found.
std::string functionIn(const std::string& text, const std::string& name) {
  for (const std::string& head : {"@" + name + "(", ".entry " + name + "("}) {
    for (size_t at = 0; (at = text.find(head, at)) != std::string::npos; ++at) {
      const size_t begin = text.rfind('\n', at) + 1;  // 0 where there is none
      const std::string_view line(text.data() + begin, at - begin);
      const size_t open = text.find('{', at), end = text.find("\n}", at);
      const bool isHead = line.starts_with("define") || head.starts_with(".entry");
      if (isHead && open != std::string::npos && end != std::string::npos && open < end)
        return text.substr(begin, end + 3 - begin);
    }
  }
  return text;
}

}  // namespace

bool hasThunkSequence(const OpenedDump& dump, size_t moduleIndex) {
  return partOf(dump, moduleIndex, DumpPart::ThunkSequence) != nullptr;
}

Result<ThunkStudy> studyThunksOfDump(const OpenedDump& dump, size_t moduleIndex, const Module& module) {
  const DumpFileInfo* file = partOf(dump, moduleIndex, DumpPart::ThunkSequence);
  if (file == nullptr) return fail("no-thunk-sequence", "the dump holds no thunk sequence of this module");
  TRY(const auto thunks, readSequence(dump, moduleIndex, *file));
  const ModuleBuffers buffers = readBuffers(dump, moduleIndex, module);
  ThunkStudy study = PrintedReader(module, buffers).read(thunks, module.entry());
  const auto joined =
      std::ranges::count_if(study.thunks, [](const StudiedThunk& t) { return !t.instructions.empty(); });
  study.title = fmt::format("as XLA wrote it in {}, {} joined to the HLO", file->name, joined);
  return study;
}

Result<KernelForms> kernelFormsOfDump(const OpenedDump& dump, size_t moduleIndex, const ThunkStudy& study,
                                      uint32_t thunk, const Module& module) {
  const StudiedThunk& of = study.thunks[thunk];
  KernelForms forms;
  if (!of.instructions.empty()) {
    if (const Instruction* instruction = module.instruction(of.instructions[0]); instruction != nullptr)
      forms.forms.push_back(hloForm(*instruction));
  }
  for (const DumpFileInfo& file : dump.modules[moduleIndex].files) {
    const bool isCode =
        file.kind == dumpPartName(DumpPart::LlvmIr) || file.kind == dumpPartName(DumpPart::Ptx);
    if (!isCode || of.kernelName.empty()) continue;
    TRY(const std::string text, readBytes(file.path, {}, kMaxSequenceBytes));
    forms.forms.push_back({.title = file.name, .text = functionIn(text, of.kernelName), .instructions = {}});
  }
  if (forms.forms.empty())
    return fail("no-kernel", fmt::format("the dump has no HLO and no code of {}", of.name));
  return forms;
}

}  // namespace hilo
