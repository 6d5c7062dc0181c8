// The narrow floating-point element types of XLA as value types over their raw bits: F16, BF16, the 8-bit
// family, the 6- and 4-bit microscaling formats and the exponent-only scale. One template serves all; a
// FloatFormat says what sets them apart. Bits sit in the low end of the storage word, as XLA keeps them in
// an unpacked literal.
//
// Narrowing rounds once, to nearest even, from whatever it is given (float, double or an integer). What
// overflows becomes infinity, or NaN where there is no infinity, or the largest value where there is neither.
// A NaN becomes the format's quiet NaN with its sign kept, or negative zero in the formats without a NaN.
// Matches ml_dtypes (float8.h, mxfloat.h), which XLA uses, including two corners: 0 and negative numbers
// become NaN in F8E8M0FNU, and its smallest binade rounds as if it were denormal.
// Sources: IEEE 754-2019; OCP 8-bit Floating Point (OFP8) 1.0; OCP Microscaling Formats (MX) 1.0.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace hilo {

enum class NanEncoding : uint8_t {
  kIeee,          // exponent all ones: infinity when the mantissa is 0, else NaN
  kAllOnes,       // only the pattern of all ones (either sign); no infinity
  kNegativeZero,  // only the pattern of negative zero, so zero has no sign; no infinity
  kNone,          // every pattern is a finite number
};

struct FloatFormat {
  int exponentBits;
  int mantissaBits;
  int bias;
  NanEncoding nan;
  bool isSigned = true;
  bool hasZero = true;  // false: exponent field 0 is an ordinary binade (F8E8M0FNU)

  constexpr int width() const { return exponentBits + mantissaBits + (isSigned ? 1 : 0); }
};

template <FloatFormat kFormat>
struct NarrowFloat {
  using Bits = std::conditional_t<(kFormat.width() > 8), uint16_t, uint8_t>;
  static constexpr FloatFormat format = kFormat;
  static constexpr bool hasInfinity = kFormat.nan == NanEncoding::kIeee;
  static constexpr bool hasNan = kFormat.nan != NanEncoding::kNone;

  Bits bits = 0;

  constexpr NarrowFloat() = default;
  constexpr explicit NarrowFloat(float value) : bits(narrow<float, uint32_t, 8, 23>(value)) {}
  constexpr explicit NarrowFloat(double value) : bits(narrow<double, uint64_t, 11, 52>(value)) {}
  template <std::integral Int>
  constexpr explicit NarrowFloat(Int value) {
    const bool negative = value < 0;
    const uint64_t magnitude =
        negative ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    bits = magnitude == 0 ? fromZero(false) : fromNormalised(negative, magnitude, 0);
  }
  // From another narrow format: exact widening first, then one rounding.
  template <FloatFormat kOther>
    requires(kOther.width() != kFormat.width() || kOther.mantissaBits != kFormat.mantissaBits ||
             kOther.bias != kFormat.bias || kOther.nan != kFormat.nan)
  constexpr explicit NarrowFloat(NarrowFloat<kOther> value) : NarrowFloat(static_cast<float>(value)) {}

  static constexpr NarrowFloat fromBits(Bits bits) {
    NarrowFloat value;
    value.bits = bits;
    return value;
  }

  // Exact: every value of every format is a float.
  constexpr explicit operator float() const {
    if constexpr (kFormat.exponentBits == 8 && kFormat.mantissaBits == 7) {
      return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
    } else if constexpr (sizeof(Bits) == 1) {
      return kFloatOfBits[bits];
    } else {
      return widen();
    }
  }
  constexpr explicit operator double() const { return static_cast<float>(*this); }

  constexpr bool isNan() const {
    switch (kFormat.nan) {
      case NanEncoding::kIeee:
        return (bits & kMagnitudeMask) > kExponentMask;
      case NanEncoding::kAllOnes:
        return (bits & kMagnitudeMask) == kMagnitudeMask;
      case NanEncoding::kNegativeZero:
        return bits == kSignBit;
      case NanEncoding::kNone:
        return false;
    }
    return false;
  }
  constexpr bool isInf() const { return hasInfinity && (bits & kMagnitudeMask) == kExponentMask; }
  constexpr bool isFinite() const { return !isNan() && !isInf(); }
  constexpr bool signBit() const { return kFormat.isSigned && (bits & kSignBit) != 0; }

