// Numbers from a seed: SplitMix64 (Steele et al., Fast splittable pseudorandom number generators; OOPSLA
// 2014), the same on every platform, unlike the standard library's distributions. The n-th number is a
// function of the seed and n alone, so that pieces of an array are made in any order and at once.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace hilo {

class SeededNumbers {
 public:
  explicit SeededNumbers(uint64_t seed) : state_(seed) {}

  // As if so many had been drawn.
  SeededNumbers after(int64_t drawn) const {
    return SeededNumbers(state_ + static_cast<uint64_t>(drawn) * kStep);
  }

  uint64_t bits() { return mixed(state_ += kStep); }
  int64_t below(int64_t limit) {
    return static_cast<int64_t>(bits() % static_cast<uint64_t>(std::max<int64_t>(limit, 1)));
  }
  // In (0, 1).
  double fraction() { return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52; }
  // Draws two numbers.
  double normal() {
    const double length = std::sqrt(-2 * std::log(fraction()));
    return length * std::cos(2 * std::numbers::pi * fraction());
  }

  // What bits() gives is mixed(state() + kStep), then mixed(state() + 2 * kStep), ...
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15u;
  uint64_t state() const { return state_; }
  [[gnu::always_inline]] static uint64_t mixed(uint64_t state) {
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
    state = (state ^ (state >> 27)) * 0x94d049bb133111ebu;
    return state ^ (state >> 31);
  }

 private:
  uint64_t state_;
};

}  // namespace hilo
