// Read by C++17 too. What the cpu engine's kernels are measured against.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace hilo {

// Values all sides work on; whole numbers from 0 to 1012 where the type has no others.
template <typename T>
void fillForBench(T* values, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t number = i % 1013;
    if constexpr (std::is_integral_v<T>) {
      values[i] = static_cast<T>(number);
    } else {
      values[i] = static_cast<T>(static_cast<double>(number) / 1013 - 0.5);
    }
  }
}

// Another library doing the same work.
struct Peer {
  std::string name;
  std::function<double()> runUs;
};

}  // namespace hilo
