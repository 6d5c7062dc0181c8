#include <bit>
#include <cmath>
#include <numbers>

#include "core/hlo/eval/handlers.h"
#include "core/hlo/eval/literal_access.h"

namespace hilo::eval {
namespace {

using Complex = std::complex<double>;

// exp(sign * 2 pi i * k / n)
Complex root(int64_t k, int64_t n, double sign) {
  return std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(k % n) / static_cast<double>(n));
}

void transformPowerOfTwo(std::vector<Complex>& x, double sign) {
  const size_t n = x.size();
  for (size_t i = 1, j = 0; i < n; ++i) {
    size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  std::vector<Complex> roots(n / 2);
  for (size_t k = 0; k < n / 2; ++k) roots[k] = root(static_cast<int64_t>(k), static_cast<int64_t>(n), sign);
  for (size_t length = 2; length <= n; length *= 2) {
    for (size_t start = 0; start < n; start += length) {
      for (size_t k = 0; k < length / 2; ++k) {
        const Complex even = x[start + k], odd = x[start + k + length / 2] * roots[k * (n / length)];
        x[start + k] = even + odd;
        x[start + k + length / 2] = even - odd;
      }
    }
  }
}

// Bluestein: a transform of any length as a convolution, done by transforms of a power of two.
void transformAnyLength(std::vector<Complex>& x, double sign) {
  const auto n = static_cast<int64_t>(x.size());
  const size_t padded = std::bit_ceil(static_cast<size_t>(2 * n - 1));
  std::vector<Complex> chirp(x.size()), a(padded), b(padded);
  // k^2 modulo 2n keeps the angle exact for large k.
  for (int64_t k = 0; k < n; ++k) {
    const auto square = static_cast<int64_t>(static_cast<unsigned __int128>(k) * k % (2 * n));
    chirp[k] = root(square, 2 * n, sign);
    a[k] = x[k] * chirp[k];
    b[k] = std::conj(chirp[k]);
    if (k > 0) b[padded - k] = b[k];
  }
  transformPowerOfTwo(a, -1);
  transformPowerOfTwo(b, -1);
  for (size_t i = 0; i < padded; ++i) a[i] *= b[i];
  transformPowerOfTwo(a, 1);
  for (int64_t k = 0; k < n; ++k) x[k] = a[k] / static_cast<double>(padded) * chirp[k];
}

void transform(std::vector<Complex>& x, double sign) {
  if (x.size() < 2) return;
  std::has_single_bit(x.size()) ? transformPowerOfTwo(x, sign) : transformAnyLength(x, sign);
}

// Transforms every line along one dimension of a dense array in place.
Status transformAlong(std::vector<Complex>& values, std::span<const int64_t> sizes, size_t dimension,
                      double sign, EvalContext& context) {
  DimVector outer(sizes.begin(), sizes.end());
  const DimVector strides = rowMajorStrides(sizes);
  const int64_t length = sizes[dimension], stride = strides[dimension];
  outer[dimension] = 1;
  std::vector<Complex> line(static_cast<size_t>(length));
  for (StridedCounter<1> at(outer, {strides}); !at.done(); at.next()) {
    TRY_STATUS(context.poll());
    for (int64_t i = 0; i < length; ++i) line[i] = values[at.offset(0) + i * stride];
    transform(line, sign);
    for (int64_t i = 0; i < length; ++i) values[at.offset(0) + i * stride] = line[i];
  }
  return {};
}

// Same elements with the last dimension cut or zero-extended to `last`.
std::vector<Complex> resizedLast(const std::vector<Complex>& values, DimVector& sizes, int64_t last) {
  const int64_t old = sizes.back(), rows = productOf(std::span(sizes).first(sizes.size() - 1));
  std::vector<Complex> resized(static_cast<size_t>(rows * last));
  for (int64_t r = 0; r < rows; ++r)
    std::copy_n(values.begin() + r * old, std::min(old, last), resized.begin() + r * last);
  sizes.back() = last;
  return resized;
}

// The upper half of each line of a real signal's spectrum is the conjugate of its lower half.
void completeByConjugates(std::vector<Complex>& values, int64_t length) {
  for (size_t start = 0; start + static_cast<size_t>(length) <= values.size() && length > 0;
       start += static_cast<size_t>(length)) {
    for (int64_t k = length / 2 + 1; k < length; ++k)
      values[start + k] = std::conj(values[start + (length - k)]);
    // What is its own mirror image is real.
    values[start] = values[start].real();
    if (length % 2 == 0) values[start + length / 2] = values[start + length / 2].real();
  }
}

}  // namespace

// Over the last fft_length.size() dimensions. RFFT gives length / 2 + 1 values a line, IRFFT takes them; the
// inverse transforms divide by the number of elements.
Result<Literal> fft(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  const Shape from = operands[0].shape(), to = instruction.shape();
  const auto lengths = instruction.get<Attr::FftLength>();
  const FftType type = instruction.get<Attr::FftTypeKind>().value_or(FftType::Fft);
  EVAL_REQUIRE(from.isArray() && to.isArray() && from.rank() == to.rank() && !lengths.empty() &&
                   lengths.size() <= from.rank(),
               "fft_length does not fit the operand");
  EVAL_REQUIRE(from.elementCount() <= context.options().maxLiveBytes / 64 &&
                   to.elementCount() <= context.options().maxLiveBytes / 64,
               "the operand is too large");
  const bool toReal = type == FftType::Irfft, fromReal = type == FftType::Rfft;
  EVAL_REQUIRE(isComplex(from.elementType()) == !fromReal && isComplex(to.elementType()) == !toReal &&
                   (isFloat(from.elementType()) || !fromReal) && (isFloat(to.elementType()) || !toReal),
               "operand and result are not of the kinds of number this transform takes and gives");
  const size_t firstDim = from.rank() - lengths.size();
  DimVector sizes(from.dimensions().begin(), from.dimensions().end());
  for (size_t i = 0; i < lengths.size(); ++i) {
    const bool last = i + 1 == lengths.size();
    const int64_t half = lengths[i] / 2 + 1;
    EVAL_REQUIRE(lengths[i] >= 0 && sizes[firstDim + i] == (last && toReal ? half : lengths[i]),
                 "fft_length differs from the operand");
  }
  if (from.elementCount() == 0 || to.elementCount() == 0) return context.make(to);
  std::vector<Complex> values = elementsAs<Complex>(operands[0], ElementType::C128);
  const double sign = type == FftType::Fft || fromReal ? -1 : 1;
  const size_t lastDim = from.rank() - 1;
  if (toReal) {
    // The outer dimensions first: only then is each last line the half spectrum of a real signal.
    for (size_t d = firstDim; d < lastDim; ++d) TRY_STATUS(transformAlong(values, sizes, d, sign, context));
    values = resizedLast(values, sizes, lengths.back());
    completeByConjugates(values, lengths.back());
    TRY_STATUS(transformAlong(values, sizes, lastDim, sign, context));
  } else {
    for (size_t d = firstDim; d <= lastDim; ++d) TRY_STATUS(transformAlong(values, sizes, d, sign, context));
    if (fromReal) values = resizedLast(values, sizes, lengths.back() / 2 + 1);
  }
  EVAL_REQUIRE(std::ranges::equal(to.dimensions(), sizes),
               "fft_length does not give the result's dimensions");
  if (sign > 0) {
    const double scale = 1.0 / static_cast<double>(std::max<int64_t>(1, productOf(lengths)));
    for (Complex& value : values) value *= scale;
  }
  TRY(Literal result, context.make(to));
  convertElements(result.mutableBytes().data(), to.elementType(), values.data(), ElementType::C128,
                  to.elementCount());
  return result;
}

}  // namespace hilo::eval
