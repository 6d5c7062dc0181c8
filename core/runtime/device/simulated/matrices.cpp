// Products of matrices whose elements lie spread over the lanes of a warp. Source: PTX ISA 9.0, "Matrix
// Fragments for mma", and ldmatrix.
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/runtime/device/simulated/access_check.h"
#include "core/runtime/device/simulated/sim_abi.h"
#include "core/runtime/device/simulated/tile_types.h"
#include "core/runtime/device/simulated/warp_functions.h"

namespace hilo {
namespace {

constexpr uint32_t kRowBytes = 16;  // of an 8 x 8 matrix
constexpr uint32_t kMostRegisters = 32;

struct Place {
  uint32_t row, column;
};

struct Product {
  MatrixType a, b, c, d;
  uint32_t m, n, k;
  bool saturates;
};
Product productOf(uint32_t detail) {
  return {static_cast<MatrixType>(detail & 15),
          static_cast<MatrixType>((detail >> 4) & 15),
          static_cast<MatrixType>((detail >> 8) & 15),
          static_cast<MatrixType>((detail >> 12) & 15),
          ((detail >> 16) & 7) * 8,
          ((detail >> 19) & 7) * 8,
          ((detail >> 22) & 127) * 4,
          (detail >> 31) != 0};
}

// Where element i of a lane lies. A and B of all shapes are made of pieces of 8 rows (columns) by 4 groups of
// neighbours that fill 32 bits; pieces go down the rows first, then along the depth.
Place placeInA(const Product& p, uint32_t lane, uint32_t i) {
  const uint32_t group = std::max(1u, 32 / bitsOf(p.a));  // neighbours in a register
  const uint32_t piece = i / group, pieceRows = p.m / 8;
  return {lane / 4 + 8 * (piece % pieceRows), lane % 4 * group + i % group + 4 * group * (piece / pieceRows)};
}
Place placeInB(const Product& p, uint32_t lane, uint32_t i) {
  const uint32_t group = std::max(1u, 32 / bitsOf(p.b));
  return {lane % 4 * group + i % group + 4 * group * (i / group), lane / 4};
}
Place placeInC(const Product&, uint32_t lane, uint32_t i) {
  return {lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2};
}

// Sums of products in double, rounded once to the accumulator: devices differ by more among themselves.
template <typename T, typename Read>
void multiply(const Product& p, const WarpCall& call, uint32_t atB, uint32_t atC, std::vector<T>& sums,
              Read read) {
  std::vector<T> a(size_t{p.m} * p.k), b(size_t{p.k} * p.n);
  sums.resize(size_t{p.m} * p.n);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!call.has(lane)) continue;
    uint64_t record[kMostRegisters];
    for (uint32_t i = 0; i < atC + matrixRegisters(p.c, p.m * p.n); ++i) record[i] = call.at(lane, i);
    for (uint32_t i = 0; i < p.m * p.k / 32; ++i) {
      const Place at = placeInA(p, lane, i);
      a[size_t{at.row} * p.k + at.column] = read(p.a, elementAt(record, i, bitsOf(p.a)));
    }
    for (uint32_t i = 0; i < p.k * p.n / 32; ++i) {
      const Place at = placeInB(p, lane, i);
      b[size_t{at.row} * p.n + at.column] = read(p.b, elementAt(record + atB, i, bitsOf(p.b)));
    }
    for (uint32_t i = 0; i < p.m * p.n / 32; ++i) {
      const Place at = placeInC(p, lane, i);
      sums[size_t{at.row} * p.n + at.column] = read(p.c, elementAt(record + atC, i, bitsOf(p.c)));
    }
  }
  for (uint32_t row = 0; row < p.m; ++row) {
    for (uint32_t k = 0; k < p.k; ++k) {
      const T left = a[size_t{row} * p.k + k];
      for (uint32_t column = 0; column < p.n; ++column)
        sums[size_t{row} * p.n + column] += left * b[size_t{k} * p.n + column];
    }
  }
}

uint64_t resultBits(const Product& p, double value) { return elementBits(p.d, value); }
uint64_t resultBits(const Product& p, int64_t value) { return elementBits(p.d, value, p.saturates); }

