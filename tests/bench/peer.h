// Read by C++17 too. What the cpu engine's kernels are measured against.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hilo {

// Values all sides work on.
inline void fillForBench(float* values, int64_t count) {
  for (int64_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 1013) / 1013.0F - 0.5F;
}

// Another library doing the same work.
struct Peer {
  std::string name;
  std::function<double()> runUs;
};

}  // namespace hilo
