#include "core/workspace/thunks/instruction_buffers.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/hlo/dump/buffer_assignment.h"
#include "core/hlo/dump/dump_name.h"
#include "core/hlo/dump/load.h"
#include "core/hlo/dump/thunk_protos.h"
#include "core/workspace/open/file_origin.h"
#include "core/workspace/thunks/recorded_thunks.h"
#include "core/workspace/thunks/thunk_places.h"

namespace hilo {
namespace {

std::string kindOf(const BufferAllocation& a) {
  std::vector<std::string> words;
  if (a.isEntryParameter) words.push_back(fmt::format("parameter {}", a.parameterNumber));
  if (a.isConstant) words.push_back("constant");
  if (a.isPreallocatedTemp) words.push_back("preallocated temp");
  if (a.isThreadLocal) words.push_back("thread-local");
  if (a.isTuple) words.push_back("tuple");
  if (a.maybeLiveOut) words.push_back("maybe live out");
  if (a.isParameterAliasedWithOutput) words.push_back("aliased with an output");
  return fmt::format("{}", fmt::join(words, ", "));
}

class Joiner {
 public:
  explicit Joiner(const Module& module) : module_(module) {
    out_.slicesOf.resize(module.idLimit());
    out_.thunksOf.resize(module.idLimit());
    for (const Computation* c : module.computations()) {
      for (const Instruction* i : c->instructions()) names_.emplace(i->name(), i->id());
    }
  }

  void addAssignment(const BufferAssignment& assignment, const std::string& path) {
    out_.bufferPath = path;
    absl::flat_hash_map<std::pair<std::string_view, std::string>, const BufferLiveRange*> ranges;
    for (const BufferLiveRange& range : assignment.liveRanges)
      ranges[{range.instruction, indexText(range.shapeIndex)}] = &range;
    size_t unknown = 0;
    for (const BufferAllocation& allocation : assignment.allocations) {
      const size_t position = out_.allocations.size();
      out_.allocations.push_back(
          {allocation.index, allocation.sizeBytes, allocation.color, kindOf(allocation), {}});
      for (const AssignedBuffer& assigned : allocation.assigned) {
        const LogicalBuffer* buffer = assignment.buffer(assigned.bufferId);
        const auto found = buffer == nullptr ? names_.end() : names_.find(buffer->instruction);
        if (found == names_.end()) {
          ++unknown;
          continue;
        }
        ValueSlice slice{.instruction = found->second,
                         .shapeIndex = indexText(buffer->shapeIndex),
                         .shape = buffer->shape,
                         .allocation = position,
                         .offsetBytes = assigned.offsetBytes,
                         .sizeBytes = assigned.sizeBytes};
        if (const auto range = ranges.find({buffer->instruction, slice.shapeIndex}); range != ranges.end()) {
          slice.liveStart = range->second->start;
          slice.liveEnd = range->second->end;
        }
        out_.allocations.back().slices.push_back(out_.slices.size());
        out_.slicesOf[slice.instruction.value].push_back(out_.slices.size());
        out_.slices.push_back(std::move(slice));
      }
      std::ranges::sort(out_.allocations.back().slices, {},
                        [&](size_t n) { return std::pair(out_.slices[n].offsetBytes, n); });
    }
    if (unknown != 0) {
      out_.diagnostics.push_back(
          {.severity = Severity::kWarning,
           .kind = "buffer-of-no-instruction",
           .message = fmt::format("{} buffers name no instruction of this module", unknown),
           .place = {.file = path}});
    }
  }

  void addThunks(const std::vector<DumpedThunk>& thunks, const std::string& path) {
    out_.thunkPath = path;
    places_.emplace(module_);
    addSequence(thunks, {.computation = module_.entry()});
  }

  void note(Diagnostic diagnostic) { out_.diagnostics.push_back(std::move(diagnostic)); }
  ModuleBuffers take() { return std::move(out_); }

 private:
  static std::string indexText(const std::vector<int64_t>& index) {
    return fmt::format("{{{}}}", fmt::join(index, ","));
  }

  void addSequence(const std::vector<DumpedThunk>& thunks, ThunkPlaces::Origin of) {
    const auto instructions = places_->instructionsOf(thunks, of.computation, of.call);
    for (size_t i = 0; i < thunks.size(); ++i) {
      addThunk(thunks[i], instructions[i]);
      for (const ThunkGroup& group : recorded_.groupsOf(thunks[i], instructions[i]))
        addSequence(group.thunks, places_->originOf(group, instructions[i], of.computation));
    }
  }

