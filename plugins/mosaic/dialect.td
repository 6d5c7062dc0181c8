// The dialect mosaic_gpu: its types, attributes and enumerations. What they mean is said in
// docs/kernel_dialects.md; names, parameters and values are those that JAX writes.
#ifndef HILO_PLUGINS_MOSAIC_DIALECT_TD_
#define HILO_PLUGINS_MOSAIC_DIALECT_TD_

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def MosaicGPU_Dialect : Dialect {
  let name = "mosaic_gpu";
  let cppNamespace = "::hilo::mosaic";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

class Mosaic_Type<string name, string mnemonic_, list<Trait> traits = []> : TypeDef<MosaicGPU_Dialect, name, traits> {
  let mnemonic = mnemonic_;
}
class Mosaic_Attr<string name, string mnemonic_, list<Trait> traits = []> : AttrDef<MosaicGPU_Dialect, name, traits> {
  let mnemonic = mnemonic_;
}
class Mosaic_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::hilo::mosaic";
}

// ---- types

def Mosaic_Barrier : Mosaic_Type<"Barrier", "barrier", [MemRefElementTypeInterface]> {
  let summary = "one slot of a barrier in shared memory";
  let parameters = (ins DefaultValuedParameter<"bool", "false">:$orders_tensor_core);
  let assemblyFormat = "(`<` `orders_tensor_core` `=` $orders_tensor_core^ `>`)?";
}

// Six bits an element: sixteen of them in 128 bits, or one in a byte.
class Mosaic_SixBits<string name, string mnemonic> : Mosaic_Type<name, mnemonic, [MemRefElementTypeInterface]> {
  let parameters = (ins "::mlir::Type":$element_type);
  let assemblyFormat = "`<` $element_type `>`";
  let genVerifyDecl = 1;
}
def Mosaic_B6x16P32 : Mosaic_SixBits<"B6x16P32", "b6x16_p32">;
def Mosaic_P2B6 : Mosaic_SixBits<"P2B6", "p2b6">;

// ---- memory spaces

def Mosaic_Tmem : Mosaic_Attr<"Tmem", "tmem"> { let summary = "tensor memory"; }
def Mosaic_SmemCluster : Mosaic_Attr<"SmemCluster", "smem_cluster"> {
  let summary = "shared memory of another block of the cluster";
}

// ---- layouts of vectors in registers

def Mosaic_Strided : Mosaic_Attr<"WGStridedFragLayout", "WGStridedFragLayout"> {
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$shape, "int":$vector_size);
  let assemblyFormat = "`<` $shape `,` $vector_size `>`";
}
def Mosaic_Splat : Mosaic_Attr<"WGSplatFragLayout", "WGSplatFragLayout"> {
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$shape);
  let assemblyFormat = "`<` $shape `>`";
}
def Mosaic_Replicated : Mosaic_Attr<"Replicated", "Replicated"> {
  let parameters = (ins "int":$times);
  let assemblyFormat = "`<` `times` `=` $times `>`";
}
// Reads the one warp dimension of 2025 too, `warp_dim = -8`.
def Mosaic_Tiled : Mosaic_Attr<"TiledLayout", "TiledLayout"> {
  let parameters = (ins "::mlir::ArrayAttr":$tiling, "::mlir::ArrayAttr":$warp_dims, "::mlir::ArrayAttr":$lane_dims,
                        "int":$vector_dim);
  let hasCustomAssemblyFormat = 1;
}
// What tiled layouts were called until April 2025.
def Mosaic_Wgmma : Mosaic_Attr<"WGMMAFragLayout", "WGMMAFragLayout">;
def Mosaic_WgmmaRow : Mosaic_Attr<"WGMMARowFragLayout", "WGMMARowFragLayout">;

// ---- order of elements in shared memory

// Lists with brackets, and without as they were until April 2026.
def Mosaic_Tile : Mosaic_Attr<"TileTransform", "tile"> {
  let parameters = (ins "::mlir::DenseI32ArrayAttr":$tiling);
  let hasCustomAssemblyFormat = 1;
}
def Mosaic_Transpose : Mosaic_Attr<"TransposeTransform", "transpose"> {
  let parameters = (ins "::mlir::DenseI32ArrayAttr":$permutation);
  let hasCustomAssemblyFormat = 1;
}
// By its number of bytes; `swizzle_64` and `swizzle_none` are older.
def Mosaic_Swizzle : Mosaic_Attr<"SwizzleTransform", "swizzle"> {
  let parameters = (ins "SwizzlingModeAttr":$swizzle);
  let hasCustomAssemblyFormat = 1;
}
// The layout of a memref until April 2025: its rank and transforms.
def Mosaic_Layout : Mosaic_Attr<"Layout", "layout", [DeclareAttrInterfaceMethods<MemRefLayoutAttrInterface>]> {
  let parameters = (ins "int32_t":$rank, ArrayRefParameter<"mlir::Attribute", "transforms">:$transforms);
  let assemblyFormat = "`<` $rank `,` $transforms `>`";
}

