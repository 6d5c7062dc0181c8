// The operations of mosaic_gpu, by what they are about. Constraints that one type alone decides stand here; what two
// operands decide together is in verify_*.cpp. A Mosaic_OldForm reads what JAX printed before its operands became a
// generic list; it is printed in the generic form.
include "dialect.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Mosaic_Op<string mnemonic, list<Trait> traits = []> : Op<MosaicGPU_Dialect, mnemonic, traits>;
class Mosaic_Checked<string mnemonic, list<Trait> traits = []> : Mosaic_Op<mnemonic, traits> {
  let hasVerifier = 1;
}
class Mosaic_OldForm<string mnemonic, list<Trait> traits = []> : Mosaic_Checked<mnemonic, traits> {
  let extraClassDeclaration = [{
    static ::mlir::ParseResult parse(::mlir::OpAsmParser& parser, ::mlir::OperationState& state);
  }];
}

def BarrierSlot : MemRefRankOf<[Mosaic_Barrier], [0]>;
def Matrix : MemRefRankOf<[AnyType], [2]>;
def CopyIndex : AnyTypeOf<[I32, VectorOfRankAndType<[1], [I32, I16, I8]>]>;
def Flag : DefaultValuedAttr<BoolAttr, "false">;
def Dimensions : TypedArrayAttrBase<Mosaic_Dimension, "array of dimensions">;
def Predicate : Optional<I1>;
def SharedPointer : LLVM_PointerInAddressSpace<3>;

// ---- barriers

def InitializeBarrierOp : Mosaic_Op<"initialize_barrier"> {
  let summary = "makes barriers side by side, each of as many arrivals of a warpgroup";
  let arguments = (ins SharedPointer:$base_pointer, ConfinedAttr<I64Attr, [IntPositive]>:$arrival_count,
                       ConfinedAttr<I32Attr, [IntPositive]>:$num_barriers, BoolAttr:$orders_tensor_core);
  let extraClassDeclaration = [{
    static ::mlir::ParseResult parse(::mlir::OpAsmParser& parser, ::mlir::OperationState& state);
  }];
}
def ArriveOp : Mosaic_Op<"arrive"> {
  let arguments = (ins BarrierSlot:$barrier, BoolAttr:$orders_tensor_core);
}
def ArriveExpectTxOp : Mosaic_Op<"arrive_expect_tx"> {
  let summary = "arrives, and expects bytes that copies will bring";
  let arguments = (ins BarrierSlot:$barrier, I32:$expect_tx);
  let hasCustomAssemblyFormat = 1;
}
def WaitOp : Mosaic_Op<"wait"> {
  let summary = "waits until the phase of a parity is over";
  let arguments = (ins BarrierSlot:$barrier, I1:$parity);
  let assemblyFormat = [{
    `barrier` `(` $barrier `:` type($barrier) `)` `parity` `(` $parity `:` type($parity) `)` attr-dict
  }];
}
def TryClusterCancelOp : Mosaic_Checked<"try_cluster_cancel"> {
  let summary = "asks for the work of a cluster that has not started yet";
  let arguments = (ins MemRefRankOf<[I8], [1]>:$cancellation_result, BarrierSlot:$barrier, Predicate:$predicate);
}
def QueryClusterCancelOp : Mosaic_Checked<"query_cluster_cancel"> {
  let arguments = (ins MemRefRankOf<[I8], [1]>:$cancellation_result);
  let results = (outs I32:$x, I32:$y, I32:$z, I1:$success);
}
def TcGen05CommitArriveOp : Mosaic_Op<"tcgen05_commit_arrive"> {
  let summary = "lets a barrier arrive when all tcgen05 operations before are done";
  let arguments = (ins BarrierSlot:$barrier, Flag:$collective);
}

// ---- copies between global and shared memory

