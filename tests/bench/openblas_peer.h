// OpenBLAS as a peer of what can be said with its routines.
#pragma once

#include "tests/bench/peer.h"

namespace hilo {

// row-sums and column-sums as products with a vector of ones, transpose, of an f32 array of this shape. None
// of other work, or where OpenBLAS is not installed.
std::vector<Peer> openblasPeers(std::string_view work, int64_t rows, int64_t columns);

}  // namespace hilo
