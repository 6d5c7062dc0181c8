// Matrix products: by a library, or as kernels of our own.
#include "core/base/check.h"
#include "core/compiler/codegen/cpu/choices/dot_chain.h"
#include "core/compiler/codegen/cpu/dot_methods.h"
#include "core/compiler/codegen/cpu/dot_tiles.h"
#include "core/compiler/codegen/cpu/lowerings.h"
#include "core/compiler/codegen/lower/kernel_draft.h"
#include "core/compiler/codegen/lower/real_sizes.h"

namespace hilo::cpu {

namespace {

constexpr double kLeastTileWork = 8 * 8 * 8;

constexpr auto kLhs = ProductArray::Lhs, kRhs = ProductArray::Rhs, kResult = ProductArray::Result;

// What one call of the library does: one matrix product, and those along the last dimension of the batch.
double workOfCall(const MatrixProduct& product) {
  return product.workOfOne() * (product.batch.empty() ? 1 : static_cast<double>(product.batch.back().size));
}

std::vector<int64_t> stridesIn(const MatrixProduct& product, ProductArray array, const ProductRun& down,
                               const ProductRun& across) {
  std::vector<int64_t> all;
  for (const ProductRun& run : product.batch) all.push_back(run.in(array));
  all.insert(all.end(), {down.in(array), across.in(array)});
  return all;
}

// Not where the library's call costs as much as the work, nor where tiles read both sides as they lie: up to
// some 300^3 multiplications they are as quick or quicker, and of few rows always. Dots of a chain that
// are calls can be done a few rows at a time (lower_row_blocks.cpp).
bool isWorthLibrary(const MatrixProduct& product, const std::optional<TilePlan>& tiles, bool isInChain) {
  const double mostInTiles = isInChain ? 64 * 64 * 64 : 1 << 25;
  if (workOfCall(product) < kLeastLibraryWork) return false;
  if (tiles && tiles->readsRightOnce && !isInChain) return false;
  return !tiles || !tiles->readsInPlace || product.workOfOne() > mostInTiles;
}

int64_t costOf(double work, double perNs) { return static_cast<int64_t>(std::min(1e15, work / perNs)); }

}  // namespace

// Of f32 or bf16.
static bool lowerLibraryDot(const Instruction& instruction, const MatrixProduct& product,
                            const ProductOperands& operands, LoweringContext& context) {
  const Shape shape = instruction.shape();
  const ElementType type = operands.lhs->shape().elementType(), resultType = shape.elementType();
  if (!hasLibraryTypes(instruction)) return false;
  std::vector<int64_t> batch;
  for (const ProductRun& run : product.batch) batch.push_back(run.size);
  const LeafValue result = context.newLeaf(shape);
  DotThunk thunk{type,
                 resultType,
                 std::move(batch),
                 product.rows.size,
                 product.columns.size,
                 product.sum.size,
                 stridesIn(product, kLhs, product.rows, product.sum),
                 stridesIn(product, kRhs, product.sum, product.columns),
                 stridesIn(product, kResult, product.rows, product.columns),
                 ReadSlice(context.leafOf(*operands.lhs).slab->slice),
                 ReadSlice(context.leafOf(*operands.rhs).slab->slice),
                 WriteSlice(result.slab->slice)};
  context.addThunk(instruction, std::move(thunk), costOf(product.work(), 25));
  context.values[&instruction] = {result};
  return true;
}

// Of any type but complex numbers.
static std::optional<TilePlan> tilesOf(const Instruction& instruction, const MatrixProduct& product,
                                       const ProductOperands& operands, const LoweringContext& context) {
  const ElementType left = operands.lhs->shape().elementType(), right = operands.rhs->shape().elementType(),
                    result = instruction.shape().elementType();
  const auto sum = sumTypeOf(left, right, result, workOfCall(product));
  if (!sum) return std::nullopt;
  return planTiles(product, {left, right, result, *sum}, context.draft.registers,
                   context.draft.target.threadCacheBytes);
}

static void lowerTiledDot(const Instruction& instruction, const TilePlan& plan,
                          const ProductOperands& operands, LoweringContext& context) {
  const Shape shape = instruction.shape(), left = operands.lhs->shape(), right = operands.rhs->shape();
  const MatrixProduct& product = plan.product;
  const LeafValue result = context.newLeaf(shape);
  const LeafValues reads = {context.leafOf(*operands.lhs), context.leafOf(*operands.rhs)};
  const int64_t pieces = plan.pieces();
  const double perNs = (isFloat(plan.types.sum) ? 5.5 : 1.5) * static_cast<double>(plan.lanes);
  context.addKernelOn(instruction, reads, {result}, product.matrices() * pieces,
                      100 + costOf(product.work(), perNs), [&](KernelBuilder& k) {
                        DotTiles tiles(k, plan);
                        k.loop(k.begin(), k.end(), [&](llvm::Value* i) {
                          const auto starts = startsOf(k, product, k.b().CreateUDiv(i, k.int64(pieces)));
                          tiles.write(k.b().CreateURem(i, k.int64(pieces)),
                                      k.pointerTo(0, left, {{}, starts[0], left}),
                                      k.pointerTo(1, right, {{}, starts[1], right}),
                                      k.pointerTo(2, shape, {{}, starts[2], shape}));
                        });
                      });
  context.values[&instruction] = {result};
  passSizesOn(instruction, context);
}

Status lowerDot(const Instruction& instruction, LoweringContext& context) {
  TRY(const auto stated, dotMethodFor(instruction));
  const auto isChosen = [&](DotMethod method, bool isWorthIt) {
    return stated ? *stated == method : isWorthIt;
  };
  auto product = matrixProduct(instruction);
  if (product && product->work() > 0) {
    ProductOperands operands{instruction.operand(0), instruction.operand(1)};
    // Of a result whose columns are dense, the transpose is the dot of the transposes the
    // other way round.
    if (product->columns.in(kResult) > 1 && product->columns.size > 1) {
      product = transposed(*product);
      std::swap(operands.lhs, operands.rhs);
    }
    if (isChosen(DotMethod::Tiles, true) && lowerMatrixByVector(instruction, *product, operands, context))
      return {};
    const auto tiles = tilesOf(instruction, *product, operands, context);
    if (isChosen(DotMethod::Library,
                 isWorthLibrary(*product, tiles, dotChainOf(context.computation).has_value())) &&
        lowerLibraryDot(instruction, *product, operands, context))
      return {};
    if (tiles && isChosen(DotMethod::Tiles, product->work() >= kLeastTileWork)) {
      lowerTiledDot(instruction, *tiles, operands, context);
      return {};
    }
  }
  return lowerElementKernel(instruction, context);
}

}  // namespace hilo::cpu
