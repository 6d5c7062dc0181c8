// Private to the room: elements of matrices, in registers and in memory.
#pragma once

#include <cstdint>

#include "core/runtime/device/simulated/sim_abi.h"

namespace hilo {

constexpr uint32_t bitsOf(MatrixType type) { return kMatrixBits[static_cast<uint32_t>(type)]; }
bool isFloat(MatrixType type);
double floatOf(MatrixType type, uint64_t bits);
int64_t integerOf(MatrixType type, uint64_t bits);
// Sums as an element of an accumulator, rounded once.
uint64_t elementBits(MatrixType type, double value);
uint64_t elementBits(MatrixType type, int64_t value, bool saturates);
// Element `i` of those that lie in registers of 32 bits (64 for f64) one after the other.
uint64_t elementAt(const uint64_t* registers, uint32_t i, uint32_t bits);

}  // namespace hilo
