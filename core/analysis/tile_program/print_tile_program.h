// Tile programs as text, for people and golden files:
//
//   program of 8 x 4 tiles: d0 in [0, 127] by 16, d1 in [0, 63] by 16
//     %0 = for s0 in [0, 255] by 32: sum f32[16,16] of dot.1
//       %1 = load bf16[16,32] %p0 at (d0, s0)
//       ...
//       dot %1, %2
//     store %0 as result 0 at (d0, d1)
#pragma once

#include <string>

#include "core/analysis/tile_program/tile_program.h"

namespace hilo {

std::string toString(const TiledFusion& fusion);

}  // namespace hilo
