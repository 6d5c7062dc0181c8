// libtorch as a peer, in a file of its own: its headers take long to compile.
#pragma once

#include "tests/bench/peer.h"

namespace hilo {

// softmax, layer-norm, gelu (with bias and residual), row-sums, column-sums, full-sum or transpose of an f32
// array of this shape.
std::vector<Peer> torchPeers(std::string_view work, int64_t rows, int64_t columns);

}  // namespace hilo
