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

// wgmma: a product of 64 rows, `columns` columns, and 32 bytes of depth.
struct WarpgroupProduct {
  MatrixType a, b, d;
  uint32_t columns;
  bool isAInRegisters, turnsA, turnsB, negatesA, negatesB, saturates;

  uint32_t registers() const { return columns / (d == MatrixType::F16 ? 4 : 2); }  // of D
  uint32_t detail() const {
    return static_cast<uint32_t>(a) | static_cast<uint32_t>(b) << 4 | static_cast<uint32_t>(d) << 8 |
           columns / 8 << 12 | uint32_t{isAInRegisters} << 18 | uint32_t{turnsA} << 19 |
           uint32_t{turnsB} << 20 | uint32_t{negatesA} << 21 | uint32_t{negatesB} << 22 |
           uint32_t{saturates} << 23;
  }
};
constexpr WarpgroupProduct warpgroupProduct(uint32_t detail) {
  const auto type = [&](int shift) { return static_cast<MatrixType>(detail >> shift & 15); };
  const auto bit = [&](int shift) { return (detail >> shift & 1) != 0; };
  return {type(0), type(4), type(8), (detail >> 12 & 63) * 8, bit(18), bit(19), bit(20),
          bit(21), bit(22), bit(23)};
}

// wmma.load and wmma.store.
struct WarpTile {
  MatrixType type;
  uint32_t rows, columns;  // at most 32
  bool isByColumns;        // in memory

  uint32_t detail() const {
    return static_cast<uint32_t>(type) | rows << 4 | columns << 10 | uint32_t{isByColumns} << 16;
  }
};
constexpr WarpTile tileOf(uint32_t detail) {
  return {static_cast<MatrixType>(detail & 15), detail >> 4 & 63, detail >> 10 & 63, (detail >> 16 & 1) != 0};
}
// wmma.mma: A and B have the same type.
struct TileProduct {
  MatrixType a, c, d;
  uint32_t m, n, k, registersA, registersB;
  bool saturates;

  uint32_t detail() const {
    return static_cast<uint32_t>(a) | static_cast<uint32_t>(c) << 4 | static_cast<uint32_t>(d) << 8 |
           m / 4 << 12 | n / 4 << 16 | k / 4 << 20 | registersA << 23 | registersB << 27 |
           uint32_t{saturates} << 31;
  }
};
constexpr TileProduct tileProduct(uint32_t detail) {
  const auto type = [&](int shift) { return static_cast<MatrixType>(detail >> shift & 15); };
  return {type(0),
          type(4),
          type(8),
          (detail >> 12 & 15) * 4,
          (detail >> 16 & 15) * 4,
          (detail >> 20 & 7) * 4,
          detail >> 23 & 15,
          detail >> 27 & 15,
          detail >> 31 != 0};
}

// Of an access that is checked.
constexpr uint32_t kAccessWrites = 1, kAccessReads = 2, kAccessAtomic = 4, kAccessShared = 8,
                   kAccessLocal = 16;

}  // namespace hilo
