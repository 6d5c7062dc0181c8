#include "core/hlo/eval/compare.h"

#include <cmath>
#include <cstring>

#include "core/base/number_text.h"
#include "core/hlo/eval/element_dispatch.h"
#include "core/hlo/eval/indexing.h"
#include "core/hlo/eval/literal_access.h"

namespace hilo {
namespace {

// Calls f with the C++ type elements are stored as (int8_t and uint8_t for the sub-byte integers).
template <typename F>
void visitStorage(ElementType type, F f) {
  if (isFloat(type) && elementBits(type) < 32) {
    visitNarrowFloat(type, f);
  } else {
    visitComputeType(computeType(type), f);
  }
}

// Floats in the order of their values as integers, so that a difference counts the values between.
template <typename T>
double ulpDistance(T a, T b) {
  using Traits = FloatTraits<T>;
  const auto place = [](T value) {
    const auto bits = static_cast<uint64_t>(Traits::toBits(value));
    constexpr uint64_t kMagnitude = (uint64_t{1} << (Traits::exponentBits + Traits::mantissaBits)) - 1;
    const auto magnitude = static_cast<double>(bits & kMagnitude);
    return Traits::signBit(value) ? -magnitude : magnitude;
  };
  // Exact for all but f64, whose places are beyond 2^53; there the integers are subtracted first.
  if constexpr (sizeof(T) == 8) {
    const auto wide = [](T value) {
      const auto bits = std::bit_cast<int64_t>(value);
      return static_cast<__int128>(bits < 0 ? -(bits & std::numeric_limits<int64_t>::max()) : bits);
    };
    const __int128 distance = wide(a) - wide(b);
    return static_cast<double>(distance < 0 ? -distance : distance);
  }
  return std::abs(place(a) - place(b));
}

// Places in the histograms of LiteralDifference.
size_t decadeOf(double error) {
  // kEnds[i] is where decade i + 1 begins.
  static const auto kEnds = [] {
    std::array<double, LiteralDifference::kDecades - 2> ends{};
    for (size_t i = 0; i < ends.size(); ++i) ends[i] = std::pow(10., static_cast<double>(i) - 19);
    return ends;
  }();
  if (error == 0) return 0;
  return 1 + static_cast<size_t>(std::ranges::upper_bound(kEnds, error) - kEnds.begin());
}

// 1 + the logarithm to base 2, rounded up.
size_t bucketOf(double ulps) {
  if (ulps < 1) return 0;
  int exponent = 0;
  const double mantissa = std::frexp(ulps, &exponent);
  return static_cast<size_t>(mantissa == 0.5 ? exponent : exponent + 1);
}

// Of |a - b| to |b|, which may be 0.
double relativeError(double error, double size) {
  if (error == 0) return 0;
  return size != 0 ? error / size : std::numeric_limits<double>::infinity();
}
// The error where either is not finite.
double notFinite(bool agrees) { return agrees ? 0 : std::numeric_limits<double>::infinity(); }

class Comparer {
 public:
  Comparer(LiteralDifference& out, const CompareTolerance& tolerance) : out_(out), tolerance_(tolerance) {}

  // Of the elements from `first` on, as many as are compared next.
  void setBounds(int64_t first, std::span<const double> bounds) {
    firstBound_ = first;
    bounds_ = bounds;
  }

  template <FloatElement T>
  void floats(int64_t i, T a, T b) {
    const double x = static_cast<double>(a), y = static_cast<double>(b);
    out_.nanA += std::isnan(x);
    out_.nanB += std::isnan(y);
    out_.infA += std::isinf(x);
    out_.infB += std::isinf(y);
    if (std::isnan(x) || std::isnan(y) || std::isinf(x) || std::isinf(y)) {
      const bool same = (std::isnan(x) && std::isnan(y)) || x == y;
      record(i, notFinite(same), notFinite(same), 0, same);
      return;
    }
    const double error = std::abs(x - y);
    record(i, error, relativeError(error, std::abs(y)), ulpDistance(a, b), isNear(i, error, std::abs(y)));
  }

  // One element, judged by the modulus of the difference.
  template <typename T>
  void complexNumbers(int64_t i, std::complex<T> a, std::complex<T> b) {
    const auto isNan = [](std::complex<T> c) { return std::isnan(c.real()) || std::isnan(c.imag()); };
    const auto isInf = [](std::complex<T> c) { return std::isinf(c.real()) || std::isinf(c.imag()); };
    out_.nanA += isNan(a);
    out_.nanB += isNan(b);
    out_.infA += isInf(a);
    out_.infB += isInf(b);
    if (isNan(a) || isNan(b) || isInf(a) || isInf(b)) {
      const auto same = [](T x, T y) { return x == y || (std::isnan(x) && std::isnan(y)); };
      const bool agrees = same(a.real(), b.real()) && same(a.imag(), b.imag());
      record(i, notFinite(agrees), notFinite(agrees), 0, agrees);
      return;
    }
    const double error = std::abs(std::complex<double>(a) - std::complex<double>(b)),
                 size = std::abs(std::complex<double>(b));
    const double ulps = std::max(ulpDistance(a.real(), b.real()), ulpDistance(a.imag(), b.imag()));
    record(i, error, relativeError(error, size), ulps, isNear(i, error, size));
  }

