// Lowers one module. The state all the parts share (lower_*.cpp); compile_module.cpp drives it.
#pragma once

#include "core/analysis/matrix_product.h"
#include "core/compiler/codegen/emit/element_emitter.h"
#include "core/compiler/codegen/lower/sort_keys.h"
#include "core/compiler/codegen/lower/temporaries.h"
#include "core/hlo/ir/module.h"
#include "core/runtime/program/program.h"

namespace hilo {

struct TilePlan;

// One array of a value while the program is made.
struct LeafValue {
  SlabPointer slab;
  bool mayWrite = true;  // false: a view of what belongs to an outer computation
  // Of an array with fewer elements than its bounds: the real size of each dimension, one s32; null: the
  // bound. Empty: all are at their bounds.
  std::vector<SlabPointer> sizes = {};

  bool isDynamic() const {
    return std::ranges::any_of(sizes, [](const SlabPointer& size) { return size != nullptr; });
  }
};
using LeafValues = std::vector<LeafValue>;  // the array leaves of a shape, in order

class Lowering {
 public:
  // `keepsLines`: the bitcode says what came of which instruction.
  // `features` are those of the processor.
  Lowering(const Module& module, const CodegenTarget& target, std::span<const std::string> features,
           const FastMath& fastMath, bool keepsLines = false)
      : module_(module),
        target_(target),
        registers_(target.vectorRegisters(features)),
        bf16Rounding_(target.bf16Rounding(features)),
        fastMath_(fastMath),
        keepsLines_(keepsLines) {}

  // Fills program (all but objects) and the bitcode of its kernels. Error kinds: "codegen-failed",
  // "too-large".
  Status lower();

  Program program;
  std::vector<std::string> kernelSources;

 private:
  // One computation as it is run from one place.
  struct Scope {
    const Computation& computation;
    uint32_t sequence;  // where its thunks go
    absl::flat_hash_map<const Instruction*, LeafValues> values;
    absl::flat_hash_map<const Instruction*, size_t> lastUse;  // place in the computation
    size_t at = 0;                                            // place of the instruction being lowered
  };

  Status addParameters(Scope& scope);
  Result<LeafValues> lowerComputation(Scope& scope);
  Status lowerInstruction(const Instruction& instruction, Scope& scope);
  Status lowerByOpcode(const Instruction& instruction, Scope& scope);
  void release(const Instruction& instruction, Scope& scope);

  // Values.
  LeafValue newLeaf(Shape array);
  LeafValues newLeaves(Shape shape);
  LeafValue constantLeaf(const Literal& literal);
  LeafValues constantLeaves(const Literal& literal);
  const LeafValues& valuesOf(const Instruction& instruction, Scope& scope);
  const LeafValue& leafOf(const Instruction& array, Scope& scope) { return valuesOf(array, scope)[0]; }
  // True when nothing reads the array after this instruction, which may therefore write over it.
  bool isLastUse(const LeafValue& leaf, const Instruction& user, Scope& scope) const;
  void copy(const Instruction& why, const LeafValue& from, const LeafValue& to, uint32_t sequence);
  // Values of shape `from` in the memory order of shape `to`: copied where the two differ.
  LeafValues arranged(const Instruction& why, LeafValues values, Shape from, Shape to, uint32_t sequence);
  LeafValues zeros(Shape shape);
  void addThunk(const Instruction& instruction, ThunkBody body, int64_t costNs, uint32_t sequence);
  uint32_t addSequence();
  // A kernel is begun for the instruction.
  void startKernel(const Instruction& instruction, KernelBuilder& kernel) const {
    kernel.setOptions(kernelOptions_);
    kernel.setBf16Rounding(bf16Rounding_);
    kernel.setFastMath(fastMath_);
    if (keepsLines_) kernel.keepLines(instruction.id().value);
  }

  // What makes no kernels, or only says which member does (lower_values.cpp). lowerings.def has the member of
  // each opcode.
  Status lowerParameter(const Instruction& instruction, Scope& scope);
  Status lowerAfterAll(const Instruction& instruction, Scope& scope);
  Status lowerConstant(const Instruction& instruction, Scope& scope);
  Status lowerForward(const Instruction& instruction, Scope& scope);
  Status lowerBitcast(const Instruction& instruction, Scope& scope);
  Status lowerReshape(const Instruction& instruction, Scope& scope);
  Status lowerCopy(const Instruction& instruction, Scope& scope);
  Status lowerTuple(const Instruction& instruction, Scope& scope);
  Status lowerGetTupleElement(const Instruction& instruction, Scope& scope);
  Status lowerCopyDone(const Instruction& instruction, Scope& scope);
  Status lowerDeviceId(const Instruction& instruction, Scope& scope);
  Status lowerCallInstruction(const Instruction& instruction, Scope& scope);
  Status lowerTopKInstruction(const Instruction& instruction, Scope& scope);
  Status lowerDynamicUpdateSlice(const Instruction& instruction, Scope& scope);
  Status lowerConvolution(const Instruction& instruction, Scope& scope);
  Status lowerRandomState(const Instruction& instruction, Scope& scope);

