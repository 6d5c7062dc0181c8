// wgmma: products of a warp group, whose matrices lie in shared memory as descriptors say. Each of the four
// warps computes its 16 rows. Source: PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix Instructions"; the
// strides of layouts as cute's mma_sm90_desc.hpp has them.
#include <cstring>
#include <vector>

#include "core/runtime/device/simulated/access_check.h"
#include "core/runtime/device/simulated/tile_types.h"
#include "core/runtime/device/simulated/warp_functions.h"

namespace hilo {
namespace {

constexpr uint32_t kWarpRows = 16, kPiece = 16;  // rows of a warp; bytes that always lie together

// A matrix in shared memory: rows of A, or columns of B, by depth.
struct Described {
  uint32_t start, leading, stride, swizzleBytes;
  bool isTurned;  // rows lie together, not the depth

  explicit Described(uint64_t bits, bool turned)
      : start(static_cast<uint32_t>(bits & 0x3fff) * 16),
        leading(static_cast<uint32_t>(bits >> 16 & 0x3fff) * 16),
        stride(static_cast<uint32_t>(bits >> 32 & 0x3fff) * 16),
        swizzleBytes(bits >> 62 == 1   ? 128
                     : bits >> 62 == 2 ? 64
                     : bits >> 62 == 3 ? 32
                                       : 0),
        isTurned(turned) {}

  // Of a byte in the block's window.
  uint32_t place(uint32_t row, uint32_t depth, uint32_t elementBytes) const {
    const uint32_t along = (isTurned ? row : depth) * elementBytes, across = isTurned ? depth : row;
    uint32_t at = start + across % 8 * (swizzleBytes != 0 ? swizzleBytes : kPiece);
    if (swizzleBytes == 0) {
      const uint32_t step = isTurned ? stride : leading, group = isTurned ? leading : stride;
      return at + along % kPiece + along / kPiece * step + across / 8 * group;
    }
    at += along % swizzleBytes + along / swizzleBytes * leading + across / 8 * stride;
    // 16-byte pieces change places by the number of their row of 128 bytes.
    return at ^ ((at >> 3) & (swizzleBytes - 16));
  }
};

struct Job {
  WarpCall& call;
  WarpgroupProduct p;
  uint32_t depth;
  Lane& first;

  // A row of A or a column of B.
  template <typename T, typename Read>
  void read(const Described& from, MatrixType type, uint32_t row, Read convert, T* values) const {
    const uint32_t bytes = bitsOf(type) / 8;
    for (uint32_t k = 0; k < depth; ++k) {
      std::byte* at = first.shared + from.place(row, k, bytes);
      const bool isPiece = from.isTurned ? row * bytes % kPiece == 0 : k * bytes % kPiece == 0;
      if (AccessCheck* check = first.grid->check(); check != nullptr && isPiece)
        check->access(call.warp->lane(row % kSimLanes), at,
                      {call.line, kPiece, kAccessReads | kAccessShared});
      uint64_t bits = 0;
      std::memcpy(&bits, at, bytes);
      values[k] = static_cast<T>(convert(type, bits));
    }
  }

  bool isInside(const Described& from, uint32_t rows, MatrixType type) const {
    const uint32_t bytes = bitsOf(type) / 8;
    uint32_t most = 0;
    for (uint32_t row = 0; row < rows; ++row) {
      for (uint32_t k = 0; k < depth; ++k) most = std::max(most, from.place(row, k, bytes) + bytes);
    }
    return most <= first.block->shared.size() - 128;
  }

  template <typename T, typename Read>
  void run(Read convert) {
    const uint32_t n = p.columns, atA = p.registers(), atB = atA + (p.isAInRegisters ? 4 : 1);
    const Described a(call.at(0, atA), p.turnsA), b(call.at(0, atB), p.turnsB);
    if (!isInside(b, n, p.b) || (!p.isAInRegisters && !isInside(a, 64, p.a)))
      return first.grid->failAt(first, call.line, "out-of-bounds",
                                "it reads a matrix that its descriptor puts behind shared memory");
    std::vector<T> left(size_t{kWarpRows} * depth), right(size_t{n} * depth);
    if (p.isAInRegisters)
      readRegisters(atA, convert, left);
    else
      for (uint32_t row = 0; row < kWarpRows; ++row)
        read(a, p.a, first.warpid % 4 * kWarpRows + row, convert, left.data() + size_t{row} * depth);
    for (uint32_t column = 0; column < n; ++column)
      read(b, p.b, column, convert, right.data() + size_t{column} * depth);
    const bool isNegative = p.negatesA != p.negatesB, adds = call.at(0, atB + 1) != 0;
    for (uint32_t lane = 0; lane < kSimLanes; ++lane) {
      for (uint32_t i = 0; i < kWarpRows * n / kSimLanes; ++i) {
        const uint32_t row = lane / 4 + 8 * (i / 2 % 2), column = i / 4 * 8 + lane % 4 * 2 + i % 2;
        T sum = 0;
        for (uint32_t k = 0; k < depth; ++k)
          sum += left[size_t{row} * depth + k] * right[size_t{column} * depth + k];
        put(lane, i, (isNegative ? -sum : sum) + (adds ? static_cast<T>(convert(p.d, get(lane, i))) : T{0}));
      }
    }
  }

  // As A of mma.m16n8kK lies.
  template <typename T, typename Read>
  void readRegisters(uint32_t atA, Read convert, std::vector<T>& left) const {
    const uint32_t perRegister = 32 / bitsOf(p.a);
    for (uint32_t lane = 0; lane < kSimLanes; ++lane) {
      for (uint32_t i = 0; i < 4 * perRegister; ++i) {
        const uint32_t part = i / perRegister, row = lane / 4 + 8 * (part % 2);
        const uint32_t k = lane % 4 * perRegister + i % perRegister + 4 * perRegister * (part / 2);
        const uint64_t bits = call.at(lane, atA + part) >> (i % perRegister * bitsOf(p.a));
        const uint64_t mask = bitsOf(p.a) == 32 ? 0xffffffff : (1u << bitsOf(p.a)) - 1;
        left[size_t{row} * depth + k] = static_cast<T>(convert(p.a, bits & mask));
      }
    }
  }

  uint64_t get(uint32_t lane, uint32_t i) const {
    if (bitsOf(p.d) == 32) return call.at(lane, i);
    return call.at(lane, i / 2) >> (i % 2 * 16) & 0xffff;
  }
  void put(uint32_t lane, uint32_t i, double value) const { putBits(lane, i, elementBits(p.d, value)); }
  void put(uint32_t lane, uint32_t i, int64_t value) const {
    putBits(lane, i, elementBits(p.d, value, p.saturates));
  }
  void putBits(uint32_t lane, uint32_t i, uint64_t bits) const {
    if (bitsOf(p.d) == 32) {
      call.at(lane, i) = bits;
      return;
    }
    uint64_t& pair = call.at(lane, i / 2);
    const uint32_t shift = i % 2 * 16;
    pair = (pair & ~(uint64_t{0xffff} << shift)) | bits << shift;
  }
};

}  // namespace

// In: the accumulator's registers, those of A or its descriptor, the descriptor of B, whether to add. Out:
// the accumulator's. All at once: whoever does not wait for the product has it all the same.
void multiplyWarpgroup(WarpCall& call) {
  const WarpgroupProduct p = warpgroupProduct(call.detail);
  Job job{call, p, 256 / bitsOf(p.a), call.warp->lane(0)};
  isFloat(p.a) ? job.run<double>(floatOf) : job.run<int64_t>(integerOf);
}

}  // namespace hilo
