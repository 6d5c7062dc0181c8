// Factors and solutions of matrices: kernels that widen their operands to f64 (complex: c128), call the
// scalar library for a matrix or some of its right-hand sides at a time, and round once.
#include "core/compiler/codegen/kernel_draft.h"

namespace hilo {

using llvm::Value;
using Dims = llvm::SmallVector<Value*, 6>;

namespace {

ElementType wideOf(ElementType type) { return isComplex(type) ? ElementType::C128 : ElementType::F64; }

// The indices of batch `number` in a shape's dimensions but the last two.
Dims batchIndex(KernelBuilder& k, Shape shape, Value* number) {
  const Shape batches = Shape::array(shape.elementType(), shape.dimensions().first(shape.rank() - 2));
  if (batches.rank() == 0) return {};
  ElementIndex index{{}, number, batches};
  return k.dimsOf(index);
}

ElementIndex placeIn(KernelBuilder& k, Dims batch, Value* row, Value* column) {
  batch.push_back(row);
  batch.push_back(column);
  return k.indexAt(batch);
}

Scalar conjugate(KernelBuilder& k, ElementType type, Scalar x) {
  return isComplex(type) ? Scalar{x.value, k.b().CreateFNeg(x.imaginary)} : x;
}

// Columns that the scalar library works on at once.
constexpr int64_t kTile = 16;
int64_t wholeTiles(int64_t count) { return (count + kTile - 1) / kTile * kTile; }

// Between rows of a square matrix: not a multiple of a page, whose lines would get in each other's way in the
// first cache.
int64_t strideOf(int64_t n) { return wholeTiles(n) % 128 == 0 ? wholeTiles(n) + 16 : wholeTiles(n); }

int64_t cube(int64_t n) { return std::min<int64_t>(n, 100'000) * n * n; }

}  // namespace

// In the upper form both what is read and what is made are the conjugate transpose of the lower one's.
Status Lowering::lowerCholesky(const Instruction& instruction, Scope& scope) {
  const Instruction& operand = *instruction.operand(0);
  const Shape from = operand.shape(), to = instruction.shape();
  const ElementType type = from.elementType(), wide = wideOf(type);
  const bool lower = instruction.get<Attr::Lower>().value_or(false);
  const int64_t n = from.dimension(from.rank() - 1);
  LeafValue result = newLeaf(to);
  if (from.elementCount() > 0) {
    const int64_t batches = from.elementCount() / (n * n);
    const Shape room = Shape::array(wide, {batches, n, strideOf(n)});
    KernelDraft draft(*this, instruction, scope, {result, newLeaf(room)});
    KernelBuilder& k = draft.builder();
    ScalarEmitter& s = k.scalars();
    k.loop(k.begin(), k.end(), [&](Value* batch) {
      const Dims outer = batchIndex(k, from, batch);
      const auto roomAt = [&](Value* i, Value* j) { return k.indexAt({batch, i, j}); };
      k.nest({n, n}, [&](llvm::ArrayRef<Value*> at) {
        draft.elements().inFrame([&] {
          const ElementIndex place =
              lower ? placeIn(k, outer, at[0], at[1]) : placeIn(k, outer, at[1], at[0]);
          const Scalar x = s.convert(type, wide, draft.elements().at(operand, place));
          k.store(draft.resultBuffer(1), room, roomAt(at[0], at[1]), lower ? x : conjugate(k, wide, x));
        });
      });
      Value* matrix = k.pointerTo(draft.resultBuffer(1), room, roomAt(k.int64(0), k.int64(0)));
      s.call(isComplex(type) ? "hilo_cholesky_c128" : "hilo_cholesky_f64", k.b().getVoidTy(),
             {matrix, k.int64(n), k.int64(strideOf(n))});
      k.nest({n, n}, [&](llvm::ArrayRef<Value*> at) {
        const Scalar x =
            k.load(draft.resultBuffer(1), room, lower ? roomAt(at[0], at[1]) : roomAt(at[1], at[0]));
        k.store(draft.resultBuffer(0), to, placeIn(k, outer, at[0], at[1]),
                s.convert(wide, type, lower ? x : conjugate(k, wide, x)));
      });
    });
    TRY_STATUS(draft.finish(batches, batches * (n * n + cube(n) / 100)));
  }
  scope.values[&instruction] = {std::move(result)};
  return {};
}

// op(A) X = B, or X op(A) = B, which is op(A)^T X^T = B^T: the matrix is first put in the form in which each
// right-hand side is A' x = b.
Status Lowering::lowerTriangularSolve(const Instruction& instruction, Scope& scope) {
  const Instruction &matrix = *instruction.operand(0), &sides = *instruction.operand(1);
  const Shape a = matrix.shape(), b = sides.shape(), to = instruction.shape();
  const ElementType type = b.elementType(), wide = wideOf(type);
  const auto transpose = instruction.get<Attr::TransposeAKind>().value_or(TransposeA::NoTranspose);
  const bool left = instruction.get<Attr::LeftSide>().value_or(false);
  const bool isTransposed = transpose == TransposeA::Transpose || transpose == TransposeA::Adjoint;
  const bool swaps = isTransposed != !left;
  const bool lower = instruction.get<Attr::Lower>().value_or(false) != swaps;
  LeafValue result = newLeaf(to);
  if (b.elementCount() > 0) {
    const size_t last = b.rank() - 1;
    const int64_t n = a.dimension(last), count = left ? b.dimension(last) : b.dimension(last - 1);
    // A piece takes some of the right-hand sides of a matrix, side by side.
    constexpr int64_t kMostSides = 64;
    const int64_t batches = b.elementCount() / (n * count), width = std::min(kMostSides, wholeTiles(count)),
                  pieces = (count + width - 1) / width;
    const Shape matrices = Shape::array(wide, {batches, n, strideOf(n)}),
                vectors = Shape::array(wide, {batches * pieces, width / kTile, n, kTile});
    const LeafValue widened = newLeaf(matrices);
    {
      KernelDraft draft(*this, instruction, scope, {widened});
      KernelBuilder& k = draft.builder();
      k.loop(k.begin(), k.end(), [&](Value* batch) {
        const Dims outer = batchIndex(k, a, batch);
        k.nest({n, n}, [&](llvm::ArrayRef<Value*> at) {
          draft.elements().inFrame([&] {
            const ElementIndex place =
                swaps ? placeIn(k, outer, at[1], at[0]) : placeIn(k, outer, at[0], at[1]);
            const Scalar x = k.scalars().convert(type, wide, draft.elements().at(matrix, place));
            k.store(draft.resultBuffer(0), matrices, k.indexAt({batch, at[0], at[1]}),
                    transpose == TransposeA::Adjoint ? conjugate(k, wide, x) : x);
          });
        });
      });
      TRY_STATUS(draft.finish(batches, batches * n * n));
    }
    KernelDraft draft(*this, instruction, scope, {result, newLeaf(vectors)}, {widened});
    KernelBuilder& k = draft.builder();
    ScalarEmitter& s = k.scalars();
    k.loop(k.begin(), k.end(), [&](Value* number) {
      Value *batch = k.b().CreateUDiv(number, k.int64(pieces)),
            *first = k.b().CreateMul(k.b().CreateURem(number, k.int64(pieces)), k.int64(width)),
            *there = k.b().CreateBinaryIntrinsic(llvm::Intrinsic::smin, k.int64(width),
                                                 k.b().CreateSub(k.int64(count), first));
      const Dims outer = batchIndex(k, b, batch);
      // Of every element of the right-hand sides its place in the array, its row, and its column in the room.
      const auto each = [&](const std::function<void(const ElementIndex&, Value*, Value*)>& body) {
        k.loop(k.int64(0), k.int64(n), [&](Value* row) {
          k.loop(k.int64(0), there, [&](Value* column) {
            Value* side = k.b().CreateAdd(first, column);
            body(left ? placeIn(k, outer, row, side) : placeIn(k, outer, side, row), row, column);
          });
        });
      };
      const auto roomAt = [&](Value* row, Value* column) {
        return k.indexAt({number, k.b().CreateUDiv(column, k.int64(kTile)), row,
                          k.b().CreateURem(column, k.int64(kTile))});
      };
      each([&](const ElementIndex& place, Value* row, Value* column) {
        draft.elements().inFrame([&] {
          k.store(draft.resultBuffer(1), vectors, roomAt(row, column),
                  s.convert(type, wide, draft.elements().at(sides, place)));
        });
      });
      k.loop(k.int64(0), k.int64(n), [&](Value* row) {
        k.loop(there, k.int64(width), [&](Value* column) {
          k.store(draft.resultBuffer(1), vectors, roomAt(row, column), s.zero(wide));
        });
      });
      const auto flag = [&](bool value) { return k.b().getInt32(value ? 1 : 0); };
      s.call(
          isComplex(type) ? "hilo_triangular_solve_c128" : "hilo_triangular_solve_f64", k.b().getVoidTy(),
          {k.pointerTo(0, matrices, k.indexAt({batch, k.int64(0), k.int64(0)})), k.int64(strideOf(n)),
           k.pointerTo(draft.resultBuffer(1), vectors, roomAt(k.int64(0), k.int64(0))), k.int64(n),
           k.int64(width / kTile), flag(lower), flag(instruction.get<Attr::UnitDiagonal>().value_or(false))});
      each([&](const ElementIndex& place, Value* row, Value* column) {
        const Scalar x = k.load(draft.resultBuffer(1), vectors, roomAt(row, column));
        k.store(draft.resultBuffer(0), to, place, s.convert(wide, type, x));
      });
    });
    TRY_STATUS(draft.finish(batches * pieces, batches * pieces * width * (n + n * n / 20)));
  }
  scope.values[&instruction] = {std::move(result)};
  return {};
}

}  // namespace hilo
