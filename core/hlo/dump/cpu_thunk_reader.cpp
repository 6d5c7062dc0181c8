// The thunks of XLA:CPU, a function for each message: what it reads, writes and runs.
#include "core/hlo/dump/thunk_reading.h"

namespace hilo {
namespace {

using namespace pb::cpu;

void read(const CalledThunks& thunk, ThunkReading& to) { to.runs("called", thunk.called_sequence()); }

void read(const Branches& thunk, ThunkReading& to) {
  to.reads(thunk.branch_index_buffer());
  to.runsOneOf(thunk.branch_sequences());
}

// Its condition's own thunks write what it looks at; XLA counts that as the loop's use too.
void read(const Loop& thunk, ThunkReading& to) {
  to.writes(thunk.cond_buffer());
  to.runs("condition", thunk.cond_sequence());
  to.runs("body", thunk.body_sequence());
}

void read(const Kernel& thunk, ThunkReading& to) {
  to.runsKernel(thunk.kernel_name());
  to.reads(thunk.arguments_buffers());
  to.writes(thunk.results_buffers());
}

void read(const Copy& thunk, ThunkReading& to) {
  to.reads(thunk.src_buffer_shape());
  to.writes(thunk.dst_buffer_shape());
}

// In place.
void read(const Sort& thunk, ThunkReading& to) { to.writes(thunk.inputs_shapes()); }

void read(const TopK& thunk, ThunkReading& to) {
  to.reads(thunk.values_buffer());
  to.writes(thunk.output_buffer(), thunk.indices_buffer());
}

void read(const Dot& thunk, ThunkReading& to) {
  to.reads(thunk.lhs_buffer_shape(), thunk.rhs_buffer_shape());
  to.writes(thunk.out_buffer_shape());
}

void read(const Convolution& thunk, ThunkReading& to) {
  to.reads(thunk.input_buffer_shape(), thunk.kernel_buffer_shape());
  to.writes(thunk.output_buffer_shape());
}

void read(const Fft& thunk, ThunkReading& to) {
  to.reads(thunk.input_buffer_shape());
  to.writes(thunk.output_buffer_shape());
}

void read(const Infeed& thunk, ThunkReading& to) { to.writes(thunk.infeed_buffers_shapes()); }
void read(const Outfeed& thunk, ThunkReading& to) { to.reads(thunk.outfeed_buffers_shapes()); }

void read(const CustomCall& thunk, ThunkReading& to) {
  to.reads(thunk.op_buffers().arguments_shapes());
  to.writes(thunk.op_buffers().results_shapes());
}

void read(const Collective& thunk, ThunkReading& to) {
  to.reads(thunk.op_buffers().source_shapes_buffer_slices());
  to.writes(thunk.op_buffers().destination_shapes_buffer_slices());
}

void read(const DeviceId& thunk, ThunkReading& to) { to.writes(thunk.logical_id_buffer()); }
void read(const RngState& thunk, ThunkReading& to) { to.writes(thunk.state_buffer()); }
void read(const RngSeed& thunk, ThunkReading& to) { to.writes(thunk.dest_buffer()); }

void read(const XnnFusion& thunk, ThunkReading& to) {
  if (thunk.has_xnn_dot_thunk()) read(thunk.xnn_dot_thunk(), to);
  if (thunk.has_xnn_convolution_thunk()) read(thunk.xnn_convolution_thunk(), to);
  to.reads(thunk.xnn_fusion_thunk().arguments_shapes());
  to.writes(thunk.xnn_fusion_thunk().results_shapes());
}

void read(const YnnFusion& thunk, ThunkReading& to) {
  to.reads(thunk.arguments_shapes());
  to.writes(thunk.results_shapes());
}

DumpedThunk readThunk(const ThunkProto& proto, Diagnostics& diagnostics, const std::string& file) {
  DumpedThunk thunk;
  thunk.profileAnnotation = proto.info().op_name();
  ThunkReading reading(thunk, diagnostics, file);
  switch (proto.impl_case()) {
#define CPU_THUNK(name, field, text)    \
  case ThunkProto::k##name:             \
    thunk.kind = text;                  \
    reading.says(proto.field(), proto); \
    read(proto.field(), reading);       \
    break;
#include "core/hlo/dump/cpu_thunks.def"
    case ThunkProto::IMPL_NOT_SET:
      reading.isUnknown(proto.kind(), proto);
  }
  return thunk;
}

}  // namespace

std::vector<DumpedThunk> readCpuThunks(const ThunkSequenceProto& sequence, Diagnostics& diagnostics,
                                       const std::string& file) {
  std::vector<DumpedThunk> thunks;
  for (const ThunkProto& proto : sequence.thunks()) thunks.push_back(readThunk(proto, diagnostics, file));
  uint32_t resource = 0;
  for (const auto& users : sequence.thunk_resources()) {
    const bool isToken = users.resource().kind() == Resource::TOKEN;
    for (const int64_t index : users.thunk_indices()) {
      if (index < 0 || index >= sequence.thunks_size()) continue;
      DumpedThunk& thunk = thunks[static_cast<size_t>(index)];
      (isToken ? thunk.tokens : thunk.communicators).push_back(resource);
    }
    ++resource;
  }
  return thunks;
}

}  // namespace hilo