  // Kernels (lower_kernel.cpp).
  Status lowerElementKernel(const Instruction& instruction, Scope& scope);
  // False when it is no transpose, or one that needs no squares.
  Result<bool> lowerTransposeInSquares(const Instruction& instruction, Scope& scope);
  // False when it is no reduction, or fusion of some, that leaves the dense dimension.
  Result<bool> lowerColumnReduction(const Instruction& instruction, Scope& scope);
  Result<bool> lowerLineReduction(const Instruction& instruction, Scope& scope);
  // False when there is no concatenate whose elements stand where the result has them
  // (lower_concatenate.cpp).
  Result<bool> lowerInPieces(const Instruction& instruction, Scope& scope);
  // False when the fusion does not go row by row around reductions of its rows.
  Result<bool> lowerRows(const Instruction& fusion, Scope& scope);
  Status lowerFusion(const Instruction& instruction, Scope& scope);
  // `update` is the instruction itself or the root of the fusion it is.
  Status lowerUpdateInPlace(const Instruction& instruction, const Instruction& update, Scope& scope);
  Status lowerScatter(const Instruction& instruction, Scope& scope);
  uint32_t addKernel(std::string_view name, KernelBuilder& kernel);
  // The thunk that runs a kernel on `reads` and then `writes`.
  void addKernelThunk(const Instruction& instruction, KernelBuilder& kernel, std::vector<ReadSlice> reads,
                      const LeafValues& writes, int64_t iterations, int64_t costNs, uint32_t sequence);
  // A kernel on arrays that are nobody's operands: its buffers are `reads`, then `writes`.
  void addKernelOn(const Instruction& instruction, const LeafValues& reads, const LeafValues& writes,
                   int64_t iterations, int64_t costNs, uint32_t sequence,
                   const std::function<void(KernelBuilder&)>& write);
  friend class KernelDraft;

  // Products (lower_dot.cpp). Those that give a bool: false where it is none of theirs.
  struct ProductOperands {
    const Instruction *lhs, *rhs;
  };
  Status lowerDot(const Instruction& instruction, Scope& scope);
  bool lowerMatrixByVector(const Instruction& instruction, MatrixProduct product, ProductOperands operands,
                           Scope& scope);
  bool lowerLibraryDot(const Instruction& instruction, const MatrixProduct& product,
                       const ProductOperands& operands, Scope& scope);
  // nullopt: its type is multiplied in no tiles.
  std::optional<TilePlan> tilesOf(const Instruction& instruction, const MatrixProduct& product,
                                  const ProductOperands& operands) const;
  void lowerTiledDot(const Instruction& instruction, const TilePlan& plan, const ProductOperands& operands,
                     Scope& scope);
  // The same of convolutions (lower_convolution.cpp, lower_depthwise.cpp).
  bool lowerLibraryConvolution(const Instruction& instruction, Scope& scope);
  bool lowerDepthwise(const Instruction& instruction, Scope& scope);
  // False when the fusion is not two products and what lies between (lower_row_blocks.cpp).
  Result<bool> lowerRowBlocks(const Instruction& fusion, Scope& scope);
  // Sorts (lower_sort.cpp).
  Status lowerSort(const Instruction& instruction, Scope& scope);
  Status lowerTopK(const Instruction& instruction, Scope& scope, int64_t k, bool largest);
  // Arrays of the same dimensions and order, sorted together along one.
  struct SortedArrays {
    Shape shape;  // but for its element type
    size_t along;
    std::vector<ElementType> types;
    LeafValues inputs;
  };
  // What the keys are of one element of each array.
  using KeyValues = std::function<std::vector<Scalar>(ElementEmitter&, std::span<const Scalar>)>;
  LeafValues addSortKeys(const Instruction& instruction, const SortedArrays& arrays,
                         std::span<const SortKey> keys, const KeyValues& valuesOf, uint32_t sequence);
  // `thunk` has its comparator, `kept` and what it writes; the rest is filled in.
  void addSort(const Instruction& instruction, const SortedArrays& arrays, SortThunk thunk,
               std::span<const SortKey> keys, const KeyValues& valuesOf, uint32_t sequence);
  uint32_t addComparator(const Instruction& sort);
  // Of operands given in their own shapes: the first `kept` of each line of each, in the order of the first
  // operand.
  LeafValues sortedLeaves(const Instruction& sort, const LeafValues& operands, int64_t kept,
                          uint32_t sequence);
  // False when the fusion is not a sort and slices of it (core/analysis/partial_sort.h).
  Result<bool> lowerPartialSort(const Instruction& fusion, Scope& scope);
  // Random numbers (lower_random.cpp).
  Status lowerRandomBits(const Instruction& instruction, Scope& scope);
  Status lowerRng(const Instruction& instruction, Scope& scope);
  void startRandomState();
  void takeRandomState(const Instruction& instruction, int64_t delta, const LeafValue& before,
                       uint32_t sequence);
  // Whole matrices and lines (lower_linear_algebra.cpp, lower_fft.cpp, lower_batch_norm.cpp).
  Status lowerCholesky(const Instruction& instruction, Scope& scope);
  Status lowerTriangularSolve(const Instruction& instruction, Scope& scope);
  Status lowerFft(const Instruction& instruction, Scope& scope);
  Status transformAlong(const Instruction& instruction, Scope& scope, const LeafValue& data,
                        const LeafValue& result, size_t d);
  Status lowerBatchNorm(const Instruction& instruction, Scope& scope);
  // Windows that pick (lower_select_and_scatter.cpp), steps along a dimension (lower_scan.cpp).
  Status lowerSelectAndScatter(const Instruction& instruction, Scope& scope);
  Status lowerScan(const Instruction& instruction, Scope& scope);
  // Asynchronous operations, which run at their start (lower_async.cpp).
  Status lowerAsyncStart(const Instruction& instruction, Scope& scope);
  Status lowerAsyncDone(const Instruction& instruction, Scope& scope);
  Status lowerCopyStart(const Instruction& instruction, Scope& scope);
  Result<LeafValues> startedAsync(const Instruction& instruction, std::vector<LeafValues> bound,
                                  std::span<const Shape> shapes, uint32_t sequence);
  // Arrays with fewer elements than their bounds (lower_dynamic.cpp).
  bool readsRealSizes(const Instruction& instruction, Scope& scope);
  Status checkDynamicOperands(const Instruction& instruction, Scope& scope);
  // Of what a loop or branch hands on: only dimensions its shape calls dynamic may have real sizes.
  Status checkSizesFit(const Instruction& instruction, const LeafValues& values);
  // Memory for the real sizes of an array's dynamic dimensions, and moving sizes into it.
  std::vector<SlabPointer> newSizes(Shape array);
  void copySizes(const Instruction& why, const LeafValue& from, Shape array,
                 const std::vector<SlabPointer>& to, uint32_t sequence);
  void passSizesOn(const Instruction& instruction, Scope& scope);
  // A scalar, no larger than the bound, as a size.
  LeafValue sizeLeaf(const Instruction& why, const Instruction& size, int64_t bound, Scope& scope);
  LeafValue sizeOf(const LeafValue& array, Shape shape, size_t dimension);
  Status lowerSetDimensionSize(const Instruction& instruction, Scope& scope);
  Status lowerGetDimensionSize(const Instruction& instruction, Scope& scope);
  Status lowerDynamicReshape(const Instruction& instruction, Scope& scope);