  // Elements that are the same on both sides, to the bit.
  template <typename T>
  void equals(const T* values, int64_t count) {
    if constexpr (kIsComplexElement<T>) {
      for (int64_t i = 0; i < count; ++i) complexNumbers(i, values[i], values[i]);
    } else {
      if constexpr (FloatElement<T>) {
        int64_t nan = 0, inf = 0;
        for (int64_t i = 0; i < count; ++i) {
          const double x = static_cast<double>(values[i]);
          nan += x != x;
          inf += std::abs(x) == std::numeric_limits<double>::infinity();
        }
        out_.nanA += nan, out_.nanB += nan;
        out_.infA += inf, out_.infB += inf;
      }
      recordEqual(count);
    }
  }

  template <typename T>
  void integers(int64_t i, T a, T b) {
    const double error = std::abs(static_cast<double>(static_cast<__int128>(a) - static_cast<__int128>(b)));
    record(i, error, relativeError(error, std::abs(static_cast<double>(b))), error, a == b);
  }

 private:
  bool isNear(int64_t i, double error, double size) const {
    return error <= tolerance_.absolute + tolerance_.relative * size ||
           (!bounds_.empty() && error <= bounds_[static_cast<size_t>(i - firstBound_)]);
  }
  void recordEqual(int64_t count) {
    out_.decadeHistogram[0] += count;
    if (out_.ulpHistogram.empty()) out_.ulpHistogram.resize(1);
    out_.ulpHistogram[0] += count;
  }
  void record(int64_t i, double error, double relative, double ulps, bool agrees) {
    if (!agrees) {
      ++out_.mismatches;
      if (out_.firstMismatch < 0) out_.firstMismatch = i;
    } else if (error == 0 && ulps == 0) {
      return recordEqual(1);
    }
    out_.maxAbsError = std::max(out_.maxAbsError, error);
    out_.maxRelError = std::max(out_.maxRelError, relative);
    out_.maxUlpError = std::max(out_.maxUlpError, ulps);
    ++out_.decadeHistogram[decadeOf(error)];
    if (std::isinf(error)) return;
    const size_t bucket = bucketOf(ulps);
    if (out_.ulpHistogram.size() <= bucket) out_.ulpHistogram.resize(bucket + 1);
    ++out_.ulpHistogram[bucket];
  }

