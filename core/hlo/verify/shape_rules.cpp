#include "core/hlo/verify/shape_rules.h"

#include <array>
#include <utility>

namespace hilo {

namespace {

// What is not elementwise, in ops.def's families.
constexpr std::pair<Opcode, ShapeRule> kRules[] = {
    {Opcode::Convert, inferConvert},
    {Opcode::BitcastConvert, inferBitcastConvert},
    {Opcode::StochasticConvert, inferStochasticConvert},
    {Opcode::ReducePrecision, inferReducePrecision},
    {Opcode::Clamp, inferClamp},
    {Opcode::Select, inferSelect},
    {Opcode::Dot, inferDot},
    {Opcode::RaggedDot, inferRaggedDot},
    {Opcode::ScaledDot, inferScaledDot},
    {Opcode::Convolution, inferConvolution},
    {Opcode::Fft, inferFft},
    {Opcode::TriangularSolve, inferTriangularSolve},
    {Opcode::Cholesky, inferCholesky},
    {Opcode::Reduce, inferReduce},
    {Opcode::ReduceWindow, inferReduceWindow},
    {Opcode::SelectAndScatter, inferSelectAndScatter},
    {Opcode::Map, inferMap},
    {Opcode::Sort, inferSort},
    {Opcode::TopK, inferTopK},
    {Opcode::Scan, inferScan},
    {Opcode::BatchNormTraining, inferBatchNorm},
    {Opcode::BatchNormInference, inferBatchNorm},
    {Opcode::BatchNormGrad, inferBatchNorm},
    {Opcode::Gather, inferGather},
    {Opcode::Scatter, inferScatter},
    {Opcode::Slice, inferSlice},
    {Opcode::DynamicSlice, inferDynamicSlice},
    {Opcode::DynamicUpdateSlice, inferDynamicUpdateSlice},
    {Opcode::Pad, inferPad},
    {Opcode::Concatenate, inferConcatenate},
    {Opcode::Broadcast, inferBroadcast},
    {Opcode::Reshape, inferReshape},
    {Opcode::DynamicReshape, inferDynamicReshape},
    {Opcode::Transpose, inferTranspose},
    {Opcode::Reverse, inferReverse},
    {Opcode::Iota, inferIota},
    {Opcode::Bitcast, inferDeclared},
    {Opcode::Copy, inferOperandZero},
    {Opcode::GetDimensionSize, inferGetDimensionSize},
    {Opcode::SetDimensionSize, inferSetDimensionSize},
    {Opcode::Call, inferCall},
    {Opcode::Fusion, inferFusion},
    {Opcode::While, inferWhile},
    {Opcode::Conditional, inferConditional},
    {Opcode::AllGather, inferAllGather},
    {Opcode::AllGatherStart, inferAllGather},
    {Opcode::AllGatherDone, inferSecondElement},
    {Opcode::AllReduce, inferAllReduce},
    {Opcode::AllReduceStart, inferAllReduce},
    {Opcode::AllReduceDone, inferOperandZero},
    {Opcode::ReduceScatter, inferReduceScatter},
    {Opcode::AllToAll, inferAllToAll},
    {Opcode::RaggedAllToAll, inferRaggedAllToAll},
    {Opcode::CollectiveBroadcast, inferCollectiveBroadcast},
    {Opcode::CollectivePermute, inferCollectivePermute},
    {Opcode::CollectivePermuteStart, inferCollectivePermuteStart},
    {Opcode::CollectivePermuteDone, inferSecondElement},
    {Opcode::AsyncStart, inferAsyncStart},
    {Opcode::AsyncUpdate, inferAsyncUpdate},
    {Opcode::AsyncDone, inferAsyncDone},
    {Opcode::CopyStart, inferCopyStart},
    {Opcode::CopyDone, inferCopyDone},
    {Opcode::Send, inferSend},
    {Opcode::SendDone, inferToken},
    {Opcode::Recv, inferRecv},
    {Opcode::RecvDone, inferRecvDone},
    {Opcode::Infeed, inferInfeed},
    {Opcode::Outfeed, inferOutfeed},
    {Opcode::Rng, inferRng},
    {Opcode::RngBitGenerator, inferRngBitGenerator},
    {Opcode::RngGetAndUpdateState, inferRngState},
    {Opcode::Tuple, inferTuple},
    {Opcode::GetTupleElement, inferGetTupleElement},
    {Opcode::AfterAll, inferToken},
    {Opcode::AddDependency, inferAddDependency},
    {Opcode::OptBarrier, inferOperandZero},
    {Opcode::Domain, inferOperandZero},
    {Opcode::PartitionId, inferDeviceId},
    {Opcode::ReplicaId, inferDeviceId},
    {Opcode::Constant, inferConstant},
    {Opcode::Parameter, inferDeclared},
    {Opcode::CustomCall, inferDeclared},
    {Opcode::Opaque, inferDeclared},
};

std::array<ShapeRule, kOpcodeCount> makeTable() {
  std::array<ShapeRule, kOpcodeCount> table{};
  for (const auto& [opcode, rule] : kRules) table[static_cast<size_t>(opcode)] = rule;
  for (size_t i = 0; i < table.size(); ++i) {
    if (table[i] != nullptr) continue;
    const OpcodeClass opClass = opcodeClass(static_cast<Opcode>(i));
    if (opClass == OpcodeClass::ElementwiseUnary) table[i] = inferUnary;
    if (opClass == OpcodeClass::ElementwiseBinary) table[i] = inferBinary;
  }
  return table;
}

}  // namespace

ShapeRule shapeRule(Opcode opcode) {
  static const std::array<ShapeRule, kOpcodeCount> table = makeTable();
  return table[static_cast<size_t>(opcode)];
}

}  // namespace hilo
