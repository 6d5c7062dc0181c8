// What one group of threads knows to have happened: of every row of events (its own, another group's, the
// copies told to a slot) how many. An access may come after another exactly where the first is known to
// whoever does the second.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hilo {

class KernelClock {
 public:
  explicit KernelClock(size_t rows = 0) : counts_(rows) {}
  uint32_t operator[](size_t row) const { return counts_[row]; }
  uint32_t tick(size_t row) { return ++counts_[row]; }
  void learn(size_t row, uint32_t count) { counts_[row] = std::max(counts_[row], count); }
  void learn(const KernelClock& other) {
    for (size_t row = 0; row < counts_.size(); ++row) learn(row, other.counts_[row]);
  }

 private:
  std::vector<uint32_t> counts_;
};

}  // namespace hilo