def AsyncLoadOp : Mosaic_OldForm<"async_load", [AttrSizedOperandSegments]> {
  let summary = "copies a slice of global memory to shared memory";
  let arguments = (ins AnyMemRef:$source, AnyMemRef:$destination, BarrierSlot:$barrier, Variadic<CopyIndex>:$indices,
                       OptionalAttr<Mosaic_CopyPartition>:$leader_tracked, Predicate:$predicate,
                       Optional<I32>:$gmem_peer_id, DenseI64ArrayAttr:$slice_lengths, Dimensions:$collective,
                       DefaultValuedAttr<Mosaic_FillMode, "OOBFillMode::kZeros">:$oob_fill_mode);
}
def AsyncPrefetchOp : Mosaic_OldForm<"async_prefetch", [AttrSizedOperandSegments]> {
  let summary = "brings a slice of global memory to the L2 cache";
  let arguments = (ins AnyMemRef:$source, Variadic<CopyIndex>:$indices, Predicate:$predicate,
                       DenseI64ArrayAttr:$slice_lengths, Dimensions:$collective);
}
def AsyncStoreOp : Mosaic_OldForm<"async_store", [AttrSizedOperandSegments]> {
  let summary = "copies shared memory to a slice of global memory";
  let arguments = (ins AnyMemRef:$source, AnyMemRef:$destination, Variadic<CopyIndex>:$indices, Predicate:$predicate,
                       Optional<I32>:$gmem_peer_id, DenseI64ArrayAttr:$slice_lengths,
                       DefaultValuedOptionalAttr<BoolAttr, "true">:$commit_group,
                       OptionalAttr<Mosaic_TmaReduction>:$reduction_op, Flag:$is_global_broadcast);
}
def AsyncStoreSmemOp : Mosaic_Checked<"async_store_smem", [MemoryEffects<[MemWrite]>]> {
  let summary = "stores a vector to the shared memory of another block of the cluster";
  let arguments = (ins AnyFixedVectorOfNonZeroRank:$valueToStore, AnyNon0RankedMemRef:$destination,
                       BarrierSlot:$barrier, Mosaic_Dimension:$cluster_dim, I32:$cluster_idx,
                       OptionalAttr<Mosaic_AtomicOp>:$atomic_type, OptionalAttr<BoolAttr>:$optimized);
}

// ---- registers and memory

def VectorLoadOp : Mosaic_Checked<"vector_load", [MemoryEffects<[MemRead]>]> {
  let arguments = (ins AnyNon0RankedMemRef:$source, OptionalAttr<BoolAttr>:$optimized);
  let results = (outs AnyFixedVectorOfNonZeroRank:$result);
}
def VectorStoreOp : Mosaic_Checked<"vector_store", [MemoryEffects<[MemWrite]>]> {
  let arguments = (ins AnyFixedVectorOfNonZeroRank:$valueToStore, AnyNon0RankedMemRef:$destination,
                       OptionalAttr<BoolAttr>:$optimized, OptionalAttr<Mosaic_AtomicOp>:$atomic_type, Flag:$multimem);
}
def MultimemLoadReduceOp : Mosaic_Checked<"multimem_load_reduce", [MemoryEffects<[MemRead]>]> {
  let arguments = (ins AnyNon0RankedMemRef:$source, Mosaic_MultimemReduction:$reduction_type);
  let results = (outs AnyFixedVectorOfNonZeroRank:$result);
}

// ---- references to memory

