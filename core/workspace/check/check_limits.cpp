#include "core/workspace/check/check_limits.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/hlo/eval/literal_access.h"

namespace hilo {
namespace {

// Arrays as lists of parts: a complex element is two.
struct Parts {
  ElementType type;  // of a part
  int perElement = 1;
  std::vector<double> values;  // of floats and complex numbers
  std::vector<uint64_t> bits;
};

ElementType partType(ElementType type) {
  return type == ElementType::C64 ? ElementType::F32 : type == ElementType::C128 ? ElementType::F64 : type;
}

Parts partsOf(const Literal& literal) {
  const ElementType type = literal.shape().elementType();
  Parts parts{.type = partType(type), .perElement = isComplex(type) ? 2 : 1};
  if (isComplex(type)) {
    for (const std::complex<double>& value : elementsAs<std::complex<double>>(literal, ElementType::C128)) {
      parts.values.push_back(value.real());
      parts.values.push_back(value.imag());
    }
  } else if (isFloat(type)) {
    parts.values = elementsAs<double>(literal, ElementType::F64);
  }
  const size_t size = static_cast<size_t>(elementStorageBytes(parts.type));
  const auto bytes = literal.bytes();
  for (size_t at = 0; at + size <= bytes.size(); at += size) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, size);
    parts.bits.push_back(bits);
  }
  return parts;
}

// f and g as the specification's reference compares them: NaNs agree, infinities with themselves only.
bool almostEqual(double f, double g, double tolerance) {
  if (f == g) return true;
  if (std::isnan(f) || std::isnan(g)) return std::isnan(f) && std::isnan(g);
  return std::isfinite(f) && std::isfinite(g) && std::fabs(f - g) <= tolerance;
}

std::string indexText(Shape shape, int64_t element) {
  std::vector<int64_t> index(shape.dimensions().size());
  for (size_t n = index.size(); n-- > 0;) {
    index[n] = element % shape.dimension(n);
    element /= shape.dimension(n);
  }
  return fmt::format("[{}]", fmt::join(index, ","));
}

// Why part `n` fails; "" where it passes.
std::string partFailure(std::string_view name, const Parts& a, const Parts& b, size_t n,
                        const CheckLimits& limits) {
  const bool floats = !a.values.empty();
  if (name == "eq") {  // integers exactly, floats within 1e-4
    CheckLimits near = limits;
    near.tolerance = 1e-4;
    return partFailure(floats ? "expect_almost_eq" : "expect_eq", a, b, n, near);
  }
  if (name == "expect_eq") {
    if (floats ? a.values[n] == b.values[n] : a.bits[n] == b.bits[n]) return "";
    return "not equal";
  }
  if (!floats) return fmt::format("{} compares floats only", name);
  if (name == "expect_almost_eq") {
    if (almostEqual(a.values[n], b.values[n], limits.tolerance)) return "";
    return fmt::format("further apart than {}", limits.tolerance);
  }
  const uint64_t distance = ulpDistance(a.type, a.bits[n], a.values[n], b.bits[n], b.values[n]);
  if (distance >= limits.minUlp && distance <= limits.maxUlp) return "";
  return fmt::format("{} ULP apart, allowed are {} to {}", distance, limits.minUlp, limits.maxUlp);
}

std::string partText(const Parts& parts, size_t n) {
  if (!parts.values.empty()) return fmt::format("{}", parts.values[n]);
  const int width = elementBits(parts.type);
  const int shift = 64 - std::max(width, 1);
  if (elementClass(parts.type) == ElementClass::Signed)
    return fmt::format("{}", static_cast<int64_t>(parts.bits[n] << shift) >> shift);
  return fmt::format("{}", parts.bits[n]);
}

}  // namespace

uint64_t ulpDistance(ElementType type, uint64_t bitsA, double a, uint64_t bitsB, double b) {
  if (bitsA == bitsB) return 0;
  if (std::isfinite(a) && std::isfinite(b)) {
    const uint64_t sign = type == ElementType::F8E8M0FNU ? 0 : uint64_t{1} << (elementBits(type) - 1);
    const uint64_t magnitudeA = bitsA & ~sign, magnitudeB = bitsB & ~sign;
    if ((bitsA & sign) != (bitsB & sign)) return magnitudeA + magnitudeB;
    return magnitudeA > magnitudeB ? magnitudeA - magnitudeB : magnitudeB - magnitudeA;
  }
  if (std::isnan(a) && std::isnan(b)) return 0;
  return std::numeric_limits<uint64_t>::max();
}

std::string checkLiterals(std::string_view name, const Literal& actual, const Literal& expected,
                          const CheckLimits& limits) {
  const Shape shape = actual.shape();
  if (!shape.isArray()) return "not an array";
  if (shape.withoutLayout() != expected.shape().withoutLayout())
    return fmt::format("shapes differ: {} and {}", toString(shape.withoutLayout()),
                       toString(expected.shape().withoutLayout()));
  const Parts a = partsOf(actual), b = partsOf(expected);
  size_t failures = 0;
  std::string first;
  for (size_t n = 0; n < a.bits.size(); ++n) {
    const std::string why = partFailure(name, a, b, n, limits);
    if (why.empty()) continue;
    if (failures++ == 0) {
      first = fmt::format("{} at {}: {}, expected {}", why,
                          indexText(shape, static_cast<int64_t>(n) / a.perElement), partText(a, n),
                          partText(b, n));
    }
  }
  if (failures > 1) first += fmt::format(" (and {} more of {})", failures - 1, a.bits.size());
  return first;
}

}  // namespace hilo
