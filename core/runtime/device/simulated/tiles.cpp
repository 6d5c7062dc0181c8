// wmma: tiles of matrices in registers, in an order that PTX leaves open. Here each lane has the elements
// that follow each other by rows, beginning with its share. Source: PTX ISA 9.0, "Warp Level
// Matrix Instructions", of wmma.
#include <cstring>
#include <vector>

#include "core/runtime/device/simulated/access_check.h"
#include "core/runtime/device/simulated/tile_types.h"
#include "core/runtime/device/simulated/warp_functions.h"

namespace hilo {
namespace {

constexpr uint32_t elementsOf(const WarpTile& tile) { return tile.rows * tile.columns / kSimLanes; }

uint64_t get(const WarpCall& call, uint32_t at, MatrixType type, uint32_t lane, uint32_t i) {
  const uint32_t bits = bitsOf(type);
  if (bits >= 32) return call.at(lane, at + i);
  const uint32_t perRegister = 32 / bits;
  return call.at(lane, at + i / perRegister) >> (i % perRegister * bits) & ((1u << bits) - 1);
}
void put(const WarpCall& call, MatrixType type, uint32_t lane, uint32_t i, uint64_t value) {
  const uint32_t bits = bitsOf(type), perRegister = bits >= 32 ? 1 : 32 / bits,
                 shift = i % perRegister * bits;
  uint64_t& word = call.at(lane, i / perRegister);
  word = (shift == 0 ? 0 : word) | value << shift;
}

// Where element `i` of a lane lies: the address is the same in all lanes.
std::byte* addressOf(const WarpCall& call, const WarpTile& tile, uint32_t lane, uint32_t i, uint32_t kind) {
  const uint32_t at = lane * elementsOf(tile) + i, row = at / tile.columns, column = at % tile.columns;
  const uint64_t place = tile.isByColumns ? column * call.at(lane, 1) + row : row * call.at(lane, 1) + column;
  const uint32_t bytes = bitsOf(tile.type) / 8;
  auto* address = reinterpret_cast<std::byte*>(call.at(lane, 0) + place * bytes);
  Lane& owner = call.warp->lane(lane);
  if (AccessCheck* check = owner.grid->check()) check->access(owner, address, {call.line, bytes, kind});
  return address;
}

template <typename T, typename Read>
std::vector<T> matrixOf(const WarpCall& call, uint32_t at, const WarpTile& tile, Read convert) {
  std::vector<T> values(size_t{tile.rows} * tile.columns);
  for (uint32_t lane = 0; lane < kSimLanes; ++lane) {
    for (uint32_t i = 0; i < elementsOf(tile); ++i)
      values[lane * elementsOf(tile) + i] =
          static_cast<T>(convert(tile.type, get(call, at, tile.type, lane, i)));
  }
  return values;
}

uint64_t rounded(const TileProduct& p, double value) { return elementBits(p.d, value); }
uint64_t rounded(const TileProduct& p, int64_t value) { return elementBits(p.d, value, p.saturates); }

template <typename T, typename Read>
void multiply(WarpCall& call, const TileProduct& p, Read convert) {
  const WarpTile c{p.c, p.m, p.n, false};
  const uint32_t atB = p.registersA, atC = atB + p.registersB;
  const auto a = matrixOf<T>(call, 0, {p.a, p.m, p.k, false}, convert);
  const auto b = matrixOf<T>(call, atB, {p.a, p.k, p.n, false}, convert);
  auto sums = matrixOf<T>(call, atC, c, convert);
  for (uint32_t row = 0; row < p.m; ++row) {
    for (uint32_t k = 0; k < p.k; ++k) {
      for (uint32_t column = 0; column < p.n; ++column)
        sums[size_t{row} * p.n + column] += a[size_t{row} * p.k + k] * b[size_t{k} * p.n + column];
    }
  }
  for (uint32_t lane = 0; lane < kSimLanes; ++lane) {
    for (uint32_t i = 0; i < elementsOf(c); ++i)
      put(call, p.d, lane, i, rounded(p, sums[lane * elementsOf(c) + i]));
  }
}

}  // namespace

// In: the address of the first element, and how many elements apart rows (columns) are. Out: registers.
void loadTile(WarpCall& call) {
  const WarpTile tile = tileOf(call.detail);
  for (uint32_t lane = 0; lane < kSimLanes; ++lane) {
    uint64_t values[kSimLanes] = {};
    for (uint32_t i = 0; i < elementsOf(tile); ++i)
      std::memcpy(&values[i], addressOf(call, tile, lane, i, kAccessReads), bitsOf(tile.type) / 8);
    for (uint32_t i = 0; i < elementsOf(tile); ++i) put(call, tile.type, lane, i, values[i]);
  }
}

// In: as of loadTile, then registers.
void storeTile(WarpCall& call) {
  const WarpTile tile = tileOf(call.detail);
  for (uint32_t lane = 0; lane < kSimLanes; ++lane) {
    for (uint32_t i = 0; i < elementsOf(tile); ++i) {
      const uint64_t value = get(call, 2, tile.type, lane, i);
      std::memcpy(addressOf(call, tile, lane, i, kAccessWrites), &value, bitsOf(tile.type) / 8);
    }
  }
}

// In: the registers of A, B and C. Out: those of D.
void multiplyTiles(WarpCall& call) {
  const TileProduct p = tileProduct(call.detail);
  isFloat(p.a) ? multiply<double>(call, p, floatOf) : multiply<int64_t>(call, p, integerOf);
}

}  // namespace hilo
