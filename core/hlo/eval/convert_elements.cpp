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