  void addThunk(const DumpedThunk& thunk, const std::vector<const Instruction*>& instructions) {
    const size_t position = out_.thunks.size();
    ThunkFacts facts{.position = static_cast<int64_t>(position),
                     .kind = thunk.kind,
                     .kernel = thunk.kernelName,
                     .description = thunk.description,
                     .line = thunk.line,
                     .instructions = {}};
    for (const Instruction* instruction : instructions) {
      facts.instructions.push_back(instruction->id());
      out_.thunksOf[instruction->id().value].push_back(position);
    }
    out_.thunks.push_back(std::move(facts));
  }

  const Module& module_;
  ModuleBuffers out_;
  std::optional<ThunkPlaces> places_;
  RecordedThunks recorded_;
  absl::flat_hash_map<std::string_view, InstructionId> names_;
};

const DumpFileInfo* findPart(const DumpModuleInfo& module, DumpPart part) {
  const auto found =
      std::ranges::find_if(module.files, [&](const DumpFileInfo& f) { return f.kind == dumpPartName(part); });
  return found == module.files.end() ? nullptr : &*found;
}

void joinAssignment(Joiner& joiner, const OpenedDump& dump, const std::string& path) {
  auto bytes = readDumpFile(dump, path);
  if (!bytes) return joiner.note(bytes.error());
  auto loaded = loadBytes(*std::move(bytes), path);
  if (!loaded) return joiner.note(loaded.error());
  if (!loaded->bufferAssignment) {
    return joiner.note({.kind = "not-a-buffer-assignment",
                        .message = "the file holds no buffer assignment",
                        .place = {.file = path}});
  }
  joiner.addAssignment(*loaded->bufferAssignment, path);
}

void joinThunks(Joiner& joiner, const OpenedDump& dump, const std::string& path) {
  auto text = readDumpFile(dump, path);
  if (!text) return joiner.note(text.error());
  auto thunks = parseThunkSequence(*text, path);
  if (!thunks) return joiner.note(thunks.error());
  joiner.addThunks(*thunks, path);
}

const std::vector<size_t>& entryOf(const std::vector<std::vector<size_t>>& table, InstructionId id) {
  static const std::vector<size_t> none;
  return id.value < table.size() ? table[id.value] : none;
}

}  // namespace

std::string kernelNameOf(std::string_view instruction) {
  std::string name(instruction);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

const std::vector<size_t>& ModuleBuffers::slicesOfInstruction(InstructionId id) const {
  return entryOf(slicesOf, id);
}
const std::vector<size_t>& ModuleBuffers::thunksOfInstruction(InstructionId id) const {
  return entryOf(thunksOf, id);
}

std::vector<size_t> ModuleBuffers::sharing(size_t slice) const {
  const ValueSlice& mine = slices[slice];
  std::vector<size_t> others;
  for (const size_t n : allocations[mine.allocation].slices) {
    const ValueSlice& other = slices[n];
    const bool overlap = other.offsetBytes < mine.offsetBytes + mine.sizeBytes &&
                         mine.offsetBytes < other.offsetBytes + other.sizeBytes;
    if (n != slice && overlap) others.push_back(n);
  }
  return others;
}

ModuleBuffers readBuffers(const OpenedDump& dump, size_t moduleIndex, const Module& module) {
  const DumpModuleInfo& info = dump.modules[moduleIndex];
  Joiner joiner(module);
  if (const auto* file = findPart(info, DumpPart::BufferAssignment)) joinAssignment(joiner, dump, file->path);
  if (const auto* file = findPart(info, DumpPart::ThunkSequence)) joinThunks(joiner, dump, file->path);
  return joiner.take();
}

ModuleBuffers readBuffers(const OpenedFile& file) {
  Joiner joiner(*file.module);
  if (file.origin != nullptr && file.origin->bufferAssignment != nullptr) {
    auto plan = readBufferAssignment(*file.origin->bufferAssignment, file.module.get());
    if (plan) {
      joiner.addAssignment(std::move(*plan), file.path);
    } else {
      joiner.note(std::move(plan.error()));
    }
  }
  if (file.origin != nullptr && file.origin->message != nullptr) {
    if (auto read = readThunks(*file.origin->message, file.path)) {
      joiner.addThunks(read->thunks, file.path);
      for (Diagnostic& diagnostic : read->diagnostics) joiner.note(std::move(diagnostic));
    }
  }
  return joiner.take();
}

}  // namespace hilo
