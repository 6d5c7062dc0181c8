// The thunks of XLA:GPU, a function for each message: what it reads, writes and runs. Scratch
// memory is written.
#include <absl/container/flat_hash_map.h>

#include "core/hlo/dump/thunk_reading.h"

namespace hilo {
namespace {

using namespace pb::gpu;

// Some messages are those of several kinds: the case tells which.
using Case = ThunkProto::ImplCase;

void read(const Listed& thunk, Case, ThunkReading& to) { to.runs("", thunk); }
void read(const Group& thunk, Case, ThunkReading& to) { to.runs("", thunk); }

void read(const Branches& thunk, Case, ThunkReading& to) {
  to.reads(thunk.branch_index_buffer());
  to.runsOneOf(thunk.branch_thunks());
}

void read(const Loop& thunk, Case, ThunkReading& to) {
  to.reads(thunk.condition_result_buffer_index());
  to.runs("condition", thunk.condition_thunk_sequence());
  to.runs("body", thunk.body_thunk_sequence());
}

void read(const AsyncStart& thunk, Case, ThunkReading& to) { to.runs("async", thunk.thunks()); }
void read(const AsyncDone&, Case, ThunkReading&) {}

void read(const DynamicSliceFusion& thunk, Case, ThunkReading& to) {
  to.reads(thunk.parameter_buffers());
  to.writes(thunk.result_buffers());
  to.runs("slices", thunk.embedded_thunks());
}

void read(const Kernel& thunk, Case, ThunkReading& to) {
  to.runsKernel(thunk.kernel_name());
  to.uses(thunk.args(), thunk.written());
}

void read(const CustomKernel& thunk, Case, ThunkReading& to) {
  to.runsKernel(thunk.custom_kernel().name());
  to.uses(thunk.args(), thunk.written());
}

void read(const Copy& thunk, Case, ThunkReading& to) {
  to.reads(thunk.source_buffer());
  to.writes(thunk.destination_buffer());
}

void read(const CopyElsewhere& thunk, Case of, ThunkReading& to) { read(thunk.copy_thunk(), of, to); }
void read(const Memzero& thunk, Case, ThunkReading& to) { to.writes(thunk.dest_buffer()); }
void read(const Memset& thunk, Case, ThunkReading& to) { to.writes(thunk.dest_buffer()); }
void read(const Number& thunk, Case, ThunkReading& to) { to.writes(thunk.dest_buffer()); }

void read(const Gemm& thunk, Case, ThunkReading& to) {
  to.reads(thunk.lhs_buffer(), thunk.rhs_buffer());
  to.writes(thunk.output_buffer(), thunk.workspace());
}

void read(const CublasLtMatmul& thunk, Case, ThunkReading& to) {
  to.reads(thunk.a(), thunk.b(), thunk.c(), thunk.group_sizes(), thunk.bias(), thunk.a_scale(),
           thunk.b_scale(), thunk.c_scale(), thunk.d_scale());
  to.writes(thunk.d(), thunk.aux(), thunk.d_amax(), thunk.workspace());
}

void read(const Cudnn& thunk, Case, ThunkReading& to) { to.uses(thunk.args(), thunk.output_args()); }

void read(const Norm& thunk, Case, ThunkReading& to) {
  to.reads(thunk.x(), thunk.scale(), thunk.bias(), thunk.dy());
  to.writes(thunk.y_or_dx(), thunk.expectation(), thunk.norm_factor(), thunk.dscale(), thunk.dbias(),
            thunk.scratch());
}

void read(const Convolution& thunk, Case, ThunkReading& to) {
  to.reads(thunk.operand_buffers());
  to.writes(thunk.result_buffers(), thunk.scratch_buffer());
}

void read(const ConvolutionReorder& thunk, Case, ThunkReading& to) {
  to.reads(thunk.filter_input(), thunk.biases().bias_input());
  to.writes(thunk.filter_output(), thunk.biases().bias_output());
}

void read(const Fft& thunk, Case, ThunkReading& to) {
  to.reads(thunk.input_buffer());
  to.writes(thunk.output_buffer());
}

void read(const TriangularSolve& thunk, Case, ThunkReading& to) {
  to.reads(thunk.a_buffer());
  to.writes(thunk.b_buffer(), thunk.temp_buffer());
}

// The first is what is chosen from.
void read(const SelectK& thunk, Case, ThunkReading& to) {
  for (int i = 0; i < thunk.args_size(); ++i) i == 0 ? to.reads(thunk.args(i)) : to.writes(thunk.args(i));
}

void read(const CustomCall& thunk, Case, ThunkReading& to) {
  to.reads(thunk.operands());
  to.writes(thunk.results());
}

void read(const Infeed& thunk, Case, ThunkReading& to) { to.writes(thunk.dest_slices()); }
void read(const Outfeed& thunk, Case, ThunkReading& to) { to.reads(thunk.source_slices()); }

void read(const HostTransfer& thunk, Case of, ThunkReading& to) {
  of == ThunkProto::kHostSendThunk ? to.reads(thunk.buffer()) : to.writes(thunk.buffer());
}
void read(const HostTransferDone&, Case, ThunkReading&) {}

void read(const HostExecute& thunk, Case, ThunkReading& to) {
  to.reads(thunk.args());
  to.writes(thunk.results());
}
void read(const HostExecuteDone&, Case, ThunkReading&) {}

void readBuffer(const CollectiveBuffer& buffer, ThunkReading& to) {
  to.reads(buffer.source_buffer());
  to.writes(buffer.destination_buffer());
}

void readBuffers(const auto& thunk, ThunkReading& to) {
  for (const CollectiveBuffer& buffer : thunk.buffers()) readBuffer(buffer, to);
}

void read(const Collective& thunk, Case, ThunkReading& to) { readBuffers(thunk, to); }
void read(const ReducingCollective& thunk, Case, ThunkReading& to) { readBuffers(thunk, to); }
void read(const Permute& thunk, Case, ThunkReading& to) { readBuffers(thunk, to); }
void read(const Broadcast& thunk, Case, ThunkReading& to) { readBuffers(thunk, to); }

void read(const PeerTransfer& thunk, Case, ThunkReading& to) {
  to.isNamed(thunk.instruction_name());
  readBuffer(thunk.buffer(), to);
}

void read(const CollectiveKernel& thunk, Case, ThunkReading& to) {
  to.runsKernel(thunk.kernel_name());
  readBuffers(thunk, to);
}

DumpedThunk readThunk(const ThunkProto& proto, Diagnostics& diagnostics, const std::string& file) {
  DumpedThunk thunk{.id = proto.thunk_info().thunk_id(),
                    .profileAnnotation = proto.thunk_info().profile_annotation()};
  ThunkReading reading(thunk, diagnostics, file);
  switch (proto.impl_case()) {
#define GPU_THUNK(name, field, text)                   \
  case ThunkProto::k##name:                            \
    thunk.kind = text;                                 \
    reading.says(proto.field(), proto);                \
    read(proto.field(), ThunkProto::k##name, reading); \
    break;
#include "core/hlo/dump/gpu_thunks.def"
    case ThunkProto::IMPL_NOT_SET:
      reading.isUnknown("", proto);
  }
  return thunk;
}

// What begins and what waits for its end share a number, of one of these.
struct Asynchronous {
  enum class Of : uint8_t { Nothing, Thunks, Host, Transfer } of = Of::Nothing;
  uint64_t number = 0;
  bool waits = false;
  auto key() const { return std::pair(of, number); }
};

Asynchronous asynchronousOf(const ThunkProto& proto) {
  using enum Asynchronous::Of;
  switch (proto.impl_case()) {
    case ThunkProto::kAsyncStartThunk:
      return {Thunks, proto.async_start_thunk().async_execution_id(), false};
    case ThunkProto::kAsyncDoneThunk:
      return {Thunks, proto.async_done_thunk().async_execution_id(), true};
    case ThunkProto::kHostExecuteStartThunk:
      return {Host, proto.host_execute_start_thunk().async_events_unique_id(), false};
    case ThunkProto::kHostExecuteDoneThunk:
      return {Host, proto.host_execute_done_thunk().async_events_unique_id(), true};
    case ThunkProto::kHostSendThunk:
      return {Transfer, proto.host_send_thunk().async_events_unique_id(), false};
    case ThunkProto::kHostSendDoneThunk:
      return {Transfer, proto.host_send_done_thunk().async_events_unique_id(), true};
    case ThunkProto::kHostRecvThunk:
      return {Transfer, proto.host_recv_thunk().async_events_unique_id(), false};
    case ThunkProto::kHostRecvDoneThunk:
      return {Transfer, proto.host_recv_done_thunk().async_events_unique_id(), true};
    default:
      return {};
  }
}

void addSlices(const DumpedThunk& thunk, std::vector<ThunkSlice>& slices) {
  if (thunk.slices) slices.insert(slices.end(), thunk.slices->begin(), thunk.slices->end());
  for (const ThunkGroup& group : thunk.groups) {
    for (const DumpedThunk& inner : group.thunks) addSlices(inner, slices);
  }
}

}  // namespace

// What waits has in its hands what was begun: it uses the same bytes, so that it stands between that and
// those who use them next. Each is waited for once.
std::vector<DumpedThunk> readGpuThunks(const google::protobuf::RepeatedPtrField<ThunkProto>& protos,
                                       Diagnostics& diagnostics, const std::string& file) {
  std::vector<DumpedThunk> thunks;
  absl::flat_hash_map<std::pair<Asynchronous::Of, uint64_t>, size_t> begun;
  for (const ThunkProto& proto : protos) {
    thunks.push_back(readThunk(proto, diagnostics, file));
    const Asynchronous asynchronous = asynchronousOf(proto);
    if (asynchronous.of == Asynchronous::Of::Nothing) continue;
    if (!asynchronous.waits) {
      begun.insert_or_assign(asynchronous.key(), thunks.size() - 1);
    } else if (const auto start = begun.extract(asynchronous.key())) {
      addSlices(thunks[start.mapped()], *thunks.back().slices);
    }
  }
  return thunks;
}

}  // namespace hilo