// ---- copies of a cluster

def Mosaic_CopyReplicated : Mosaic_Attr<"CopyReplicated", "copy_replicated">;
def Mosaic_CopyPartitioned : Mosaic_Attr<"CopyPartitioned", "copy_partitioned"> {
  let parameters = (ins "int":$axis);
  let assemblyFormat = "`<` `axis` `=` $axis `>`";
}
def Mosaic_CopyPartition : AnyAttrOf<[Mosaic_CopyReplicated, Mosaic_CopyPartitioned]>;

// ---- enumerations

def Mosaic_Dimension : Mosaic_Enum<"Dimension", "x, y or z", [
    I32EnumAttrCase<"x", 0>, I32EnumAttrCase<"y", 1>, I32EnumAttrCase<"z", 2>]>;
// Of 2024, a dimension had an attribute of its own: #mosaic_gpu.dim<x>.
def Mosaic_OldDimension : Mosaic_Enum<"OldDimension", "x, y or z", [
    I32EnumAttrCase<"x", 0>, I32EnumAttrCase<"y", 1>, I32EnumAttrCase<"z", 2>]> {
  let genSpecializedAttr = 0;
}
def Mosaic_OldDimensionAttr : EnumAttr<MosaicGPU_Dialect, Mosaic_OldDimension, "dim"> {
  let assemblyFormat = "`<` $value `>`";
}
def Mosaic_OldLayout : Mosaic_Enum<"OldLayout", "the kind of a layout in registers", [
    I32EnumAttrCase<"WGSplatFragLayout", 0>, I32EnumAttrCase<"WGStridedFragLayout", 1>,
    I32EnumAttrCase<"WGMMAFragLayout", 2>, I32EnumAttrCase<"WGMMARowFragLayout", 3>]> {
  let genSpecializedAttr = 0;
}
def Mosaic_OldLayoutAttr : EnumAttr<MosaicGPU_Dialect, Mosaic_OldLayout, "fragmented_layout"> {
  let assemblyFormat = "`<` $value `>`";
}
def Mosaic_SwizzlingMode : Mosaic_Enum<"SwizzlingMode", "bytes of a swizzle", [
    I32EnumAttrCase<"kNoSwizzle", 16>, I32EnumAttrCase<"k32ByteSwizzle", 32>, I32EnumAttrCase<"k64ByteSwizzle", 64>,
    I32EnumAttrCase<"k128ByteSwizzle", 128>]>;
def Mosaic_TmaReduction : Mosaic_Enum<"TMAReduction", "what a copy to global memory does with what is there", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Min", 1, "min">, I32EnumAttrCase<"Max", 2, "max">,
    I32EnumAttrCase<"Inc", 3, "inc">, I32EnumAttrCase<"Dec", 4, "dec">, I32EnumAttrCase<"And", 5, "and">,
    I32EnumAttrCase<"Or", 6, "or">, I32EnumAttrCase<"Xor", 7, "xor">, I32EnumAttrCase<"Umin", 8, "umin">,
    I32EnumAttrCase<"Umax", 9, "umax">, I32EnumAttrCase<"Smin", 10, "smin">, I32EnumAttrCase<"Smax", 11, "smax">]>;
def Mosaic_TmemLoadReduction : Mosaic_Enum<"TMEMLoadReduction", "how a load from tensor memory folds its rows", [
    I32EnumAttrCase<"Min", 0, "min">, I32EnumAttrCase<"Max", 1, "max">, I32EnumAttrCase<"AbsMin", 2, "absmin">,
    I32EnumAttrCase<"AbsMax", 3, "absmax">]>;
def Mosaic_MultimemReduction : Mosaic_Enum<"MultimemLoadReductionType", "how a load from all devices folds", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Min", 1, "min">, I32EnumAttrCase<"Max", 2, "max">,
    I32EnumAttrCase<"And", 3, "and">, I32EnumAttrCase<"Or", 4, "or">, I32EnumAttrCase<"Xor", 5, "xor">,
    I32EnumAttrCase<"Umin", 6, "umin">, I32EnumAttrCase<"Umax", 7, "umax">, I32EnumAttrCase<"Smin", 8, "smin">,
    I32EnumAttrCase<"Smax", 9, "smax">]>;
def Mosaic_AtomicOp : Mosaic_Enum<"AtomicOpType", "what an atomic store does", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Min", 1, "min">, I32EnumAttrCase<"Max", 2, "max">,
    I32EnumAttrCase<"And", 3, "and">, I32EnumAttrCase<"Or", 4, "or">, I32EnumAttrCase<"Xor", 5, "xor">]>;
def Mosaic_FillMode : Mosaic_Enum<"OOBFillMode", "what a copy writes for elements outside of its source", [
    I32EnumAttrCase<"kUndefined", 0, "undefined">, I32EnumAttrCase<"kPromiseInBounds", 1, "promise_in_bounds">,
    I32EnumAttrCase<"kZeros", 2, "zeros">]>;

#endif
