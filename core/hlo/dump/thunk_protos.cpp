#include "core/hlo/dump/thunk_protos.h"

#include <limits>

#include "core/hlo/dump/thunk_reading.h"

namespace hilo {
namespace {

using google::protobuf::Message;

constexpr size_t kMostDiagnostics = 100;

void note(Diagnostics& diagnostics, Diagnostic diagnostic) {
  if (diagnostics.size() < kMostDiagnostics) diagnostics.push_back(std::move(diagnostic));
}

}  // namespace

void ThunkReading::says(const Message& impl, const Message& proto) {
  thunk_.description = describeThunk(impl);
  thunk_.fields = fieldsOf(impl);
  std::ranges::move(unknownFieldsOf(proto), std::back_inserter(thunk_.fields));
}

void ThunkReading::isUnknown(const std::string& kind, const Message& proto) {
  thunk_.fields = unknownFieldsOf(proto);
  thunk_.kind = !kind.empty() ? kind : thunk_.fields.empty() ? "nothing" : thunk_.fields[0].name;
  thunk_.slices.reset();
  note(diagnostics_, {.severity = Severity::kWarning,
                      .kind = "unknown-thunk-kind",
                      .message = fmt::format("a thunk is of a kind that is not known, {}: what it reads and "
                                             "writes cannot be told",
                                             thunk_.kind),
                      .place = {.file = file_}});
}

void ThunkReading::add(const pb::BufferAllocationSliceProto& slice, bool writes) {
  if (&slice == &pb::BufferAllocationSliceProto::default_instance()) return;
  const bool isGood = slice.buffer_allocation_index() >= 0 &&
                      slice.buffer_allocation_index() <= std::numeric_limits<int32_t>::max() &&
                      slice.offset() >= 0 && slice.size() >= 0 &&
                      slice.offset() <= std::numeric_limits<int64_t>::max() - slice.size();
  if (isGood) {
    thunk_.slices->push_back({slice.buffer_allocation_index(), slice.offset(), slice.size(), writes});
    return;
  }
  note(diagnostics_,
       {.severity = Severity::kWarning,
        .kind = "bad-thunk-slice",
        .message = fmt::format("{} uses {} bytes at {} of allocation {}, which no memory has", thunk_.kind,
                               slice.size(), slice.offset(), slice.buffer_allocation_index()),
        .place = {.file = file_}});
}

std::vector<DumpedThunk> ThunkReading::readList(const pb::cpu::ThunkSequenceProto& sequence,
                                                Diagnostics& diagnostics, const std::string& file) {
  return readCpuThunks(sequence, diagnostics, file);
}
std::vector<DumpedThunk> ThunkReading::readList(const pb::gpu::Listed& list, Diagnostics& diagnostics,
                                                const std::string& file) {
  return readGpuThunks(list.thunks(), diagnostics, file);
}
std::vector<DumpedThunk> ThunkReading::readList(const pb::gpu::Group& group, Diagnostics& diagnostics,
                                                const std::string& file) {
  return readGpuThunks(group.thunks(), diagnostics, file);
}

namespace {

// Gives the sequence to `ofCpu` or the list of thunks to `ofGpu`; false where the message has none.
template <typename OfCpu, typename OfGpu>
bool visitThunks(const Message& message, const OfCpu& ofCpu, const OfGpu& ofGpu) {
  const auto visitGpu = [&](const pb::GpuExecutableProto& executable) {
    if (executable.thunks().empty()) return false;
    ofGpu(executable.thunks());
    return true;
  };
  if (const auto* sequence = dynamic_cast<const pb::cpu::ThunkSequenceProto*>(&message)) {
    ofCpu(*sequence);
  } else if (const auto* list = dynamic_cast<const pb::gpu::ThunkSequenceProto*>(&message)) {
    ofGpu(list->thunks());
  } else if (const auto* cpu = dynamic_cast<const pb::CompilationResultProto*>(&message)) {
    if (!cpu->has_thunk_sequence()) return false;
    ofCpu(cpu->thunk_sequence());
  } else if (const auto* gpu = dynamic_cast<const pb::GpuExecutableProto*>(&message)) {
    return visitGpu(*gpu);
  } else if (const auto* readable = dynamic_cast<const pb::ReadableGpuExecutableProto*>(&message)) {
    return visitGpu(readable->gpu_executable());
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::optional<ThunksOfProto> readThunks(const Message& message, const std::string& file) {
  ThunksOfProto read;
  const bool isRead = visitThunks(
      message, [&](const auto& sequence) { read.thunks = readCpuThunks(sequence, read.diagnostics, file); },
      [&](const auto& thunks) { read.thunks = readGpuThunks(thunks, read.diagnostics, file); });
  return isRead ? std::optional(std::move(read)) : std::nullopt;
}

std::unique_ptr<Message> thunkSequenceOf(const Message& message) {
  // A list of the GPU's comes by itself or in an executable: what else its sequence holds goes with it.
  if (dynamic_cast<const pb::gpu::ThunkSequenceProto*>(&message) != nullptr) {
    std::unique_ptr<Message> same(message.New());
    same->CopyFrom(message);
    return same;
  }
  std::unique_ptr<Message> made;
  visitThunks(
      message, [&](const auto& sequence) { made = std::make_unique<pb::cpu::ThunkSequenceProto>(sequence); },
      [&](const auto& thunks) {
        auto list = std::make_unique<pb::gpu::ThunkSequenceProto>();
        *list->mutable_thunks() = thunks;
        made = std::move(list);
      });
  return made;
}

}  // namespace hilo
