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

// Spelled out: the library's product costs a call that only matters for infinities.
Complex times(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// Transforms of one length, a power of two. The roots of unity are computed once, for as many lines
// as there are.
class PowerOfTwoTransform {
 public:
  PowerOfTwoTransform(size_t length, double sign) : roots_(length / 2) {
    for (size_t k = 0; k < roots_.size(); ++k)
      roots_[k] = root(static_cast<int64_t>(k), static_cast<int64_t>(length), sign);
  }

  void run(std::vector<Complex>& x) const {
    const size_t n = x.size();
    for (size_t i = 1, j = 0; i < n; ++i) {
      size_t bit = n >> 1;
      for (; (j & bit) != 0; bit >>= 1) j ^= bit;
      j ^= bit;
      if (i < j) std::swap(x[i], x[j]);
    }
    for (size_t length = 2; length <= n; length *= 2) {
      const size_t half = length / 2, step = n / length;
      for (size_t start = 0; start < n; start += length) {
        for (size_t k = 0; k < half; ++k) {
          const Complex even = x[start + k], odd = times(x[start + k + half], roots_[k * step]);
          x[start + k] = even + odd;
          x[start + k + half] = even - odd;
        }
      }
    }
  }

 private:
  std::vector<Complex> roots_;
};

// Bluestein: a transform of any length as a convolution, done by transforms of a power of two.
class AnyLengthTransform {
 public:
  AnyLengthTransform(size_t length, double sign)
      : padded_(std::bit_ceil(2 * length - 1)),
        forward_(padded_, -1),
        backward_(padded_, 1),
        chirp_(length),
        response_(padded_) {
    const auto n = static_cast<int64_t>(length);
    // k^2 modulo 2n keeps the angle exact for large k.
    for (int64_t k = 0; k < n; ++k) {
      const auto square = static_cast<int64_t>(static_cast<unsigned __int128>(k) * k % (2 * n));
      chirp_[k] = root(square, 2 * n, sign);
      response_[k] = std::conj(chirp_[k]);
      if (k > 0) response_[padded_ - k] = response_[k];
    }
    forward_.run(response_);
  }

  void run(std::vector<Complex>& x) const {
    std::vector<Complex> a(padded_);
    for (size_t k = 0; k < x.size(); ++k) a[k] = times(x[k], chirp_[k]);
    forward_.run(a);
    for (size_t i = 0; i < padded_; ++i) a[i] = times(a[i], response_[i]);
    backward_.run(a);
    for (size_t k = 0; k < x.size(); ++k) x[k] = times(a[k] / static_cast<double>(padded_), chirp_[k]);
  }

 private:
  size_t padded_;
  PowerOfTwoTransform forward_, backward_;
  std::vector<Complex> chirp_, response_;
};

// Transforms every line along one dimension of a dense array in place.
Status transformAlong(std::vector<Complex>& values, std::span<const int64_t> sizes, size_t dimension,
                      double sign, EvalContext& context) {
  DimVector outer(sizes.begin(), sizes.end());
  const DimVector strides = rowMajorStrides(sizes);
  const int64_t length = sizes[dimension], stride = strides[dimension];
  outer[dimension] = 1;
  if (length < 2) return {};
  std::vector<Complex> line(static_cast<size_t>(length));
  const auto eachLine = [&](const auto& transform) -> Status {
    for (StridedCounter<1> at(outer, {strides}); !at.done(); at.next()) {
      TRY_STATUS(context.poll());
      for (int64_t i = 0; i < length; ++i) line[i] = values[at.offset(0) + i * stride];
      transform.run(line);
      for (int64_t i = 0; i < length; ++i) values[at.offset(0) + i * stride] = line[i];
    }
    return {};
  };
  return std::has_single_bit(line.size()) ? eachLine(PowerOfTwoTransform(line.size(), sign))
                                          : eachLine(AnyLengthTransform(line.size(), sign));
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