  static constexpr NarrowFloat highest() { return fromBits(kHighestBits); }
  static constexpr NarrowFloat lowest() {
    return fromBits(kFormat.isSigned ? Bits(kSignBit | kHighestBits) : Bits(0));
  }
  static constexpr NarrowFloat infinityOrHighest() {
    return fromBits(hasInfinity ? kExponentMask : kHighestBits);
  }
  static constexpr NarrowFloat negativeInfinityOrLowest() {
    return hasInfinity ? fromBits(Bits(kSignBit | kExponentMask)) : lowest();
  }
  // The quiet NaN a narrowing gives; negative zero in the formats without one.
  static constexpr NarrowFloat quietNan() { return fromBits(nanBits(false)); }
  // The step from 1 to the next value.
  static constexpr NarrowFloat epsilon() { return fromBits(fromNormalised(false, 1, -kFormat.mantissaBits)); }
  static constexpr NarrowFloat smallestNormal() {
    return fromBits(kFormat.hasZero ? Bits(Bits(1) << kFormat.mantissaBits) : Bits(0));
  }
  static constexpr NarrowFloat smallestPositive() { return fromBits(kFormat.hasZero ? Bits(1) : Bits(0)); }

  // By value: a NaN is unordered, zeros of either sign are equal.
  friend constexpr bool operator==(NarrowFloat a, NarrowFloat b) {
    return static_cast<float>(a) == static_cast<float>(b);
  }
  friend constexpr std::partial_ordering operator<=>(NarrowFloat a, NarrowFloat b) {
    return static_cast<float>(a) <=> static_cast<float>(b);
  }

  static constexpr int kMagnitudeBits = kFormat.exponentBits + kFormat.mantissaBits;
  static constexpr Bits kMagnitudeMask = static_cast<Bits>((1u << kMagnitudeBits) - 1);
  static constexpr Bits kMantissaMask = static_cast<Bits>((1u << kFormat.mantissaBits) - 1);
  static constexpr Bits kExponentMask = static_cast<Bits>(kMagnitudeMask & ~kMantissaMask);
  static constexpr Bits kSignBit = static_cast<Bits>(kFormat.isSigned ? 1u << kMagnitudeBits : 0u);
  static constexpr Bits kHighestBits =
      static_cast<Bits>(kFormat.nan == NanEncoding::kIeee      ? kExponentMask - 1
                        : kFormat.nan == NanEncoding::kAllOnes ? kMagnitudeMask - 1
                                                               : kMagnitudeMask);

 private:
  static constexpr Bits nanBits(bool negative) {
    switch (kFormat.nan) {
      case NanEncoding::kIeee:
        return static_cast<Bits>((negative ? kSignBit : 0) | kExponentMask |
                                 (1u << (kFormat.mantissaBits - 1)));
      case NanEncoding::kAllOnes:
        return static_cast<Bits>((negative ? kSignBit : 0) | kMagnitudeMask);
      case NanEncoding::kNegativeZero:
        return kSignBit;
      case NanEncoding::kNone:
        return negative ? Bits(0) : kSignBit;
    }
    return 0;
  }
  static constexpr Bits withSign(bool negative, Bits magnitude) {
    if (!negative || (kFormat.nan == NanEncoding::kNegativeZero && magnitude == 0)) return magnitude;
    return static_cast<Bits>(kSignBit | magnitude);
  }
  static constexpr Bits overflowBits(bool negative) {
    if constexpr (hasNan && !hasInfinity) return nanBits(negative);
    return withSign(negative, infinityOrHighest().bits);
  }
  static constexpr Bits fromZero(bool negative) {
    if constexpr (!kFormat.hasZero) return nanBits(false);
    return withSign(negative && kFormat.isSigned, 0);
  }

  // significand * 2^exponent, significand not 0. The mantissa, its leading one included, is added to the
  // exponent field less one, so a carry out of rounding moves the exponent by itself.
  static constexpr Bits fromNormalised(bool negative, uint64_t significand, int exponent) {
    if constexpr (!kFormat.isSigned) {
      if (negative) return nanBits(false);
    }
    const int topBit = 63 - std::countl_zero(significand);
    const int fieldLessOne = topBit + exponent + kFormat.bias - 1;
    if (fieldLessOne >= (1 << kFormat.exponentBits)) return overflowBits(negative);
    const int denormalShift = fieldLessOne < 0 ? -fieldLessOne : 0;
    const int dropped = topBit - kFormat.mantissaBits + denormalShift;
    uint64_t mantissa = 0;
    if (dropped <= 0) {
      mantissa = significand << -dropped;
    } else if (dropped <= 63) {
      const uint64_t half = uint64_t{1} << (dropped - 1);
      const uint64_t rest = significand & (half + (half - 1));
      mantissa = significand >> dropped;
      if (rest > half || (rest == half && (mantissa & 1) != 0)) ++mantissa;
    } else if (dropped == 64 && significand > (uint64_t{1} << 63)) {
      mantissa = 1;
    }
    const uint64_t field = fieldLessOne > 0 ? static_cast<uint64_t>(fieldLessOne) : 0;
    const uint64_t magnitude = mantissa + (field << kFormat.mantissaBits);
    if (magnitude > kHighestBits) return overflowBits(negative);
    return withSign(negative, static_cast<Bits>(magnitude));
  }

