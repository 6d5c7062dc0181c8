#include <cmath>
#include <complex>
#include <cstring>

#include "core/hlo/eval/element_dispatch.h"
#include "core/hlo/eval/kernel.h"

namespace hilo {
namespace {

// Truncates towards zero and saturates to [lowest, highest] of a `bits` wide integer; NaN becomes 0.
template <typename To, typename From>
To floatToInt(From value, int bits) {
  if (std::isnan(value)) return 0;
  using Limits = std::numeric_limits<To>;
  const int valueBits = std::is_signed_v<To> ? bits - 1 : bits;
  const To highest = static_cast<To>(Limits::max() >> (Limits::digits - valueBits));
  const To lowest = std::is_signed_v<To> ? static_cast<To>(-highest - 1) : To(0);
  // 2^valueBits is exact in double, unlike the highest 64-bit integer.
  if (static_cast<double>(value) >= std::ldexp(1.0, valueBits)) return highest;
  if (static_cast<double>(value) <= static_cast<double>(lowest)) return lowest;
  return static_cast<To>(value);
}

// Keeps the low `bits` and extends the sign of signed types.
template <typename To>
To wrapToBits(To value, int bits) {
  const int gap = static_cast<int>(sizeof(To)) * 8 - bits;
  return static_cast<To>(static_cast<To>(static_cast<std::make_unsigned_t<To>>(value) << gap) >> gap);
}

// The two common narrow types without branches, so that runs of them become vectors: the same bits
// as NarrowFloat gives.
BF16 toBf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16, nan = (bits >> 16 & 0x8000) | 0x7fc0;
  return BF16::fromBits(static_cast<uint16_t>((bits & 0x7fffffff) > 0x7f800000 ? nan : rounded));
}
// What is inexact as a float becomes the nearest float with an odd last bit on its side of zero, which rounds
// as the value itself does.
BF16 toBf16(double value) {
  const auto nearest = static_cast<float>(value);
  const bool isExact = static_cast<double>(nearest) == value,
             isBeyond = std::abs(static_cast<double>(nearest)) > std::abs(value);
  const auto bits = std::bit_cast<uint32_t>(nearest);
  return toBf16(std::bit_cast<float>(isExact ? bits : (bits - (isBeyond ? 1 : 0)) | 1));
}
F16 toF16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t magnitude = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
  constexpr uint32_t kBias = 112 << 23, kSmallestNormal = 113 << 23, kBeyond = 143 << 23;
  const uint32_t normal = (magnitude - kBias + 0xfff + (magnitude >> 13 & 1)) >> 13;
  // A half has the steps of denormal halves.
  const uint32_t denormal =
      std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - std::bit_cast<uint32_t>(0.5f);
  const uint32_t finite = magnitude < kSmallestNormal ? denormal : normal;
  const uint32_t other = magnitude > 0x7f800000 ? 0x7e00 : 0x7c00;
  return F16::fromBits(static_cast<uint16_t>(sign | (magnitude < kBeyond ? finite : other)));
}
float toFloat(F16 value) {
  const uint32_t magnitude = static_cast<uint32_t>(value.bits & 0x7fff) << 13;
  const uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000) << 16;
  constexpr uint32_t kBias = 112 << 23, kSmallestNormal = 113 << 23, kInfinity = 31 << 23;
  const uint32_t denormal = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude + kSmallestNormal) -
                                                    std::bit_cast<float>(kSmallestNormal));
  const uint32_t normal = magnitude + (magnitude >= kInfinity ? 2 * kBias : kBias);
  return std::bit_cast<float>(sign | (magnitude < 1 << 23 ? denormal : normal));
}

template <typename To, typename From>
To convertOne(From value, [[maybe_unused]] int bits) {
  if constexpr (std::is_same_v<From, Pred>) {
    return convertOne<To>(static_cast<uint8_t>(value ? 1 : 0), bits);
  } else if constexpr (std::is_same_v<To, Pred>) {
    return value != From(0);
  } else if constexpr (kIsComplexElement<To>) {
    if constexpr (kIsComplexElement<From>) {
      return To(static_cast<typename To::value_type>(value.real()),
                static_cast<typename To::value_type>(value.imag()));
    } else {
      return To(static_cast<typename To::value_type>(value));
    }
  } else if constexpr (kIsComplexElement<From>) {
    return convertOne<To>(value.real(), bits);
  } else if constexpr (kIsIntElement<To>) {
    if constexpr (std::is_floating_point_v<From>) {
      return floatToInt<To>(value, bits);
    } else {
      return wrapToBits(static_cast<To>(value), bits);
    }
  } else if constexpr (std::is_same_v<To, BF16> && std::is_floating_point_v<From>) {
    return toBf16(value);
  } else if constexpr (std::is_same_v<To, F16> && std::is_same_v<From, float>) {
    return toF16(value);
  } else if constexpr (std::is_same_v<From, F16>) {
    return toFloat(value);
  } else {
    return static_cast<To>(value);
  }
}

template <typename To, typename From>
void convertLoop(void* out, const void* in, int bits, int64_t count) {
  To* to = static_cast<To*>(out);
  const From* from = static_cast<const From*>(in);
  if constexpr (kIsIntElement<To>) {
    for (int64_t i = 0; i < count; ++i) to[i] = convertOne<To>(from[i], bits);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = convertOne<To>(from[i], 0);
  }
}

template <typename From>
void convertFrom(void* out, ElementType to, const void* in, int64_t count) {
  const int bits = elementBits(to);
  if (isFloat(to) && bits < 32) {
    visitNarrowFloat(to, [&]<typename To>() { convertLoop<To, From>(out, in, bits, count); });
  } else {
    visitComputeType(computeType(to), [&]<typename To>() { convertLoop<To, From>(out, in, bits, count); });
  }
}

}  // namespace

void convertElements(void* out, ElementType to, const void* in, ElementType from, int64_t count) {
  if (count == 0) return;  // and no pointers to speak of
  if (from == to) {
    std::memmove(out, in, static_cast<size_t>(count * elementStorageBytes(to)));
    return;
  }
  if (!isFloat(from) || elementBits(from) >= 32) {
    visitComputeType(computeType(from), [&]<typename From>() { convertFrom<From>(out, to, in, count); });
    return;
  }
  if (to == ElementType::F32) {
    visitNarrowFloat(from, [&]<typename From>() { convertLoop<float, From>(out, in, 0, count); });
    return;
  }
  // A narrow float widens to f32 exactly; the second step is the only one that rounds.
  constexpr int64_t kBlock = 512;
  float widened[kBlock];
  for (int64_t start = 0; start < count; start += kBlock) {
    const int64_t block = std::min(kBlock, count - start);
    convertElements(widened, ElementType::F32,
                    static_cast<const std::byte*>(in) + start * elementStorageBytes(from), from, block);
    convertElements(static_cast<std::byte*>(out) + start * elementStorageBytes(to), to, widened,
                    ElementType::F32, block);
  }
}

}  // namespace hilo
