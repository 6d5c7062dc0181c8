#include "core/analysis/cost/uniform_latency.h"

#include <charconv>

#include "core/analysis/async_chain.h"
#include "core/analysis/async_op.h"
#include "core/analysis/dataflow/shape_index.h"
#include "core/analysis/memory/memory_space.h"
#include "core/analysis/slice_copy_fusion.h"

namespace hilo {
namespace {

// A fusion that copies a slice: to or from the host, or within the device.
bool isSlicingCopy(const Instruction* fusion) {
  if (fusion == nullptr || fusion->opcode() != Opcode::Fusion) return false;
  return isOnHost(fusion->shape()) || (fusion->operandCount() > 0 && isOnHost(fusion->operand(0)->shape())) ||
         isDynamicSliceCopyFusion(*fusion);
}

bool isAsyncCompute(const Instruction& link) {
  const Instruction* wrapped = asyncWrappedInstruction(link);
  return (wrapped == nullptr || !isCollectiveCommunication(wrapped->opcode())) &&
         asyncExecutionThread(link) != executionThread(link.parent());
}

bool isCopyLink(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::CopyStart || instruction.opcode() == Opcode::CopyDone) return true;
  return isAsyncLink(instruction) && isSlicingCopy(asyncWrappedInstruction(instruction));
}

bool isGpuAsync(const Instruction& instruction, AsyncRole role) {
  const CanonicalAsyncOp op = canonicalAsyncOp(instruction, true);
  if (op.role != role) return false;
  const bool wraps = isAsyncLink(instruction);
  const bool collective = isCollectiveCommunication(op.inner) || op.inner == Opcode::Send ||
                          op.inner == Opcode::Recv || isCollectivesGroup(instruction);
  if (collective) {
    const Instruction& start =
        role == AsyncRole::Done && instruction.operandCount() > 0 ? *instruction.operand(0) : instruction;
    return !isSyncCollective(start);
  }
  return (wraps && isAsyncCompute(instruction)) || isCopyLink(instruction);
}

}  // namespace

double latencyFromMetadata(const Instruction& instruction, double unitsPerMicrosecond) {
  const auto text = frontendAttribute(instruction, "latency_metadata");
  if (!text) return -1;
  int64_t ns = -1;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), ns);
  if (error != std::errc() || end != text->data() + text->size() || ns < 0) return -1;
  return static_cast<double>(ns) * unitsPerMicrosecond / 1000;
}

double UniformLatencyEstimator::nodeCost(const Instruction& instruction) const {
  if (instruction.opcode() == Opcode::Convolution) return kHighCost;
  if (instruction.opcode() != Opcode::Fusion) return kLowCost;
  const auto kind = instruction.get<Attr::FusionKindKind>();
  return kind == FusionKind::Loop ? kMediumCost : kind == FusionKind::Output ? kHighCost : kLowCost;
}

double UniformLatencyEstimator::latencyBetween(const Instruction& from, const Instruction& to) const {
  const CanonicalAsyncOp start = canonicalAsyncOp(from, false), done = canonicalAsyncOp(to, false);
  const bool pair =
      start.role == AsyncRole::Start && done.role == AsyncRole::Done && start.inner == done.inner;
  return pair ? kHighLatency : kLowLatency;
}

bool isGpuNop(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::GetTupleElement:
    case Opcode::Bitcast:
    case Opcode::Constant:
    case Opcode::Parameter:
    case Opcode::Tuple:
    case Opcode::PartitionId:
    case Opcode::ReplicaId:
    case Opcode::OptBarrier:
      return true;
    case Opcode::Transpose:
      return transposeIsBitcast(instruction);
    default:
      return false;
  }
}

bool isCollectivesGroup(const Instruction& link) {
  if (link.opcode() == Opcode::AsyncStart) return frontendAttribute(link, "_collectives_group").has_value();
  return link.opcode() == Opcode::AsyncDone && link.operandCount() > 0 &&
         link.operand(0)->opcode() == Opcode::AsyncStart && isCollectivesGroup(*link.operand(0));
}

bool isCustomCollective(const Instruction& link) {
  if (link.opcode() != Opcode::AsyncStart && link.opcode() != Opcode::AsyncDone) return false;
  const auto stream = frontendAttribute(link, "_xla_stream_annotation");
  if (!stream) return false;
  return std::ranges::equal(*stream, std::string_view("collective"),
                            [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

bool isGpuAsyncStart(const Instruction& instruction) { return isGpuAsync(instruction, AsyncRole::Start); }
bool isGpuAsyncDone(const Instruction& instruction) { return isGpuAsync(instruction, AsyncRole::Done); }

bool isOnP2pCollectiveStream(const Instruction& instruction) {
  const bool done =
      canonicalAsyncOp(instruction, true).role == AsyncRole::Done && instruction.operandCount() > 0;
  return hasFrontendAttribute(done ? *instruction.operand(0) : instruction, "_xla_gpu_collective_stream",
                              "p2p");
}

double GpuUniformLatencyEstimator::nodeCost(const Instruction& instruction) const {
  if (isGpuNop(instruction)) return 0;
  if (instruction.opcode() == Opcode::CustomCall) {
    const double told = latencyFromMetadata(instruction, unitsPerMicrosecond());
    return told >= 0 ? told : kMediumCost;
  }
  return UniformLatencyEstimator::nodeCost(instruction);
}

double GpuUniformLatencyEstimator::latencyBetween(const Instruction& from, const Instruction& to) const {
  const CanonicalAsyncOp start = canonicalAsyncOp(from, true), done = canonicalAsyncOp(to, true);
  if (start.role != AsyncRole::Start || done.role != AsyncRole::Done || start.inner != done.inner)
    return kLowLatency;
  if (isOnP2pCollectiveStream(from)) {
    constexpr double kSend = 1024, kRecv = 6, kPermute = 14;
    if (start.inner == Opcode::Send) return kSend * kHighLatency;
    if (start.inner != Opcode::CollectivePermute) return kRecv * kHighLatency;
    // A permute makes all devices wait for each other: the longest any waits for its furthest peer.
    const int64_t peers = std::max<int64_t>(from.module().partitionCount() / 8 - 1, 1);
    return (static_cast<double>(peers) * kRecv + kPermute) * kHighLatency;
  }
  constexpr int64_t kCostlyBytes = 30 << 20;
  const bool costly = costlyAllReduces_ && from.opcode() == Opcode::AllReduceStart &&
                      bufferBytes(from.shape(), 8) > kCostlyBytes;
  return costly ? 4 * kHighLatency : kHighLatency;
}

}  // namespace hilo