template <typename T>
void spread(const Product& p, const WarpCall& call, const std::vector<T>& sums) {
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!call.has(lane)) continue;
    for (uint32_t i = 0; i < matrixRegisters(p.d, p.m * p.n); ++i) call.at(lane, i) = 0;
    for (uint32_t i = 0; i < p.m * p.n / 32; ++i) {
      const Place at = placeInC(p, lane, i);
      const uint64_t bits = resultBits(p, sums[size_t{at.row} * p.n + at.column]);
      if (bitsOf(p.d) >= 32) {
        call.at(lane, i) = bits;
      } else {
        call.at(lane, i / 2) |= bits << (16 * (i % 2));
      }
    }
  }
}

Lane& laneOf(const WarpCall& call, uint32_t lane) { return call.warp->block->lanes[call.warp->first + lane]; }

void tellRow(const WarpCall& call, uint32_t lane, uint64_t address, uint32_t kind) {
  Lane& owner = laneOf(call, lane);
  auto* row = reinterpret_cast<std::byte*>(address);
  const SimulatedAccess access{call.line, kRowBytes, kind};
  if (AccessCheck* check = owner.grid->check()) check->access(owner, row, access);
  owner.grid->count(owner, row, access);
}

}  // namespace

// In: the registers of A, B and C, one after the other. Out: those of D.
void multiplyMatrices(WarpCall& call) {
  const Product p = productOf(call.detail);
  const uint32_t atB = matrixRegisters(p.a, p.m * p.k), atC = atB + matrixRegisters(p.b, p.k * p.n);
  if (isFloat(p.a)) {
    std::vector<double> sums;
    multiply(p, call, atB, atC, sums, floatOf);
    spread(p, call, sums);
  } else {
    std::vector<int64_t> sums;
    multiply(p, call, atB, atC, sums, integerOf);
    spread(p, call, sums);
  }
}

// In: the address of a row, of lane 8 i + r row r of matrix i. Out: one register a matrix: row lane / 4,
// elements lane % 4 * 2 and the next; transposed: of column lane / 4.
void loadMatrix(WarpCall& call) {
  const uint32_t count = call.detail & kMatrixCount;
  uint16_t rows[4][8][8] = {};
  for (uint32_t lane = 0; lane < count * 8; ++lane) {
    if (!call.has(lane)) continue;
    tellRow(call, lane, call.at(lane, 0), kAccessReads);
    std::memcpy(rows[lane / 8][lane % 8], reinterpret_cast<const void*>(call.at(lane, 0)), kRowBytes);
  }
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!call.has(lane)) continue;
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t row = lane / 4, column = lane % 4 * 2;
      const bool turned = (call.detail & kMatrixTransposed) != 0;
      const uint32_t low = turned ? rows[i][column][row] : rows[i][row][column];
      const uint32_t high = turned ? rows[i][column + 1][row] : rows[i][row][column + 1];
      call.at(lane, i) = low | high << 16;
    }
  }
}

// In: the address as of loadMatrix, then one register a matrix.
void storeMatrix(WarpCall& call) {
  const uint32_t count = call.detail & kMatrixCount;
  uint16_t rows[4][8][8] = {};
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!call.has(lane)) continue;
    for (uint32_t i = 0; i < count; ++i) {
      const auto bits = static_cast<uint32_t>(call.at(lane, 1 + i));
      const uint32_t row = lane / 4, column = lane % 4 * 2;
      const bool turned = (call.detail & kMatrixTransposed) != 0;
      (turned ? rows[i][column][row] : rows[i][row][column]) = static_cast<uint16_t>(bits);
      (turned ? rows[i][column + 1][row] : rows[i][row][column + 1]) = static_cast<uint16_t>(bits >> 16);
    }
  }
  for (uint32_t lane = 0; lane < count * 8; ++lane) {
    if (!call.has(lane)) continue;
    tellRow(call, lane, call.at(lane, 0), kAccessWrites);
    std::memcpy(reinterpret_cast<void*>(call.at(lane, 0)), rows[lane / 8][lane % 8], kRowBytes);
  }
}

// movmatrix: an 8 x 8 matrix as it lies in registers, transposed.
void moveMatrix(WarpCall& call) {
  uint16_t rows[8][8] = {};
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!call.has(lane)) continue;
    rows[lane / 4][lane % 4 * 2] = static_cast<uint16_t>(call.at(lane, 0));
    rows[lane / 4][lane % 4 * 2 + 1] = static_cast<uint16_t>(call.at(lane, 0) >> 16);
  }
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!call.has(lane)) continue;
    const uint32_t row = lane / 4, column = lane % 4 * 2;
    call.at(lane, 0) = rows[column][row] | static_cast<uint32_t>(rows[column + 1][row]) << 16;
  }
}

}  // namespace hilo
