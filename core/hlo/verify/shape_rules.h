// One shape rule an op family; the table that joins them to opcodes is shape_rules.cpp. Each takes an OpView
// whose operand count has been checked where ops.def states one. XLA's shape_inference.cc is the behaviour
// they match, with the checks of hlo_verifier.cc that belong to the same question.
#pragma once

#include "core/hlo/verify/op_view.h"

namespace hilo {

// The rule of an opcode; null only for one that the table lacks, which a test refuses.
ShapeRule shapeRule(Opcode opcode);

// Elementwise.
InferResult inferUnary(const OpView& op);
InferResult inferBinary(const OpView& op);
InferResult inferClamp(const OpView& op);
InferResult inferSelect(const OpView& op);
InferResult inferConvert(const OpView& op);
InferResult inferBitcastConvert(const OpView& op);
InferResult inferStochasticConvert(const OpView& op);
InferResult inferReducePrecision(const OpView& op);
// Contractions.
InferResult inferDot(const OpView& op);
InferResult inferRaggedDot(const OpView& op);
InferResult inferScaledDot(const OpView& op);
InferResult inferConvolution(const OpView& op);
InferResult inferFft(const OpView& op);
InferResult inferTriangularSolve(const OpView& op);
InferResult inferCholesky(const OpView& op);
// Reductions and windows.
InferResult inferReduce(const OpView& op);
InferResult inferReduceWindow(const OpView& op);
InferResult inferSelectAndScatter(const OpView& op);
InferResult inferMap(const OpView& op);
InferResult inferSort(const OpView& op);
InferResult inferTopK(const OpView& op);
InferResult inferScan(const OpView& op);
InferResult inferBatchNorm(const OpView& op);
// Gather and scatter.
InferResult inferGather(const OpView& op);
InferResult inferScatter(const OpView& op);
// Slicing and padding.
InferResult inferSlice(const OpView& op);
InferResult inferDynamicSlice(const OpView& op);
InferResult inferDynamicUpdateSlice(const OpView& op);
InferResult inferPad(const OpView& op);
InferResult inferConcatenate(const OpView& op);
// Moving data.
InferResult inferBroadcast(const OpView& op);
InferResult inferReshape(const OpView& op);
InferResult inferDynamicReshape(const OpView& op);
InferResult inferTranspose(const OpView& op);
InferResult inferReverse(const OpView& op);
InferResult inferIota(const OpView& op);
InferResult inferGetDimensionSize(const OpView& op);
InferResult inferSetDimensionSize(const OpView& op);
// Control flow.
InferResult inferCall(const OpView& op);
InferResult inferFusion(const OpView& op);
InferResult inferWhile(const OpView& op);
InferResult inferConditional(const OpView& op);
// Collectives.
InferResult inferAllGather(const OpView& op);
InferResult inferAllReduce(const OpView& op);
InferResult inferReduceScatter(const OpView& op);
InferResult inferAllToAll(const OpView& op);
InferResult inferRaggedAllToAll(const OpView& op);
InferResult inferCollectiveBroadcast(const OpView& op);
InferResult inferCollectivePermute(const OpView& op);
InferResult inferCollectivePermuteStart(const OpView& op);
// Asynchronous and host communication.
InferResult inferAsyncStart(const OpView& op);
InferResult inferAsyncUpdate(const OpView& op);
InferResult inferAsyncDone(const OpView& op);
InferResult inferCopyStart(const OpView& op);
InferResult inferCopyDone(const OpView& op);
InferResult inferSend(const OpView& op);
InferResult inferRecv(const OpView& op);
InferResult inferRecvDone(const OpView& op);
InferResult inferInfeed(const OpView& op);
InferResult inferOutfeed(const OpView& op);
// Random numbers.
InferResult inferRng(const OpView& op);
InferResult inferRngBitGenerator(const OpView& op);
// Tuples, tokens, and ops whose shape is one operand's, a fixed one, or only declared.
InferResult inferTuple(const OpView& op);
InferResult inferGetTupleElement(const OpView& op);
InferResult inferOperandZero(const OpView& op);
InferResult inferSecondElement(const OpView& op);
InferResult inferToken(const OpView& op);
InferResult inferAddDependency(const OpView& op);
InferResult inferDeviceId(const OpView& op);
InferResult inferRngState(const OpView& op);
InferResult inferConstant(const OpView& op);
InferResult inferDeclared(const OpView& op);

// Shared by convolution and the window reductions: the sizes `window` gives over `base` sizes.
struct WindowedSize {
  int64_t size = 0;
  bool dynamic = false;
};
Result<WindowedSize> windowedSize(const OpView& op, const WindowDimension& window, int64_t base,
                                  bool dynamic);

// What the devices of a collective do together. Numbers of a group follow XLA's collective group modes:
// use_global_device_ids and channel_id together decide whether ids are replicas, partitions or both.
enum class GroupMode : uint8_t { CrossReplica, CrossPartition, CrossReplicaAndPartition, FlattenedId };
std::string_view groupModeText(GroupMode mode);
Result<GroupMode> groupMode(const OpView& op);
// Devices in the first group, or in all when no group is written. At least 1.
int64_t subgroupSize(const OpView& op, GroupMode mode);

}  // namespace hilo
