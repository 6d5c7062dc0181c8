// The order in which a launch goes through the independent tiles: which tile program number n computes. Each
// order is a bijection. Source: xla/codegen/tiling/tiled_hlo_schedule.h, and Triton's grouped order.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace hilo {

enum class LaunchOrder : uint8_t {
  kRowMajor,    // the last dimension fastest
  kTransposed,  // the last but one fastest: as XLA orders a dot whose right side is the larger
  kGrouped,  // `group` rows of tiles of the last but one dimension at a time: both sides of a dot stay in L2
};

// The tile in each dimension of program `number`; `counts` are the tiles of each dimension. Orders other than
// row-major touch the last two dimensions alone, and are row-major where there are fewer.
std::vector<int64_t> tileAt(LaunchOrder order, std::span<const int64_t> counts, int64_t number,
                            int64_t group = 8);

// The number of the program that computes the tile: tileAt the other way round.
int64_t programOf(LaunchOrder order, std::span<const int64_t> counts, std::span<const int64_t> tile,
                  int64_t group = 8);

}  // namespace hilo
