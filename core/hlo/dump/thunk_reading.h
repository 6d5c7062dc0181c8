// What the readers of thunk messages share: a thunk being read. Private to the room.
#pragma once

#include <fmt/format.h>
#include <google/protobuf/repeated_field.h>

#include "core/hlo/dump/thunk_fields.h"
#include "core/hlo/dump/thunk_protos.h"
#include "core/hlo/proto/schema/executable.pb.h"

namespace hilo {

// Where thunks are read to, and what is said of them.
class ThunkReading {
 public:
  ThunkReading(DumpedThunk& thunk, Diagnostics& diagnostics, const std::string& file)
      : thunk_(thunk), diagnostics_(diagnostics), file_(file) {
    thunk_.slices.emplace();
  }

  // A slice, with a shape or without, or a list of them; one that is absent is no use.
  template <typename... Slices>
  void reads(const Slices&... slices) {
    (add(slices, false), ...);
  }
  template <typename... Slices>
  void writes(const Slices&... slices) {
    (add(slices, true), ...);
  }
  // Arguments of a kernel: those whose place in `written` holds are written.
  template <typename Slice>
  void uses(const google::protobuf::RepeatedPtrField<Slice>& slices,
            const google::protobuf::RepeatedField<bool>& written) {
    for (int i = 0; i < slices.size(); ++i) add(slices[i], i < written.size() && written[i]);
  }

  void runsKernel(const std::string& name) { thunk_.kernelName = name; }
  void isNamed(const std::string& instruction) {
    if (thunk_.profileAnnotation.empty()) thunk_.profileAnnotation = instruction;
  }
  // A sequence it runs.
  template <typename Sequence>
  void runs(std::string label, const Sequence& sequence) {
    thunk_.groups.push_back({std::move(label), readList(sequence, diagnostics_, file_)});
  }
  template <typename Sequence>
  void runsOneOf(const google::protobuf::RepeatedPtrField<Sequence>& sequences) {
    for (int i = 0; i < sequences.size(); ++i) runs(fmt::format("branch_{}", i), sequences[i]);
  }

  // What the thunk's message says, and what the one around it says that the schema does not have.
  void says(const google::protobuf::Message& impl, const google::protobuf::Message& proto);
  // `kind`: "" where only the number of its field is known.
  void isUnknown(const std::string& kind, const google::protobuf::Message& proto);

 private:
  template <typename Slice>
  void add(const google::protobuf::RepeatedPtrField<Slice>& slices, bool writes) {
    for (const Slice& slice : slices) add(slice, writes);
  }
  void add(const pb::ShapedSliceProto& slice, bool writes) { add(slice.slice(), writes); }
  void add(const pb::NullableShapedSliceProto& slice, bool writes) { add(slice.shaped_slice(), writes); }
  void add(const pb::cpu::ShapedSlice& slice, bool writes) { add(slice.slice(), writes); }
  void add(const pb::BufferAllocationSliceProto& slice, bool writes);

  static std::vector<DumpedThunk> readList(const pb::cpu::ThunkSequenceProto& sequence,
                                           Diagnostics& diagnostics, const std::string& file);
  static std::vector<DumpedThunk> readList(const pb::gpu::Listed& list, Diagnostics& diagnostics,
                                           const std::string& file);
  static std::vector<DumpedThunk> readList(const pb::gpu::Group& group, Diagnostics& diagnostics,
                                           const std::string& file);

  DumpedThunk& thunk_;
  Diagnostics& diagnostics_;
  const std::string& file_;
};

std::vector<DumpedThunk> readCpuThunks(const pb::cpu::ThunkSequenceProto& sequence, Diagnostics& diagnostics,
                                       const std::string& file);
std::vector<DumpedThunk> readGpuThunks(const google::protobuf::RepeatedPtrField<pb::gpu::ThunkProto>& protos,
                                       Diagnostics& diagnostics, const std::string& file);

}  // namespace hilo