  // Control flow (lower_control.cpp).
  // Lowers a computation called on arguments of the given shapes; the result has `resultShape`.
  Result<LeafValues> lowerCalled(const Instruction& why, const Computation& called,
                                 std::vector<LeafValues> arguments, std::span<const Shape> shapes,
                                 Shape resultShape, uint32_t sequence);
  Status lowerCall(const Instruction& instruction, const Computation& called, Scope& scope);
  Status lowerWhile(const Instruction& instruction, Scope& scope);
  Status lowerConditional(const Instruction& instruction, Scope& scope);
  LeafValues readOnly(const LeafValues& values) const;
  void storeState(const Instruction& loop, const LeafValues& next, const LeafValues& state,
                  uint32_t sequence);

  // Custom calls of plug-ins (lower_custom_call.cpp).
  Status lowerCustomCall(const Instruction& instruction, Scope& scope);
  // What a device takes from its host and gives to it (lower_host_feed.cpp).
  Status lowerInfeed(const Instruction& instruction, Scope& scope);
  Status lowerOutfeed(const Instruction& instruction, Scope& scope);
  // What devices do together (lower_collective.cpp).
  Status lowerCollective(const Instruction& instruction, Scope& scope);
  Status lowerCollectiveDone(const Instruction& instruction, Scope& scope);
  Status lowerSendRecv(const Instruction& instruction, Scope& scope);
  uint32_t addCollective(const Instruction& instruction);
  void addCollectiveThunk(const Instruction& instruction, uint32_t collective, CollectivePhase phase,
                          const Instruction* operandsOf, const LeafValues& results, Scope& scope);
  Reduction addReduction(const Instruction& instruction, ElementType type);
  void appendZeros(Shape shape, LeafValues& leaves);
  LeafValue deviceIdLeaf(bool isPartition);

  const Module& module_;
  const CodegenTarget& target_;
  const VectorRegisters registers_;
  const Bf16Rounding* const bf16Rounding_;
  const FastMath fastMath_;
  const bool keepsLines_;
  LlvmKernelOptions kernelOptions_;            // of the instruction being lowered
  static constexpr uint32_t kTemporaries = 0;  // the allocation
  Temporaries temporaries_{kTemporaries};
  std::optional<LeafValue> randomState_;  // made when it is first needed
  size_t thunkCount_ = 0;
  int depth_ = 0;
  absl::flat_hash_map<const Instruction*, uint32_t> started_;  // starts by their place in the table
  std::optional<uint32_t> deviceIds_;                          // the allocation
};

// The place of leaf `index` of a tuple's element among all its leaves.
size_t firstLeafOf(Shape tuple, size_t element);

}  // namespace hilo
