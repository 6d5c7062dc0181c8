// Narrow floats, by the one definition of their formats (base/float_formats.h), and other operations on bits.
#include <math.h>

#include "core/base/float_formats.h"
#include "core/base/reduce_precision.h"
#include "core/compiler/codegen/emit/scalars/scalars.h"

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

float hilo_reduce_precision_f32(float x, int32_t exponentBits, int32_t mantissaBits) {
  return hilo::reducePrecision(x, exponentBits, mantissaBits);
}
double hilo_reduce_precision_f64(double x, int32_t exponentBits, int32_t mantissaBits) {
  return hilo::reducePrecision(x, exponentBits, mantissaBits);
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

int64_t hilo_stochastic_convert(double value, uint64_t random, int32_t randomBits, int32_t bits) {
  const int64_t highest = INT64_MAX >> (64 - bits), lowest = -highest - 1;
  if (value != value) return 0;
  if (value >= static_cast<double>(highest)) return highest;
  if (value <= static_cast<double>(lowest)) return lowest;
  const double magnitude = fabs(value), whole = trunc(magnitude), fraction = magnitude - whole;
  auto rounded = static_cast<int64_t>(whole);
  if (fraction != 0 && random < static_cast<uint64_t>(ldexp(fraction, randomBits))) {
    if (rounded == highest) return lowest;
    ++rounded;
  }
  return signbit(value) ? -rounded : rounded;
}
