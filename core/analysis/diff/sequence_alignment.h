// Which entries of one list are which of another when both keep their order.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace hilo {

// Pairs (first, second), growing on both sides, whose scores sum to the most there can be. `score` is 0 for
// two entries that are no pair and at most `best` for two that are. Ends that pair with `best` are taken
// without a look; what is left may cost size x size steps, and beyond 4 million of these entries are paired
// in place, first with first.
std::vector<std::pair<uint32_t, uint32_t>> alignSequences(
    uint32_t first, uint32_t second, uint32_t best, const std::function<uint32_t(uint32_t, uint32_t)>& score);

}  // namespace hilo
