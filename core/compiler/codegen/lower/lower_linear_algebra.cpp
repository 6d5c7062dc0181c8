// Factors and solutions of matrices: kernels that widen their operands to f64 (complex: c128), call the
// scalar library for a matrix or some of its right-hand sides at a time, and round once.
#include "core/compiler/codegen/lower/kernel_draft.h"
#include "core/compiler/codegen/lower/lowerings.h"

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

// Between rows of a square matrix: not a multiple of a page, whose lines would get in each other's way in
// the first cache.
int64_t strideOf(int64_t n) { return wholeTiles(n) % 128 == 0 ? wholeTiles(n) + 16 : wholeTiles(n); }

int64_t cube(int64_t n) { return std::min<int64_t>(n, 100'000) * n * n; }

}  // namespace

// In the upper form both what is read and what is made are the conjugate transpose of the lower one's.
Status lowerCholesky(const Instruction& instruction, LoweringContext& context) {
  const Instruction& operand = *instruction.operand(0);
  const Shape from = operand.shape(), to = instruction.shape();
  const ElementType type = from.elementType(), wide = wideOf(type);
  const bool lower = instruction.get<Attr::Lower>().value_or(false);
  const int64_t n = from.dimension(from.rank() - 1);
  LeafValue result = context.newLeaf(to);
  if (from.elementCount() > 0) {
    const int64_t batches = from.elementCount() / (n * n);
    const Shape room = Shape::array(wide, {batches, n, strideOf(n)});
    KernelDraft draft(context, instruction, {result, context.newLeaf(room)});
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
  context.values[&instruction] = {std::move(result)};
  return {};
}

namespace {

// op(A) X = B, or X op(A) = B, which is op(A)^T X^T = B^T: the matrix is put in the form in which each
// right-hand side is A' x = b, and a piece takes some of the right-hand sides of a matrix, side by side.
struct TriangularSystem {
  // Of right-hand sides that have elements.
  explicit TriangularSystem(const Instruction& solve)
      : instruction(solve),
        matrix(*solve.operand(0)),
        sides(*solve.operand(1)),
        type(sides.shape().elementType()),
        wide(wideOf(type)),
        isLeft(solve.get<Attr::LeftSide>().value_or(false)) {
    constexpr int64_t kMostSides = 64;
    const auto transpose = solve.get<Attr::TransposeAKind>().value_or(TransposeA::NoTranspose);
    const Shape b = sides.shape();
    const size_t last = b.rank() - 1;
    isAdjoint = transpose == TransposeA::Adjoint;
    swaps = (isAdjoint || transpose == TransposeA::Transpose) != !isLeft;
    isLower = solve.get<Attr::Lower>().value_or(false) != swaps;
    n = matrix.shape().dimension(last);
    count = isLeft ? b.dimension(last) : b.dimension(last - 1);
    batches = b.elementCount() / (n * count);
    width = std::min(kMostSides, wholeTiles(count));
    pieces = (count + width - 1) / width;
    matrices = Shape::array(wide, {batches, n, strideOf(n)});
    vectors = Shape::array(wide, {batches * pieces, width / kTile, n, kTile});
  }

  const Instruction &instruction, &matrix, &sides;
  ElementType type, wide;
  bool isLeft, isAdjoint = false, swaps = false, isLower = false;
  int64_t n = 0, count = 0;  // rows of a matrix, and right-hand sides of each
  int64_t batches = 0, pieces = 0, width = 0;
  Shape matrices, vectors;  // the room for both
};

// A matrix an iteration, into result 0.
void emitMatrices(const TriangularSystem& system, KernelDraft& draft) {
  KernelBuilder& k = draft.builder();
  k.loop(k.begin(), k.end(), [&](Value* batch) {
    const Dims outer = batchIndex(k, system.matrix.shape(), batch);
    k.nest({system.n, system.n}, [&](llvm::ArrayRef<Value*> at) {
      draft.elements().inFrame([&] {
        const ElementIndex place =
            system.swaps ? placeIn(k, outer, at[1], at[0]) : placeIn(k, outer, at[0], at[1]);
        const Scalar x =
            k.scalars().convert(system.type, system.wide, draft.elements().at(system.matrix, place));
        k.store(draft.resultBuffer(0), system.matrices, k.indexAt({batch, at[0], at[1]}),
                system.isAdjoint ? conjugate(k, system.wide, x) : x);
      });
    });
  });
}

// Right-hand sides brought into the room that is result 1, solved there, and given as elements of result 0.
class SolvedPiece {
 public:
  SolvedPiece(const TriangularSystem& system, KernelDraft& draft, Value* number)
      : system_(system),
        draft_(draft),
        k_(draft.builder()),
        number_(number),
        batch_(k_.b().CreateUDiv(number, k_.int64(system.pieces))),
        first_(k_.b().CreateMul(k_.b().CreateURem(number, k_.int64(system.pieces)), k_.int64(system.width))),
        there_(k_.b().CreateBinaryIntrinsic(llvm::Intrinsic::smin, k_.int64(system.width),
                                            k_.b().CreateSub(k_.int64(system.count), first_))),
        outer_(batchIndex(k_, system.sides.shape(), batch_)) {}

  void take() {
    each([&](const ElementIndex& place, Value* row, Value* column) {
      draft_.elements().inFrame([&] {
        k_.store(
            draft_.resultBuffer(1), system_.vectors, roomAt(row, column),
            k_.scalars().convert(system_.type, system_.wide, draft_.elements().at(system_.sides, place)));
      });
    });
    k_.loop(k_.int64(0), k_.int64(system_.n), [&](Value* row) {
      k_.loop(there_, k_.int64(system_.width), [&](Value* column) {
        k_.store(draft_.resultBuffer(1), system_.vectors, roomAt(row, column),
                 k_.scalars().zero(system_.wide));
      });
    });
  }

  void solve() {
    const auto flag = [&](bool value) { return k_.b().getInt32(value ? 1 : 0); };
    Value* zero = k_.int64(0);
    k_.scalars().call(
        isComplex(system_.type) ? "hilo_triangular_solve_c128" : "hilo_triangular_solve_f64",
        k_.b().getVoidTy(),
        {k_.pointerTo(0, system_.matrices, k_.indexAt({batch_, zero, zero})), k_.int64(strideOf(system_.n)),
         k_.pointerTo(draft_.resultBuffer(1), system_.vectors, roomAt(zero, zero)), k_.int64(system_.n),
         k_.int64(system_.width / kTile), flag(system_.isLower),
         flag(system_.instruction.get<Attr::UnitDiagonal>().value_or(false))});
  }

  void give() {
    each([&](const ElementIndex& place, Value* row, Value* column) {
      const Scalar x = k_.load(draft_.resultBuffer(1), system_.vectors, roomAt(row, column));
      k_.store(draft_.resultBuffer(0), system_.instruction.shape(), place,
               k_.scalars().convert(system_.wide, system_.type, x));
    });
  }

 private:
  // Of every element of the right-hand sides its place in the array, its row, and its column in the room.
  void each(const std::function<void(const ElementIndex&, Value*, Value*)>& body) {
    k_.loop(k_.int64(0), k_.int64(system_.n), [&](Value* row) {
      k_.loop(k_.int64(0), there_, [&](Value* column) {
        Value* side = k_.b().CreateAdd(first_, column);
        body(system_.isLeft ? placeIn(k_, outer_, row, side) : placeIn(k_, outer_, side, row), row, column);
      });
    });
  }
  ElementIndex roomAt(Value* row, Value* column) {
    return k_.indexAt({number_, k_.b().CreateUDiv(column, k_.int64(kTile)), row,
                       k_.b().CreateURem(column, k_.int64(kTile))});
  }

  const TriangularSystem& system_;
  KernelDraft& draft_;
  KernelBuilder& k_;
  Value *number_, *batch_, *first_, *there_;
  Dims outer_;
};

}  // namespace

Status lowerTriangularSolve(const Instruction& instruction, LoweringContext& context) {
  LeafValue result = context.newLeaf(instruction.shape());
  if (instruction.operand(1)->shape().elementCount() > 0) {
    const TriangularSystem system(instruction);
    const int64_t n = system.n, all = system.batches * system.pieces;
    const LeafValue widened = context.newLeaf(system.matrices);
    {
      KernelDraft draft(context, instruction, {widened});
      emitMatrices(system, draft);
      TRY_STATUS(draft.finish(system.batches, system.batches * n * n));
    }
    KernelDraft draft(context, instruction, {result, context.newLeaf(system.vectors)}, {widened});
    KernelBuilder& k = draft.builder();
    k.loop(k.begin(), k.end(), [&](Value* number) {
      SolvedPiece piece(system, draft, number);
      piece.take();
      piece.solve();
      piece.give();
    });
    TRY_STATUS(draft.finish(all, all * system.width * (n + n * n / 20)));
  }
  context.values[&instruction] = {std::move(result)};
  return {};
}

}  // namespace hilo
