#include "core/analysis/diff/sequence_alignment.h"

#include <algorithm>

namespace hilo {

std::vector<std::pair<uint32_t, uint32_t>> alignSequences(
    uint32_t first, uint32_t second, uint32_t best,
    const std::function<uint32_t(uint32_t, uint32_t)>& score) {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  uint32_t start = 0;
  while (start < std::min(first, second) && score(start, start) == best) {
    pairs.emplace_back(start, start);
    ++start;
  }
  uint32_t tail = 0;
  while (tail < std::min(first, second) - start && score(first - 1 - tail, second - 1 - tail) == best) ++tail;
  const size_t rows = first - start - tail, columns = second - start - tail;
  constexpr size_t kMaxCells = 4'000'000;
  if (rows * columns > kMaxCells) {
    for (uint32_t n = start; n < std::min(first, second) - tail; ++n) {
      if (score(n, n) != 0) pairs.emplace_back(n, n);
    }
  } else {
    // most[i][j]: the most of entries i.. and j.. of what is left.
    std::vector<uint32_t> most((rows + 1) * (columns + 1), 0);
    const auto at = [&](size_t i, size_t j) -> uint32_t& { return most[i * (columns + 1) + j]; };
    const auto scoreOf = [&](size_t i, size_t j) {
      return score(start + static_cast<uint32_t>(i), start + static_cast<uint32_t>(j));
    };
    for (size_t i = rows; i-- > 0;) {
      for (size_t j = columns; j-- > 0;) {
        const uint32_t here = scoreOf(i, j);
        at(i, j) = std::max({at(i + 1, j), at(i, j + 1), here == 0 ? 0 : here + at(i + 1, j + 1)});
      }
    }
    for (size_t i = 0, j = 0; i < rows && j < columns;) {
      const uint32_t here = scoreOf(i, j);
      if (here != 0 && at(i, j) == here + at(i + 1, j + 1)) {
        pairs.emplace_back(start + i++, start + j++);
      } else if (at(i, j) == at(i + 1, j)) {
        ++i;
      } else {
        ++j;
      }
    }
  }
  for (uint32_t n = tail; n > 0; --n) pairs.emplace_back(first - n, second - n);
  return pairs;
}

}  // namespace hilo