  template <typename Wide, typename WideBits, int kWideExponentBits, int kWideMantissaBits>
  static constexpr Bits narrow(Wide value) {
    const WideBits wide = std::bit_cast<WideBits>(value);
    constexpr int kWideBias = (1 << (kWideExponentBits - 1)) - 1;
    constexpr WideBits kOne = 1;
    const bool negative = (wide >> (kWideExponentBits + kWideMantissaBits)) != 0;
    const int field = static_cast<int>((wide >> kWideMantissaBits) & ((kOne << kWideExponentBits) - 1));
    const WideBits fraction = wide & ((kOne << kWideMantissaBits) - 1);
    if (field == (1 << kWideExponentBits) - 1) {
      if (fraction != 0) return nanBits(negative && kFormat.isSigned);
      if constexpr (!kFormat.isSigned) return nanBits(false);
      return overflowBits(negative);
    }
    if (field == 0 && fraction == 0) return fromZero(negative);
    const WideBits significand = field == 0 ? fraction : (fraction | (kOne << kWideMantissaBits));
    return fromNormalised(negative, significand, (field == 0 ? 1 : field) - kWideBias - kWideMantissaBits);
  }

  constexpr float widen() const {
    const uint32_t sign = signBit() ? 0x80000000u : 0u;
    // The 16-bit formats keep a NaN's payload when they widen; the narrower ones give the quiet NaN.
    if (isNan()) {
      const uint32_t payload = sizeof(Bits) == 2 ? static_cast<uint32_t>(bits & kMantissaMask)
                                                       << (23 - kFormat.mantissaBits)
                                                 : 0x400000u;
      return std::bit_cast<float>(sign | 0x7f800000u | payload);
    }
    if (isInf()) return std::bit_cast<float>(sign | 0x7f800000u);
    const uint32_t field = static_cast<uint32_t>(bits & kMagnitudeMask) >> kFormat.mantissaBits;
    const uint32_t fraction = bits & kMantissaMask;
    const bool denormal = field == 0 && kFormat.hasZero;
    const uint32_t significand = denormal ? fraction : fraction | (1u << kFormat.mantissaBits);
    const int exponent = static_cast<int>(denormal ? 1 : field) - kFormat.bias - kFormat.mantissaBits;
    const double magnitude = significand * powerOfTwo(exponent);
    return static_cast<float>(sign != 0 ? -magnitude : magnitude);
  }
  static constexpr double powerOfTwo(int exponent) {
    return std::bit_cast<double>(static_cast<uint64_t>(1023 + exponent) << 52);
  }
  static constexpr std::array<float, 256> makeTable() {
    std::array<float, 256> table{};
    if constexpr (sizeof(Bits) == 1) {
      // Patterns wider than the format (a stray high bit in a 4- or 6-bit one) read as their low bits.
      for (unsigned i = 0; i < 256; ++i) table[i] = fromBits(Bits(i & (kSignBit | kMagnitudeMask))).widen();
    }
    return table;
  }
  static constexpr std::array<float, 256> kFloatOfBits = makeTable();
};

using F16 = NarrowFloat<FloatFormat{5, 10, 15, NanEncoding::kIeee}>;
using BF16 = NarrowFloat<FloatFormat{8, 7, 127, NanEncoding::kIeee}>;
using F8E5M2 = NarrowFloat<FloatFormat{5, 2, 15, NanEncoding::kIeee}>;
using F8E4M3 = NarrowFloat<FloatFormat{4, 3, 7, NanEncoding::kIeee}>;
using F8E3M4 = NarrowFloat<FloatFormat{3, 4, 3, NanEncoding::kIeee}>;
using F8E4M3FN = NarrowFloat<FloatFormat{4, 3, 7, NanEncoding::kAllOnes}>;
using F8E4M3B11FNUZ = NarrowFloat<FloatFormat{4, 3, 11, NanEncoding::kNegativeZero}>;
using F8E5M2FNUZ = NarrowFloat<FloatFormat{5, 2, 16, NanEncoding::kNegativeZero}>;
using F8E4M3FNUZ = NarrowFloat<FloatFormat{4, 3, 8, NanEncoding::kNegativeZero}>;
using F8E8M0FNU = NarrowFloat<FloatFormat{8, 0, 127, NanEncoding::kAllOnes, false, false}>;
using F6E2M3FN = NarrowFloat<FloatFormat{2, 3, 1, NanEncoding::kNone}>;
using F6E3M2FN = NarrowFloat<FloatFormat{3, 2, 3, NanEncoding::kNone}>;
using F4E2M1FN = NarrowFloat<FloatFormat{2, 1, 1, NanEncoding::kNone}>;

