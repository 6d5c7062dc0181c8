#include "tests/support/answers/known_answers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "core/hlo/eval/kernel.h"

namespace hilo {
namespace {

// Where the storage of an element is wider than the type: only the type's own bits are written.
uint64_t ownBits(ElementType type) {
  const int width = type == ElementType::Pred ? 1 : elementBits(type);
  return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
}

// A real element's bits, as storage holds them.
uint64_t storedBits(ElementType type, const std::string& text) {
  uint64_t bits = std::stoull(text, nullptr, 16);
  // Signed sub-byte integers are kept with their sign extended.
  if (isSigned(type) && elementBits(type) < 8 && (bits >> (elementBits(type) - 1)) != 0)
    bits |= ~ownBits(type);
  return bits;
}

uint64_t bitsAt(const std::byte* at, int bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, static_cast<size_t>(bytes));
  return bits;
}

double valueOf(ElementType type, const std::byte* at) {
  double value = 0;
  convertElements(&value, ElementType::F64, at, type, 1);
  return value;
}

// A float's place among the values of its type, so that neighbours differ by one.
int64_t placeOf(ElementType type, uint64_t bits) {
  const uint64_t sign = uint64_t{1} << (elementBits(type) - 1);
  if (type == ElementType::F8E8M0FNU || (bits & sign) == 0) return static_cast<int64_t>(bits);
  return -static_cast<int64_t>(bits & ~sign);
}

bool realAgrees(ElementType type, const std::byte* got, const std::string& expected, double tolerance) {
  if (expected == "*") return true;
  const uint64_t bits = bitsAt(got, elementStorageBytes(type)) & ownBits(type);
  if (expected == "n" || expected == "?") {
    const double value = valueOf(type, got);
    return expected == "n" ? std::isnan(value) : value == 0;
  }
  const uint64_t wanted = storedBits(type, expected) & ownBits(type);
  if (bits == wanted) return true;
  if (tolerance == 0 || !isFloat(type)) return false;
  if (!std::isfinite(valueOf(type, got))) return false;
  return std::abs(static_cast<double>(placeOf(type, bits) - placeOf(type, wanted))) <= tolerance;
}

bool complexAgrees(ElementType type, const std::byte* got, const std::string& expected, double tolerance) {
  const size_t colon = expected.find(':');
  const std::string parts[] = {expected.substr(0, colon), expected.substr(colon + 1)};
  const ElementType part = complexComponent(type);
  const int bytes = elementStorageBytes(part);
  double wanted[2];
  for (int i = 0; i < 2; ++i) {
    if (parts[i] == "n" || tolerance == 0) {
      if (!realAgrees(part, got + i * bytes, parts[i], 0)) return false;
      wanted[i] = valueOf(part, got + i * bytes);
      continue;
    }
    const uint64_t bits = std::stoull(parts[i], nullptr, 16);
    wanted[i] = valueOf(part, reinterpret_cast<const std::byte*>(&bits));
  }
  const double epsilon = part == ElementType::F32 ? 0x1p-23 : 0x1p-52;
  const double allowed = tolerance * epsilon * std::hypot(wanted[0], wanted[1]);
  for (int i = 0; i < 2; ++i) {
    const double value = valueOf(part, got + i * bytes);
    if (!(std::abs(value - wanted[i]) <= allowed) && parts[i] != "n" && value != wanted[i]) return false;
  }
  return true;
}

std::string bitsText(ElementType type, const std::byte* at) {
  if (!isComplex(type)) return fmt::format("{:x}", bitsAt(at, elementStorageBytes(type)) & ownBits(type));
  const int half = elementStorageBytes(type) / 2;
  return fmt::format("{:x}:{:x}", bitsAt(at, half), bitsAt(at + half, half));
}

double valueOfBits(ElementType type, const std::string& bits) {
  const uint64_t stored = storedBits(type, bits);
  return valueOf(type, reinterpret_cast<const std::byte*>(&stored));
}

}  // namespace

std::vector<std::string> splitAt(const std::string& text, char separator) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  for (size_t begin = 0;;) {
    const size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

Literal literalOfBits(Shape shape, const std::string& bits) {
  Literal literal(shape);
  const ElementType type = shape.elementType();
  const auto elements = splitAt(bits, ' ');
  if (static_cast<int64_t>(elements.size()) != shape.elementCount()) {
    ADD_FAILURE() << toString(shape) << " from " << elements.size() << " elements";
    return literal;
  }
  const auto out = literal.mutableBytes();
  const auto bytes = static_cast<size_t>(elementStorageBytes(type));
  for (size_t i = 0; i < elements.size(); ++i) {
    const auto parts = splitAt(elements[i], ':');
    const size_t each = bytes / parts.size();
    for (size_t p = 0; p < parts.size(); ++p) {
      const uint64_t value = storedBits(isComplex(type) ? complexComponent(type) : type, parts[p]);
      std::memcpy(out.data() + i * bytes + p * each, &value, each);
    }
  }
  return literal;
}

std::string differenceFrom(const Literal& got, const std::string& expected, double tolerance) {
  const ElementType type = got.shape().elementType();
  const auto elements = splitAt(expected, ' ');
  if (static_cast<int64_t>(elements.size()) != got.shape().elementCount())
    return fmt::format("{} elements, expected {}", got.shape().elementCount(), elements.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    const std::byte* at = got.bytes().data() + i * static_cast<size_t>(elementStorageBytes(type));
    if (isComplex(type) ? complexAgrees(type, at, elements[i], tolerance)
                        : realAgrees(type, at, elements[i], tolerance))
      continue;
    return fmt::format("[{}]: {}, expected {}", i, bitsText(type, at), elements[i]);
  }
  return "";
}

std::string distanceFrom(const Literal& got, const std::string& expected, double distance) {
  const ElementType type = got.shape().elementType();
  const ElementType part = isComplex(type) ? complexComponent(type) : type;
  const auto elements = splitAt(expected, ' ');
  if (static_cast<int64_t>(elements.size()) != got.shape().elementCount())
    return fmt::format("{} elements, expected {}", got.shape().elementCount(), elements.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    if (elements[i] == "*") continue;
    const std::byte* at = got.bytes().data() + i * static_cast<size_t>(elementStorageBytes(type));
    for (const std::string& bits : splitAt(elements[i], ':')) {
      const double value = valueOf(part, at), wanted = valueOfBits(part, bits);
      if (!(std::abs(value - wanted) <= distance))
        return fmt::format("[{}]: {}, expected {}", i, value, wanted);
      at += elementStorageBytes(part);
    }
  }
  return "";
}

}  // namespace hilo
