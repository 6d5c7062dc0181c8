// Work that models do between their products, as libtorch does it (model_parts_torch.cpp, in C++17 and in a
// file of its own that the build takes where the library is).
#pragma once

#include "tests/bench/peer.h"

namespace hilo {

// How the arrays of a part lie and what they hold; `sizes` is of its first operand.
struct ModelPart {
  std::string_view name;
  std::vector<int64_t> sizes;
  bool isBf16 = false;
};

// None for a part libtorch has no operation for.
std::vector<Peer> torchModelPart(const ModelPart& part);

}  // namespace hilo
