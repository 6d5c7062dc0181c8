// Narrow floats, by the one definition of their formats (base/float_formats.h), and other operations on bits.
#include "core/base/float_formats.h"
#include "core/compiler/codegen/scalars/scalars.h"

#define NARROW(name, type)                                                                \
  uint16_t hilo_narrow_##name##_f32(float x) { return hilo::type(x).bits; }               \
  uint16_t hilo_narrow_##name##_f64(double x) { return hilo::type(x).bits; }              \
  uint16_t hilo_narrow_##name##_s64(int64_t x) { return hilo::type(x).bits; }             \
  uint16_t hilo_narrow_##name##_u64(uint64_t x) { return hilo::type(x).bits; }            \
  float hilo_widen_##name(uint16_t bits) {                                                \
    return static_cast<float>(hilo::type::fromBits(static_cast<hilo::type::Bits>(bits))); \
  }
HILO_NARROW(NARROW)
#undef NARROW

namespace {

template <typename T>
T reducePrecision(T x, int exponentBits, int mantissaBits) {
  using Traits = hilo::FloatTraits<T>;
  using Bits = typename Traits::Bits;
  constexpr Bits kOne = 1;
  if (Traits::isNan(x)) return mantissaBits > 0 ? x : Traits::infinityOrHighest();
  Bits bits = Traits::toBits(x);
  if (mantissaBits < Traits::mantissaBits) {
    const int dropped = Traits::mantissaBits - mantissaBits;
    const Bits lastKept = (bits >> dropped) & 1;
    bits += (kOne << (dropped - 1)) - 1 + lastKept;
    bits &= ~((kOne << dropped) - 1);
  }
  if (exponentBits < Traits::exponentBits) {
    constexpr int kBias = (1 << (Traits::exponentBits - 1)) - 1;
    const int reducedBias = (1 << (exponentBits - 1)) - 1;
    constexpr Bits kExponentMask = ((kOne << Traits::exponentBits) - 1) << Traits::mantissaBits;
    const int exponent = static_cast<int>((bits & kExponentMask) >> Traits::mantissaBits);
    const Bits sign = bits & (kOne << (sizeof(T) * 8 - 1));
    if (exponent > kBias + reducedBias) bits = sign | kExponentMask;
    if (exponent <= kBias - reducedBias) bits = sign;
  }
  return Traits::fromBits(bits);
}

}  // namespace

float hilo_reduce_precision_f32(float x, int32_t exponentBits, int32_t mantissaBits) {
  return reducePrecision(x, exponentBits, mantissaBits);
}
double hilo_reduce_precision_f64(double x, int32_t exponentBits, int32_t mantissaBits) {
  return reducePrecision(x, exponentBits, mantissaBits);
}

uint64_t hilo_power_u64(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1, base *= base) result *= (exponent & 1) != 0 ? base : 1;
  return result;
}
int64_t hilo_power_s64(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : 0;
  return static_cast<int64_t>(hilo_power_u64(static_cast<uint64_t>(base), static_cast<uint64_t>(exponent)));
}
