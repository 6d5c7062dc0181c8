// The work of `bench_cpu_kernels`, as HLO and as other libraries do it. In C++17, as libtorch is.
#pragma once

#include "tests/bench/peer.h"

namespace hilo {

// One piece of work. `sizes` are those of its first operand; all arrays are dense and of one type.
struct KernelWork {
  std::string_view name;
  std::vector<int64_t> sizes;
  bool isBf16 = false;
};

// The entry computation's instructions. CHECKs that it knows the work.
std::string entryOf(const KernelWork& work);

// None of work the library has nothing for, or not of this type. OpenBLAS sums by a product with ones.
std::vector<Peer> oneDnnPeers(const KernelWork& work);
std::vector<Peer> openBlasPeers(const KernelWork& work);
std::vector<Peer> torchPeers(const KernelWork& work);

}  // namespace hilo