  LiteralDifference& out_;
  CompareTolerance tolerance_;
  int64_t firstBound_ = 0;
  std::span<const double> bounds_;
};

std::string indexText(Shape shape, int64_t place) {
  std::string text;
  const DimVector strides = rowMajorStrides(shape.dimensions());
  for (size_t d = 0; d < shape.rank(); ++d)
    text += fmt::format("{}{}", d == 0 ? "" : ",", place / strides[d] % shape.dimension(d));
  return "[" + text + "]";
}

// Elements `first` to before `end`.
template <typename T>
void compareBlock(Comparer& comparer, const T* left, const T* right, int64_t first, int64_t end,
                  int64_t& bitDifferences) {
  for (int64_t i = first; i < end; ++i) {
    bitDifferences += std::memcmp(left + i, right + i, sizeof(T)) != 0;
    if constexpr (kIsComplexElement<T>) {
      comparer.complexNumbers(i, left[i], right[i]);
    } else if constexpr (std::is_same_v<T, Pred>) {
      comparer.integers(i, int(bool(left[i])), int(bool(right[i])));
    } else if constexpr (kIsIntElement<T>) {
      comparer.integers(i, left[i], right[i]);
    } else {
      comparer.floats(i, left[i], right[i]);
    }
  }
}

void boundsOf(const Literal& bound, int64_t first, int64_t count, double* out) {
  const ElementType type = bound.shape().elementType();
  convertElements(out, ElementType::F64, bound.bytes().data() + first * elementStorageBytes(type), type,
                  count);
}

void compareArrays(const Literal& a, const Literal& b, CompareTolerance tolerance, const Literal* bound,
                   LiteralDifference& out) {
  const Shape shape = a.shape();
  out.shape = shape;
  out.elements = shape.elementCount();
  const CompareTolerance own = defaultTolerance(shape.elementType());
  if (tolerance.absolute < 0) tolerance.absolute = own.absolute;
  if (tolerance.relative < 0) tolerance.relative = own.relative;
  Comparer comparer(out, tolerance);
  visitStorage(shape.elementType(), [&]<typename T>() {
    const T* left = reinterpret_cast<const T*>(a.bytes().data());
    const T* right = reinterpret_cast<const T*>(b.bytes().data());
    constexpr int64_t kBlock = 1024;
    std::array<double, kBlock> bounds;
    for (int64_t first = 0; first < out.elements; first += kBlock) {
      const int64_t count = std::min(kBlock, out.elements - first);
      if (std::memcmp(left + first, right + first, static_cast<size_t>(count) * sizeof(T)) == 0) {
        comparer.equals(left + first, count);
        continue;
      }
      if (bound != nullptr) {
        boundsOf(*bound, first, count, bounds.data());
        comparer.setBounds(first, {bounds.data(), static_cast<size_t>(count)});
      }
      compareBlock(comparer, left, right, first, first + count, out.bitDifferences);
    }
    if (out.firstMismatch < 0) return;
    const auto text = [](T value) {
      if constexpr (std::is_same_v<T, Pred>) {
        return numberText(bool(value));
      } else {
        return numberText(value);
      }
    };
    out.firstMismatchText = fmt::format("{}: {} and {}", indexText(shape, out.firstMismatch),
                                        text(left[out.firstMismatch]), text(right[out.firstMismatch]));
  });
}

std::span<const int64_t> sizesOf(const Literal& array) {
  return array.dynamicSizes().empty() ? array.shape().dimensions() : array.dynamicSizes();
}

// Where either is not at its bounds.
Status compareRealParts(const Literal& a, const Literal& b, const CompareTolerance& tolerance,
                        const Literal* bound, LiteralDifference& out) {
  const auto sizes = sizesOf(a), others = sizesOf(b);
  if (std::ranges::equal(sizes, others)) {
    TRY(const Literal left, realPart(a, sizes));
    TRY(const Literal right, realPart(b, sizes));
    if (bound == nullptr) {
      compareArrays(left, right, tolerance, nullptr, out);
      return {};
    }
    TRY(const Literal near, realPart(*bound, sizes));
    compareArrays(left, right, tolerance, &near, out);
    return {};
  }
  out.shape = a.shape();
  out.elements = out.mismatches = out.bitDifferences = std::max<int64_t>(1, a.shape().elementCount());
  out.maxAbsError = std::numeric_limits<double>::infinity();
  out.firstMismatch = 0;
  out.firstMismatchText = fmt::format("sizes [{}] and [{}]", fmt::join(sizes, ","), fmt::join(others, ","));
  return {};
}

Status compareInto(const Literal& a, const Literal& b, const CompareTolerance& tolerance,
                   const Literal* bound, std::vector<int64_t>& path, std::vector<LiteralDifference>& out) {
  if (a.isTuple()) {
    for (size_t i = 0; i < a.elements().size(); ++i) {
      path.push_back(static_cast<int64_t>(i));
      TRY_STATUS(compareInto(a.elements()[i], b.elements()[i], tolerance,
                             bound == nullptr ? nullptr : &bound->elements()[i], path, out));
      path.pop_back();
    }
    return {};
  }
  if (!a.shape().isArray()) return {};
  LiteralDifference difference;
  difference.path = path;
  if (a.dynamicSizes().empty() && b.dynamicSizes().empty()) {
    compareArrays(a, b, tolerance, bound, difference);
  } else {
    TRY_STATUS(compareRealParts(a, b, tolerance, bound, difference));
  }
  out.push_back(std::move(difference));
  return {};
}

}  // namespace

double epsilonOf(ElementType type) {
  double epsilon = 0;
  const ElementType part = isComplex(type) ? complexComponent(type) : type;
  if (isFloat(part))
    visitStorage(part, [&]<typename T>() {
      if constexpr (FloatElement<T>) epsilon = static_cast<double>(FloatTraits<T>::epsilon());
    });
  return epsilon;
}

CompareTolerance defaultTolerance(ElementType type) {
  const bool isDouble = type == ElementType::F64 || type == ElementType::C128;
  const double tolerance = (isDouble ? 64 : 8) * epsilonOf(type);
  return {tolerance, tolerance};
}

Result<std::vector<LiteralDifference>> compareLiterals(const Literal& a, const Literal& b,
                                                       const CompareTolerance& tolerance,
                                                       const Literal* bound) {
  if (a.isElided() || b.isElided()) return fail("elided-constant", "values to compare are missing");
  if (a.shape().withStaticDimensions().withoutLayout() != b.shape().withStaticDimensions().withoutLayout()) {
    return fail("shape-mismatch",
                fmt::format("shapes {} and {} differ", toString(a.shape()), toString(b.shape())));
  }
  std::vector<LiteralDifference> differences;
  std::vector<int64_t> path;
  TRY_STATUS(compareInto(a, b, tolerance, bound, path, differences));
  return differences;
}

bool agrees(const std::vector<LiteralDifference>& differences) {
  return std::ranges::all_of(differences, [](const LiteralDifference& d) { return d.mismatches == 0; });
}

}  // namespace hilo
