#include "core/runtime/device/host/kernel_symbols.h"

#include <utility>

// A name and its twins for float and long double.
#define REAL(X, name) X(name) X(name##f) X(name##l)
// A list, which clang-format 22 writes another way each time.
// clang-format off
#define SYMBOLS(X)                                                                                     \
  X(memcpy) X(memset) X(memmove)                                                                       \
  REAL(X, acos) REAL(X, acosh) REAL(X, asin) REAL(X, asinh) REAL(X, atan2)                             \
  REAL(X, atanh) REAL(X, cbrt) REAL(X, ceil) REAL(X, cos) REAL(X, cosh) REAL(X, erf) REAL(X, exp)      \
  REAL(X, exp2) REAL(X, exp10) REAL(X, expm1) REAL(X, floor) REAL(X, fma) REAL(X, fmod)                \
  REAL(X, hypot) REAL(X, ldexp) REAL(X, log) REAL(X, log1p) REAL(X, log2) REAL(X, log10)               \
  REAL(X, nearbyint) REAL(X, pow) REAL(X, rint) REAL(X, round) REAL(X, roundeven) REAL(X, sin)         \
  REAL(X, sincos) REAL(X, sinh) REAL(X, sqrt) REAL(X, tan) REAL(X, tanh) REAL(X, trunc)                \
  REAL(X, cabs) REAL(X, cacos) REAL(X, cacosh) REAL(X, casin) REAL(X, casinh) REAL(X, catanh)          \
  REAL(X, ccos) REAL(X, ccosh) REAL(X, cexp) REAL(X, clog) REAL(X, cpow) REAL(X, csin)                 \
  REAL(X, csinh) REAL(X, csqrt) REAL(X, ctan) REAL(X, ctanh)                                           \
  X(__muldc3) X(__mulsc3) X(__mulxc3) X(__divdc3) X(__divsc3) X(__divxc3)
// clang-format on

// Only the addresses matter here, so each is declared anew by its assembler name.
#define DECLARE(name) extern "C" void hilo_symbol_##name() asm(#name);
SYMBOLS(DECLARE)
#undef DECLARE

namespace hilo {

void* kernelSymbol(std::string_view name) {
#define ENTRY(symbol) {#symbol, reinterpret_cast<void*>(&hilo_symbol_##symbol)},
  static const std::pair<std::string_view, void*> kSymbols[] = {SYMBOLS(ENTRY)};
#undef ENTRY
  for (const auto& [known, address] : kSymbols) {
    if (known == name) return address;
  }
  return nullptr;
}

}  // namespace hilo
