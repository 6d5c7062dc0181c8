// The conversions the table names, by family.
#pragma once

#include "plugins/stablehlo/op_conversion.h"

namespace hilo::stablehlo {

// Same operands, same result, no attributes.
LogicalResult convertPlain(OpConversion& c);

// elementwise.cpp
LogicalResult convertTranscendental(OpConversion& c);  // plain, with result_accuracy
LogicalResult convertCbrt(OpConversion& c);            // of complex numbers HLO has none
LogicalResult convertExtremum(OpConversion& c);
LogicalResult convertBitcastConvert(OpConversion& c);
LogicalResult convertCompare(OpConversion& c);
LogicalResult convertSelect(OpConversion& c);
LogicalResult convertClamp(OpConversion& c);
LogicalResult convertReducePrecision(OpConversion& c);
LogicalResult convertConvert(OpConversion& c);

// data_movement.cpp
// Whether the result's sizes are all numbers. Then HLO needs no operand to say them; else it has
// no such operation.
bool isResultKnown(OpConversion& c);
LogicalResult convertConstant(OpConversion& c);
LogicalResult convertIota(OpConversion& c);
LogicalResult convertBroadcast(OpConversion& c);
LogicalResult convertBroadcastInDim(OpConversion& c);
LogicalResult convertReshape(OpConversion& c);
LogicalResult convertTranspose(OpConversion& c);
LogicalResult convertReverse(OpConversion& c);
LogicalResult convertCast(OpConversion& c);  // tensor.cast: the same value, more or less said of its sizes
LogicalResult convertConcatenate(OpConversion& c);
LogicalResult convertSlice(OpConversion& c);
LogicalResult convertRealDynamicSlice(OpConversion& c);
LogicalResult convertDynamicSlice(OpConversion& c);
LogicalResult convertPad(OpConversion& c);
LogicalResult convertDynamicPad(OpConversion& c);
LogicalResult convertDimensionSize(OpConversion& c);
LogicalResult convertGather(OpConversion& c);
LogicalResult convertTorchIndexSelect(OpConversion& c);

// contraction.cpp
LogicalResult convertDot(OpConversion& c);
LogicalResult convertDotGeneral(OpConversion& c);
LogicalResult convertRaggedDot(OpConversion& c);
LogicalResult convertEinsum(OpConversion& c);
LogicalResult convertConvolution(OpConversion& c);
LogicalResult convertFft(OpConversion& c);
LogicalResult convertCholesky(OpConversion& c);
LogicalResult convertTriangularSolve(OpConversion& c);

// reduction.cpp
LogicalResult convertReduce(OpConversion& c);
LogicalResult convertReduceWindow(OpConversion& c);
LogicalResult convertSelectAndScatter(OpConversion& c);
LogicalResult convertMap(OpConversion& c);
LogicalResult convertSort(OpConversion& c);
LogicalResult convertScatter(OpConversion& c);
LogicalResult convertScan(OpConversion& c);
LogicalResult convertBatchNorm(OpConversion& c);
LogicalResult convertTopK(OpConversion& c);

// control_flow.cpp
LogicalResult convertWhile(OpConversion& c);
LogicalResult convertIf(OpConversion& c);
LogicalResult convertCase(OpConversion& c);
LogicalResult convertCall(OpConversion& c);
LogicalResult convertComposite(OpConversion& c);
LogicalResult convertTuple(OpConversion& c);
LogicalResult convertGetTupleElement(OpConversion& c);
LogicalResult convertOptimizationBarrier(OpConversion& c);
LogicalResult convertRng(OpConversion& c);
LogicalResult convertRngBitGenerator(OpConversion& c);

// custom_call.cpp
LogicalResult convertCustomCall(OpConversion& c);
// output_operand_aliases.
void readAliases(OpConversion& c, Hlo made);
// An operation HLO does not have, shown as a custom call of its name.
LogicalResult convertToCustomCall(OpConversion& c);

// communication.cpp
LogicalResult convertAllGather(OpConversion& c);
LogicalResult convertAllReduce(OpConversion& c);
LogicalResult convertReduceScatter(OpConversion& c);
LogicalResult convertAllToAll(OpConversion& c);
LogicalResult convertCollectivePermute(OpConversion& c);
LogicalResult convertCollectiveBroadcast(OpConversion& c);
// The channel's number, 0 where there is none.
int64_t channelOf(OpConversion& c);
// The groups as lists of ids, in a matrix or over the axes of a mesh; empty where none are written. Nothing,
// after an error, when they are neither.
std::optional<std::vector<Integers>> replicaGroupsOf(OpConversion& c);
// Whether a unit attribute is there, or a flag is true.
bool isSet(OpConversion& c, llvm::StringRef name);
LogicalResult convertCrossReplicaSum(OpConversion& c);
LogicalResult convertInfeed(OpConversion& c);
LogicalResult convertOutfeed(OpConversion& c);
LogicalResult convertSend(OpConversion& c);
LogicalResult convertRecv(OpConversion& c);

// collective_reduce.cpp
LogicalResult convertCollectiveReduce(OpConversion& c);

// async.cpp
LogicalResult convertAsyncStart(OpConversion& c);
LogicalResult convertAsyncUpdate(OpConversion& c);
LogicalResult convertAsyncDone(OpConversion& c);

// mhlo_only.cpp
LogicalResult convertFusion(OpConversion& c);
LogicalResult convertDomain(OpConversion& c);
LogicalResult convertRngGetAndUpdateState(OpConversion& c);

// checks.cpp
LogicalResult convertCheck(OpConversion& c);
LogicalResult convertProbe(OpConversion& c);
LogicalResult convertRunParallel(OpConversion& c);
LogicalResult convertNothing(OpConversion& c);

// shardy.cpp
LogicalResult convertShardyValue(OpConversion& c);
LogicalResult convertManualComputation(OpConversion& c);
// Calls of xla.sdy.FuncResultSharding in place of results whose sharding the function says.
void markShardyResults(ComputationBuilder& to, mlir::Operation* function, llvm::MutableArrayRef<Hlo> results);
LogicalResult convertNamedComputation(OpConversion& c);

// chlo.cpp
LogicalResult convertChloBroadcast(OpConversion& c);
LogicalResult convertChloCompare(OpConversion& c);
LogicalResult convertConstantLike(OpConversion& c);
LogicalResult convertConj(OpConversion& c);
LogicalResult convertSquare(OpConversion& c);
LogicalResult convertAtan(OpConversion& c);
LogicalResult convertIsInf(OpConversion& c);
LogicalResult convertNextAfter(OpConversion& c);
LogicalResult convertMulhi(OpConversion& c);

// gamma_functions.cpp
LogicalResult convertLgamma(OpConversion& c);
LogicalResult convertDigamma(OpConversion& c);
LogicalResult convertPolygamma(OpConversion& c);
LogicalResult convertZeta(OpConversion& c);

// error_functions.cpp
LogicalResult convertErfc(OpConversion& c);
LogicalResult convertErfInv(OpConversion& c);
LogicalResult convertBesselI1e(OpConversion& c);

// hyperbolic_functions.cpp
LogicalResult convertCosh(OpConversion& c);
LogicalResult convertSinh(OpConversion& c);

// quantized.cpp
// Whether an operation with quantized operands or results is arithmetic, which the specification defines on
// the numbers they stand for, not on their storage.
bool computesOnQuantized(const OpConversion& c);
// Such an operation: its operands dequantized, its results quantized.
LogicalResult convertThroughFloats(OpConversion& c);
LogicalResult convertUniformQuantize(OpConversion& c);
LogicalResult convertUniformDequantize(OpConversion& c);

}  // namespace hilo::stablehlo
