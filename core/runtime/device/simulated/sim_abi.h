// What compiled code and the functions it calls (sim_functions.def) agree on: the numbers of operations, and
// what the bits of their details say.
#pragma once

#include <cstdint>

namespace hilo {

enum class ShuffleMode : uint32_t { Up, Down, Butterfly, Index };
// In the detail of a shuffle beside the mode: that b and c are the same for all lanes, and what they are.
constexpr uint32_t kShuffleConstant = 4;
constexpr uint32_t shuffleDetail(ShuffleMode mode, uint32_t b, uint32_t c) {
  return static_cast<uint32_t>(mode) | kShuffleConstant | (b & 31) << 3 | (c & 0x1f1f) << 8;
}
constexpr uint32_t shuffleB(uint32_t detail) { return (detail >> 3) & 31; }
constexpr uint32_t shuffleC(uint32_t detail) { return (detail >> 8) & 0x1f1f; }
// The lane that `lane` takes its value of; itself where none is in range.
constexpr uint32_t shuffleSource(ShuffleMode mode, uint32_t lane, uint32_t b, uint32_t c, bool& inRange) {
  const uint32_t clamp = c & 31, segment = (c >> 8) & 31;
  const uint32_t lowest = lane & segment, highest = lowest | (clamp & ~segment);
  uint32_t source = lane;
  switch (mode) {
    case ShuffleMode::Up:
      source = lane - b;
      inRange = static_cast<int32_t>(source) >= static_cast<int32_t>(highest);
      break;
    case ShuffleMode::Down:
      source = lane + b;
      inRange = source <= highest;
      break;
    case ShuffleMode::Butterfly:
      source = lane ^ b;
      inRange = source <= highest;
      break;
    case ShuffleMode::Index:
      source = lowest | (b & ~segment);
      inRange = source <= highest;
      break;
  }
  return inRange ? source : lane;
}
enum class VoteMode : uint32_t { All, Any, Uniform, Ballot };
enum class MatchMode : uint32_t { Any, All };
enum class ReduceMode : uint32_t {
  Add,
  MinSigned,
  MaxSigned,
  MinUnsigned,
  MaxUnsigned,
  And,
  Or,
  Xor,
  MinFloat,
  MaxFloat
};
constexpr uint32_t kReduceAbs = 16, kReduceNan = 32;  // with MinFloat and MaxFloat
enum class BarrierMode : uint32_t { Sync, Arrive, And, Or, Count };

// ldmatrix, stmatrix: how many 8 x 8 matrices of 16 bits, and whether they are transposed.
constexpr uint32_t kMatrixCount = 7, kMatrixTransposed = 8;

// mma: shape and element types in `detail`, 4 bits each: A, B, accumulator and result; then rows, columns and
// depth in units of 8 (depth in units of 4).
enum class MatrixType : uint32_t { F16, BF16, TF32, F32, F64, S8, U8, S32, E4M3, E5M2, S4, U4, B1 };
constexpr uint32_t kMatrixBits[] = {16, 16, 32, 32, 64, 8, 8, 32, 8, 8, 4, 4, 1};
// That a lane has of a matrix of so many elements.
constexpr uint32_t matrixRegisters(MatrixType type, uint32_t elements) {
  const uint32_t bits = kMatrixBits[static_cast<uint32_t>(type)], perLane = elements / 32;
  return bits >= 32 ? perLane : perLane * bits < 32 ? 1 : perLane * bits / 32;
}
constexpr uint32_t matrixDetail(MatrixType a, MatrixType b, MatrixType c, MatrixType d, uint32_t m,
                                uint32_t n, uint32_t k, bool saturates) {
  return static_cast<uint32_t>(a) | static_cast<uint32_t>(b) << 4 | static_cast<uint32_t>(c) << 8 |
         static_cast<uint32_t>(d) << 12 | (m / 8) << 16 | (n / 8) << 19 | (k / 4) << 22 |
         (saturates ? 1u << 31 : 0);
}

// Of an access that is checked.
constexpr uint32_t kAccessWrites = 1, kAccessReads = 2, kAccessAtomic = 4, kAccessShared = 8,
                   kAccessLocal = 16;

}  // namespace hilo
