// Register layouts as text, in three forms that are all read: the attribute of the mosaic_gpu dialect
// (jaxlib/mosaic/dialect/gpu/mosaic_gpu.td), the line that JAX's print_layout writes, and a family's name.
//
//     #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2],
//     vector_dim = -1> #mosaic_gpu.WGStridedFragLayout<array<i64: 64, 64>, 4>
//     TiledLayout(tiling=Tiling(tiles=((8,), (2,))), warp_dims=(Replicated(times=4),), ...)
//     WGMMA, TCGEN05_ROW, TMEM_DEFAULT(packing=2)
#pragma once

#include <string>
#include <string_view>

#include "core/analysis/kernel_layouts/register_layout.h"
#include "core/base/result.h"

namespace hilo {

// "kernel-layout-text" with the column of what is not expected; the errors of checkLayout.
Result<RegisterLayout> parseRegisterLayout(std::string_view text);

// The dialect's attribute.
std::string attributeText(const RegisterLayout& layout);
// What print_layout writes: the name of a family, or the layout as Python writes it.
std::string printedLayout(const RegisterLayout& layout);

}  // namespace hilo
