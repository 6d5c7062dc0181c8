// Factors and solutions of matrices: kernels that widen their operands to f64 (complex: c128), call the
// scalar library a matrix or a right-hand side at a time, and round once.
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
    const Shape room = Shape::array(wide, {batches, n, n});
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
             {matrix, k.int64(n)});
      k.nest({n, n}, [&](llvm::ArrayRef<Value*> at) {
        const Scalar x =
            k.load(draft.resultBuffer(1), room, lower ? roomAt(at[0], at[1]) : roomAt(at[1], at[0]));
        k.store(draft.resultBuffer(0), to, placeIn(k, outer, at[0], at[1]),
                s.convert(wide, type, lower ? x : conjugate(k, wide, x)));
      });
    });
    TRY_STATUS(draft.finish(batches, batches * cube(n) / 3));
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
    const int64_t batches = b.elementCount() / (n * count);
    const Shape matrices = Shape::array(wide, {batches, n, n}),
                vectors = Shape::array(wide, {batches * count, n});
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
      Value *batch = k.b().CreateUDiv(number, k.int64(count)),
            *side = k.b().CreateURem(number, k.int64(count));
      const Dims outer = batchIndex(k, b, batch);
      const auto sideAt = [&](Value* i) {
        return left ? placeIn(k, outer, i, side) : placeIn(k, outer, side, i);
      };
      k.nest({n}, [&](llvm::ArrayRef<Value*> at) {
        draft.elements().inFrame([&] {
          k.store(draft.resultBuffer(1), vectors, k.indexAt({number, at[0]}),
                  s.convert(type, wide, draft.elements().at(sides, sideAt(at[0]))));
        });
      });
      const auto flag = [&](bool value) { return k.b().getInt32(value ? 1 : 0); };
      s.call(isComplex(type) ? "hilo_triangular_solve_c128" : "hilo_triangular_solve_f64", k.b().getVoidTy(),
             {k.pointerTo(0, matrices, k.indexAt({batch, k.int64(0), k.int64(0)})),
              k.pointerTo(draft.resultBuffer(1), vectors, k.indexAt({number, k.int64(0)})), k.int64(n),
              flag(lower), flag(instruction.get<Attr::UnitDiagonal>().value_or(false))});
      k.nest({n}, [&](llvm::ArrayRef<Value*> at) {
        const Scalar x = k.load(draft.resultBuffer(1), vectors, k.indexAt({number, at[0]}));
        k.store(draft.resultBuffer(0), to, sideAt(at[0]), s.convert(wide, type, x));
      });
    });
    TRY_STATUS(draft.finish(batches * count, batches * count * n * n));
  }
  scope.values[&instruction] = {std::move(result)};
  return {};
}

}  // namespace hilo
