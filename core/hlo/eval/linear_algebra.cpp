#include <cmath>

#include "core/hlo/eval/handlers.h"
#include "core/hlo/eval/literal_access.h"

namespace hilo::eval {
namespace {

template <typename T>
T conjugate(T value) {
  if constexpr (kIsComplexElement<T>) {
    return std::conj(value);
  } else {
    return value;
  }
}
template <typename T>
double realPart(T value) {
  if constexpr (kIsComplexElement<T>) {
    return value.real();
  } else {
    return value;
  }
}

// Calls f<T> with double or std::complex<double> and the element type that names it.
template <typename F>
Result<Literal> visitWide(const Instruction& instruction, ElementType type, F f) {
  if (isComplex(type)) return f.template operator()<std::complex<double>>(ElementType::C128);
  if (isFloat(type)) return f.template operator()<double>(ElementType::F64);
  return unsupportedType(instruction, type);
}

// Row by row; a matrix that is not positive definite gives NaN from that row on.
template <typename T>
void choleskyOf(const T* a, T* out, int64_t n, bool lower) {
  const auto in = [&](int64_t i, int64_t j) { return lower ? a[i * n + j] : conjugate(a[j * n + i]); };
  const auto l = [&](int64_t i, int64_t j) -> T& { return out[lower ? i * n + j : j * n + i]; };
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      T sum = in(i, j);
      // In the upper form the stored factor is the conjugate transpose of this one.
      const auto at = [&](int64_t r, int64_t c) { return lower ? l(r, c) : conjugate(l(r, c)); };
      for (int64_t k = 0; k < j; ++k) sum -= at(i, k) * conjugate(at(j, k));
      const T value = i == j ? T(std::sqrt(realPart(sum))) : sum / at(j, j);
      l(i, j) = lower ? value : conjugate(value);
    }
  }
}

}  // namespace

// The factor's other triangle is zero.
Result<Literal> cholesky(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  const Shape shape = operands[0].shape();
  const size_t rank = shape.rank();
  EVAL_REQUIRE(shape.isArray() && rank >= 2 && shape.dimension(rank - 1) == shape.dimension(rank - 2),
               "needs square matrices");
  const bool lower = instruction.get<Attr::Lower>().value_or(false);
  return visitWide(instruction, shape.elementType(), [&]<typename T>(ElementType wide) -> Result<Literal> {
    const auto in = elementsAs<T>(operands[0], wide);
    std::vector<T> out(in.size());
    const int64_t n = shape.dimension(rank - 1);
    for (int64_t at = 0; at < static_cast<int64_t>(in.size()); at += n * n) {
      TRY_STATUS(context.poll());
      choleskyOf(in.data() + at, out.data() + at, n, lower);
    }
    TRY(Literal result, context.make(shape));
    convertElements(result.mutableBytes().data(), shape.elementType(), out.data(), wide,
                    shape.elementCount());
    return result;
  });
}

namespace {

struct SolveOptions {
  bool left, lower, unitDiagonal;
  TransposeA transpose;
};

// Solves op(A) X = B or X op(A) = B in place for one matrix: `size` equations, `count` right-hand sides,
// element (i, r) of X at x[i * rowStep + r * columnStep].
template <typename T>
void solve(const T* a, T* x, int64_t size, int64_t count, int64_t rowStep, int64_t columnStep,
           const SolveOptions& options) {
  const bool transposed =
      options.transpose == TransposeA::Transpose || options.transpose == TransposeA::Adjoint;
  // X op(A) = B is op(A)^T X^T = B^T.
  const bool swap = transposed != !options.left;
  const auto coefficient = [&](int64_t i, int64_t j) {
    const T value = swap ? a[j * size + i] : a[i * size + j];
    return options.transpose == TransposeA::Adjoint ? conjugate(value) : value;
  };
  const bool forward = options.lower != swap;
  for (int64_t r = 0; r < count; ++r) {
    for (int64_t step = 0; step < size; ++step) {
      const int64_t i = forward ? step : size - 1 - step;
      T sum = x[i * rowStep + r * columnStep];
      for (int64_t k = 0; k < step; ++k) {
        const int64_t j = forward ? k : size - 1 - k;
        sum -= coefficient(i, j) * x[j * rowStep + r * columnStep];
      }
      x[i * rowStep + r * columnStep] = options.unitDiagonal ? sum : sum / coefficient(i, i);
    }
  }
}

}  // namespace

Result<Literal> triangularSolve(const Instruction& instruction, std::span<Literal> operands,
                                EvalContext& context) {
  const Shape a = operands[0].shape(), b = operands[1].shape();
  const size_t rank = b.rank();
  const SolveOptions options{instruction.get<Attr::LeftSide>().value_or(false),
                             instruction.get<Attr::Lower>().value_or(false),
                             instruction.get<Attr::UnitDiagonal>().value_or(false),
                             instruction.get<Attr::TransposeAKind>().value_or(TransposeA::NoTranspose)};
  EVAL_REQUIRE(a.isArray() && b.isArray() && rank >= 2 && a.rank() == rank &&
                   a.elementType() == b.elementType() && a.dimension(rank - 1) == a.dimension(rank - 2) &&
                   a.dimension(rank - 1) == b.dimension(options.left ? rank - 2 : rank - 1) &&
                   std::ranges::equal(a.dimensions().first(rank - 2), b.dimensions().first(rank - 2)),
               "the matrix and the right-hand side do not fit together");
  return visitWide(instruction, b.elementType(), [&]<typename T>(ElementType wide) -> Result<Literal> {
    const auto matrix = elementsAs<T>(operands[0], wide);
    auto x = elementsAs<T>(operands[1], wide);
    const int64_t rows = b.dimension(rank - 2), columns = b.dimension(rank - 1), size = a.dimension(rank - 1);
    const int64_t batches = rows * columns == 0 ? 0 : static_cast<int64_t>(x.size()) / (rows * columns);
    for (int64_t batch = 0; batch < batches; ++batch) {
      TRY_STATUS(context.poll());
      T* block = x.data() + batch * rows * columns;
      const T* own = matrix.data() + batch * size * size;
      if (options.left) {
        solve(own, block, size, columns, columns, 1, options);
      } else {
        solve(own, block, size, rows, 1, columns, options);
      }
    }
    TRY(Literal result, context.make(b));
    convertElements(result.mutableBytes().data(), b.elementType(), x.data(), wide, b.elementCount());
    return result;
  });
}

}  // namespace hilo::eval
