// Private to the room: arithmetic that compiled code has no instruction for: roundings other than to nearest,
// and the narrow floats. Values are bits.
#pragma once

#include <cstdint>

namespace hilo {

enum class FloatOp : uint32_t { Add, Mul, Fma, Div, Rcp, Sqrt, ToF32, ToF64, FromSigned, FromUnsigned };
enum class FloatRounding : uint32_t { Nearest, Zero, Down, Up };

// `operation`: FloatOp | FloatRounding << 8 | (the result is f64) << 16. ToF32 is of an f64 in a.
uint64_t simArith(uint32_t operation, uint64_t a, uint64_t b, uint64_t c);

enum class NarrowFormat : uint32_t { F16, BF16, E4M3, E5M2, E2M1, E2M3, E3M2, UE8M0, TF32 };
constexpr uint32_t kNarrowRelu = 256, kNarrowSatfinite = 512, kNarrowZero = 1024, kNarrowUp = 2048,
                   kNarrowAway = 4096;

// Bits of an f32 as those of the format, to nearest even or as the flags say.
uint32_t simNarrow(uint32_t format, uint32_t bits);
// And back.
uint32_t simWiden(uint32_t format, uint32_t bits);

}  // namespace hilo
