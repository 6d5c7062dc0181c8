// What reduce-precision does to one f32 or f64: rounds to fewer exponent and mantissa bits and keeps the
// type. Denormals of the narrower exponent are flushed, not rounded, as on XLA's devices. One definition, for
// the evaluator and for compiled kernels.
#pragma once

#include "core/base/float_formats.h"

namespace hilo {

template <typename T>
T reducePrecision(T x, int exponentBits, int mantissaBits) {
  using Traits = FloatTraits<T>;
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

}  // namespace hilo
