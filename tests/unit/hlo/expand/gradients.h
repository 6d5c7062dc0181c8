// For tests of operations that go backward: gradients computed by differences, and operands as text.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

namespace hilo {

// The gradient at each number, by central differences in f64.
inline std::vector<double> differences(const std::function<double(const std::vector<double>&)>& loss,
                                       std::vector<double> at) {
  constexpr double kStep = 1e-4;
  std::vector<double> slopes;
  for (double& number : at) {
    const double before = number;
    number = before + kStep;
    const double above = loss(at);
    number = before - kStep;
    const double below = loss(at);
    number = before;
    slopes.push_back((above - below) / (2 * kStep));
  }
  return slopes;
}

// An f32 array as literalOf (eval_text.h) takes it.
inline std::string arrayText(const std::vector<size_t>& sizes, const std::vector<double>& values) {
  size_t next = 0;
  const auto braced = [&](auto&& self, size_t d) -> std::string {
    if (d == sizes.size()) return fmt::format("{}", values[next++]);
    std::vector<std::string> parts;
    for (size_t i = 0; i < sizes[d]; ++i) parts.push_back(self(self, d + 1));
    return fmt::format("{{{}}}", fmt::join(parts, ","));
  };
  return fmt::format("f32[{}] {}", fmt::join(sizes, ","), braced(braced, 0));
}

}  // namespace hilo