template <typename T>
inline constexpr bool kIsNarrowFloat = false;
template <FloatFormat kFormat>
inline constexpr bool kIsNarrowFloat<NarrowFloat<kFormat>> = true;

// Any floating element type: float, double or a NarrowFloat.
template <typename T>
concept FloatElement = std::floating_point<T> || kIsNarrowFloat<T>;

// What float, double and the narrow formats have in common, for code that serves them all.
template <FloatElement T>
struct FloatTraits {
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  static constexpr int exponentBits = sizeof(T) == 8 ? 11 : 8;
  static constexpr int mantissaBits = std::numeric_limits<T>::digits - 1;
  static constexpr bool hasInfinity = true;
  static constexpr bool hasNan = true;
  static constexpr bool hasNegativeZero = true;
  static constexpr bool isSigned = true;
  // Formats with signalling NaNs carry a payload; 0 says the format has none.
  static constexpr int nanPayloadBits = mantissaBits;
  static constexpr Bits toBits(T value) { return std::bit_cast<Bits>(value); }
  static constexpr T fromBits(Bits bits) { return std::bit_cast<T>(bits); }
  static constexpr T highest() { return std::numeric_limits<T>::max(); }
  static constexpr T lowest() { return std::numeric_limits<T>::lowest(); }
  static constexpr T infinityOrHighest() { return std::numeric_limits<T>::infinity(); }
  static constexpr T negativeInfinityOrLowest() { return -std::numeric_limits<T>::infinity(); }
  static constexpr T quietNan() { return std::numeric_limits<T>::quiet_NaN(); }
  static constexpr T epsilon() { return std::numeric_limits<T>::epsilon(); }
  static constexpr T smallestNormal() { return std::numeric_limits<T>::min(); }
  static constexpr bool isNan(T value) { return value != value; }
  static constexpr bool isFinite(T value) { return value - value == 0; }
  static constexpr bool signBit(T value) { return (toBits(value) >> (sizeof(T) * 8 - 1)) != 0; }
};

template <FloatFormat kFormat>
struct FloatTraits<NarrowFloat<kFormat>> {
  using T = NarrowFloat<kFormat>;
  using Bits = typename T::Bits;
  static constexpr int exponentBits = kFormat.exponentBits;
  static constexpr int mantissaBits = kFormat.mantissaBits;
  static constexpr bool hasInfinity = T::hasInfinity;
  static constexpr bool hasNan = T::hasNan;
  static constexpr bool hasNegativeZero = kFormat.isSigned && kFormat.nan != NanEncoding::kNegativeZero;
  static constexpr bool isSigned = kFormat.isSigned;
  static constexpr int nanPayloadBits = kFormat.nan == NanEncoding::kIeee ? kFormat.mantissaBits : 0;
  static constexpr Bits toBits(T value) { return value.bits; }
  static constexpr T fromBits(Bits bits) { return T::fromBits(bits); }
  static constexpr T highest() { return T::highest(); }
  static constexpr T lowest() { return T::lowest(); }
  static constexpr T infinityOrHighest() { return T::infinityOrHighest(); }
  static constexpr T negativeInfinityOrLowest() { return T::negativeInfinityOrLowest(); }
  static constexpr T quietNan() { return T::quietNan(); }
  static constexpr T epsilon() { return T::epsilon(); }
  static constexpr T smallestNormal() { return T::smallestNormal(); }
  static constexpr bool isNan(T value) { return value.isNan(); }
  static constexpr bool isFinite(T value) { return value.isFinite(); }
  static constexpr bool signBit(T value) { return value.signBit(); }
};

// Decimal digits that tell every value of the format from its neighbours (C's max_digits10).
template <FloatElement T>
constexpr int maxDecimalDigits() {
  // 30103 / 100000 is log10(2); rounding up needs the remainder.
  constexpr int scaled = (FloatTraits<T>::mantissaBits + 1) * 30103;
  return 1 + scaled / 100000 + (scaled % 100000 != 0 ? 1 : 0);
}

}  // namespace hilo
