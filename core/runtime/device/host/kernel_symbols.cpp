#include "core/runtime/device/host/kernel_symbols.h"

#include <utility>

// A name and its float twin; and the long double one too, for functions of F64 pairs (complex_functions.h).
#define REAL(X, name) X(name) X(name##f)
#define WIDE(X, name) REAL(X, name) X(name##l)
#define SYMBOLS(X)                                                                                           \
  X(memcpy)                                                                                                  \
  X(memset)                                                                                                  \
  X(memmove)                                                                                                 \
  REAL(X, acos) REAL(X, acosh) REAL(X, asin) REAL(X, asinh) WIDE(X, atan2) REAL(X, atanh) REAL(X, cbrt)      \
      REAL(X, ceil) WIDE(X, cos) REAL(X, cosh) REAL(X, erf) WIDE(X, exp) WIDE(X, expm1) REAL(X, floor)       \
          WIDE(X, fma) REAL(X, fmod) WIDE(X, hypot) REAL(X, ldexp) WIDE(X, log) WIDE(X, log1p)               \
              REAL(X, nearbyint) REAL(X, pow) REAL(X, rint) REAL(X, round) REAL(X, roundeven) WIDE(X, sin)   \
                  WIDE(X, sincos) REAL(X, sinh) REAL(X, sqrt) REAL(X, tan) REAL(X, tanh) REAL(X, trunc)      \
                      WIDE(X, cabs) WIDE(X, cacos) WIDE(X, cacosh) WIDE(X, casin) WIDE(X, casinh)            \
                          WIDE(X, catanh) WIDE(X, ccos) WIDE(X, ccosh) WIDE(X, cexp) WIDE(X, clog)           \
                              WIDE(X, cpow) WIDE(X, csin) WIDE(X, csinh) WIDE(X, csqrt) WIDE(X, ctan)        \
                                  WIDE(X, ctanh) X(__muldc3) X(__mulsc3) X(__divdc3) X(__divsc3) X(__mulxc3) \
                                      X(__divxc3)

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
