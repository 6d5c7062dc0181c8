// What memory allows a piece of work: its operands read and its result written, and nothing computed.
#pragma once

#include <cstdint>
#include <span>

namespace hilo {

// The shortest time in microseconds in which as many bytes are read and written by plain loops over whole
// lines, on all threads or on one, written through the caches or past them; memory and threads are as warm as
// `compare` has them. Of the operands those count that are as large as the largest one, of which there may be
// two; a result that is smaller than those is not written.
double memoryAloneUs(std::span<const int64_t> operandBytes, int64_t resultBytes);

}  // namespace hilo