def SliceSMEMOp : Mosaic_Op<"slice_smem", [Pure]> {
  let summary = "the shared memory from a byte on, as an array";
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$offset, OptionalAttr<I64Attr>:$alias_id);
  let results = (outs AnyMemRef:$result);
}
def SliceTmemOp : Mosaic_Checked<"slice_tmem", [Pure]> {
  let summary = "tensor memory from a column on";
  let arguments = (ins Matrix:$source, ConfinedAttr<I32Attr, [IntNonNegative]>:$offset,
                       OptionalAttr<I64Attr>:$alias_id);
  let results = (outs Matrix:$result);
}
def ReinterpretCastOp : Mosaic_Checked<"reinterpret_cast", [Pure]> {
  let arguments = (ins AnyMemRef:$source);
  let results = (outs AnyMemRef:$result);
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
def GetClusterRefOp : Mosaic_Checked<"get_cluster_ref", [Pure, AttrSizedOperandSegments]> {
  let summary = "the same shared memory in another block of the cluster";
  let arguments = (ins AnyMemRef:$source, Optional<I32>:$x, Optional<I32>:$y, Optional<I32>:$z);
  let results = (outs AnyMemRef:$result);
}
def WithTransformsOp : Mosaic_Op<"with_transforms", [SameOperandsAndResultType, Pure]> {
  let arguments = (ins AnyMemRef:$ref, ArrayAttr:$transforms);
  let results = (outs AnyMemRef:$result);
}
// Of 2026 alone, and gone again.
def TileShapeOp : Mosaic_Op<"tile_shape", [Pure]> {
  let arguments = (ins AnyMemRef:$source, DenseI32ArrayAttr:$tiling);
  let results = (outs AnyMemRef:$result);
}
def MemRefReshapeOp : Mosaic_Op<"memref_reshape", [Pure]> {
  let arguments = (ins AnyStaticShapeMemRef:$source, DenseI64ArrayAttr:$shape);
  let results = (outs AnyStaticShapeMemRef:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

// ---- vectors

def LayoutCastOp : Mosaic_Op<"layout_cast", [SameOperandsAndResultType, Pure]> {
  let arguments = (ins AnyVectorOfAnyRank:$x, AnyAttrOf<[Mosaic_Strided, Mosaic_Tiled]>:$new_layout);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat = "`x` `(` $x `:` type($x) `)` attr-dict";
}
def BroadcastInDimOp : Mosaic_Checked<"broadcast_in_dim"> {
  let arguments = (ins AnyVectorOfAnyRank:$operand, DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat = "`(` $operand `:` type($operand) `)` attr-dict `->` type(results)";
}
def VectorConcatOp : Mosaic_Checked<"vector_concat", [Pure]> {
  let arguments = (ins Variadic<AnyVectorOfNonZeroRank>:$operands, I32Attr:$dimension);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = "`(` $operands `:` type($operands) `)` attr-dict `->` type(results)";
}
def BroadcastedIotaOp : Mosaic_Checked<"broadcasted_iota"> {
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$dimension);
  let results = (outs AnyFixedVectorOfNonZeroRank:$result);
}
def AssumeMultipleOp : Mosaic_Op<"assume_multiple", [Pure, SameOperandsAndResultType]> {
  let arguments = (ins AnyTypeOf<[Index, AnyInteger]>:$value, ConfinedAttr<I32Attr, [IntPositive]>:$multiple);
  let results = (outs AnyTypeOf<[Index, AnyInteger]>:$result);
  let assemblyFormat = "$value `,` $multiple attr-dict `:` type($result)";
}

// ---- products of matrices

def WgmmaFactor : AnyTypeOf<[F16, BF16, TF32, F32, F8E4M3FN, F8E5M2, I8], "an element type of WGMMA">;
def WgmmaSum : VectorOfRankAndType<[2], [AnyTypeOf<[F16, F32, I32], "an element type of WGMMA's sums">]>;
class Mosaic_Product<string mnemonic> : Mosaic_Checked<mnemonic, [AllTypesMatch<["accumulator", "result"]>]> {
  let assemblyFormat = [{
    `accumulator` `(` $accumulator `:` type($accumulator) `)` `a` `(` $a `:` type($a) `)`
    `b` `(` $b `:` type($b) `)` attr-dict `->` type(results)
  }];
}
def WGMMAOp : Mosaic_Product<"wgmma"> {
  let arguments = (ins WgmmaSum:$accumulator,
                       AnyTypeOf<[MemRefRankOf<[WgmmaFactor], [2]>, VectorOfRankAndType<[2], [WgmmaFactor]>]>:$a,
                       MemRefRankOf<[WgmmaFactor], [2]>:$b);
  let results = (outs WgmmaSum:$result);
}
def MmaFactor : AnyTypeOf<[F64, TF32, F16, BF16, F8E4M3FN, F8E5M2, I8, I<4>, I1], "an element type of mma.sync">;
def MmaSum : VectorOfRankAndType<[2], [AnyTypeOf<[F64, F32, F16, I32], "an element type of mma.sync's sums">]>;
def MMAOp : Mosaic_Product<"mma"> {
  let arguments = (ins MmaSum:$accumulator, VectorOfRankAndType<[2], [MmaFactor]>:$a,
                       VectorOfRankAndType<[2], [MmaFactor]>:$b);
  let results = (outs MmaSum:$result);
}
def TcGen05Factor : AnyTypeOf<[F16, F32, BF16, TF32, F8E4M3FN, F8E5M2, F6E2M3FN, F6E3M2FN, F4E2M1FN, I8],
                              "an element type of tcgen05.mma">;
def Scales : MemRefRankOf<[F8E8M0FNU, F8E4M3FN], [2]>;
def TcGen05MMAOp : Mosaic_Checked<"tcgen05_mma", [AttrSizedOperandSegments]> {
  let arguments = (ins MemRefRankOf<[F16, F32, I32], [2]>:$accumulator, MemRefRankOf<[TcGen05Factor], [2]>:$a,
                       MemRefRankOf<[TcGen05Factor], [2]>:$b, I1:$accumulate, Optional<Scales>:$a_scale,
                       Optional<Scales>:$b_scale, Optional<MemRefRankOf<[I<2>], [2]>>:$a_sparse_metadata,
                       Flag:$collective);
}

// ---- tensor memory

def TmemAllocOp : Mosaic_Checked<"tmem_alloc"> {
  let summary = "takes columns of tensor memory; their address goes to shared memory";
  let arguments = (ins MemRefRankOf<[I32], [0]>:$smem_ptr, Flag:$collective,
                       DefaultValuedAttr<ConfinedAttr<I32Attr, [IntPositive]>, "1">:$packing);
  let results = (outs Matrix:$result);
  let assemblyFormat = "`smem_ptr` `(` $smem_ptr `:` type($smem_ptr) `)` attr-dict `->` type(results)";
}
def TmemRelinquishAllocPermitOp : Mosaic_Op<"tmem_relinquish_alloc_permit"> {
  let arguments = (ins Flag:$collective);
}
def TmemDeallocOp : Mosaic_Checked<"tmem_dealloc"> {
  let arguments = (ins Matrix:$tmem_ref);
  let assemblyFormat = "`tmem_ref` `(` $tmem_ref `:` type($tmem_ref) `)` attr-dict";
}
def TmemLayoutCastOp : Mosaic_Checked<"tmem_layout_cast", [SameOperandsAndResultType, Pure]> {
  let arguments = (ins Matrix:$ref, Mosaic_Tiled:$new_layout);
  let results = (outs Matrix:$result);
}
def AsyncLoadTmemOp : Mosaic_Checked<"async_load_tmem"> {
  let arguments = (ins Matrix:$source, OptionalAttr<Mosaic_TmemLoadReduction>:$reduce);
  let results = (outs Variadic<AnyFixedVectorOfNonZeroRank>:$loaded);
}
def AsyncStoreTmemOp : Mosaic_Checked<"async_store_tmem"> {
  let arguments = (ins VectorOfRank<[2]>:$source, Matrix:$destination);
}
def AsyncStoreSmemToTmemOp : Mosaic_Checked<"async_store_smem_to_tmem"> {
  let arguments = (ins Matrix:$source, Matrix:$destination, Flag:$collective);
}
def AsyncStoreSparseMetadataSmemToTmemOp : Mosaic_Checked<"async_store_sparse_metadata_smem_to_tmem"> {
  let arguments = (ins MemRefRankOf<[I<2>], [4]>:$source, MemRefRankOf<[I<2>], [2]>:$destination, Flag:$collective);
}
def AsyncStoreScalesSmemToTmemOp : Mosaic_Checked<"async_store_scales_smem_to_tmem"> {
  let arguments = (ins MemRefRankOf<[F8E8M0FNU, F8E4M3FN], [4]>:$source, Scales:$destination, Flag:$collective);
}

// ---- code

def OptimizationBarrierOp : Mosaic_Checked<"optimization_barrier"> {
  let arguments = (ins Variadic<AnyType>:$operands);
  let results = (outs Variadic<AnyType>:$results);
}
def ReturnOp : Mosaic_Checked<"return", [Pure, ReturnLike, Terminator, HasParent<"CustomPrimitiveOp">]> {
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}
def CustomPrimitiveOp
    : Mosaic_Checked<"custom_primitive", [IsolatedFromAbove, SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "code with the layouts of what goes in and comes out";
  let arguments = (ins Variadic<AnyType>:$operands, ArrayAttr:$in_layouts, ArrayAttr:$in_transforms,
                       ArrayAttr:$out_layouts);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
}
def WarpMapOp : Mosaic_Checked<"warp_map", [SingleBlock, NoTerminator, IsolatedFromAbove]> {
  let summary = "code that each warp runs for itself";
  let arguments = (ins Variadic<AnyType>:$operands);
  let regions = (region SizedRegion<1>:$region);
  let hasCanonicalizer = 1;
}
def DebugPrintOp : Mosaic_Op<"debug_print"> {
  let arguments = (ins StrAttr:$format, AnyVectorOfAnyRank:$value);
}
def PrintLayoutOp : Mosaic_Checked<"print_layout"> {
  let arguments = (ins StrAttr:$format, AnyTypeOf<[AnyMemRef, AnyVectorOfAnyRank]>:$value);
}
// They do nothing: JAX asked by them what its library knows.
def ArriveDynExpectTxSupportedOp : Mosaic_Op<"arrive_dyn_expect_tx_supported">;
def TMAGatherSupportedOp : Mosaic_Op<"tma_gather_supported">;
