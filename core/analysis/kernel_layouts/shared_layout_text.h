// Layouts of shared memory as text: the line that JAX's print_layout writes, or the same without its class
// names. "row-major" and "()" have no transforms.
//
//     (TilingTransform(tiling=(8, 64)), SwizzleTransform(swizzle=128))
//     tile(8, 64) transpose(1, 0, 2, 3) swizzle(128)
#pragma once

#include <string>
#include <string_view>

#include "core/analysis/kernel_layouts/shared_layout.h"

namespace hilo {

// "kernel-layout-text" with the column of what is not expected. Whether it fits a shape SharedMap::of says.
Result<SharedLayout> parseSharedLayout(std::string_view text);

// As print_layout writes it: "(TilingTransform(tiling=(8, 64)), SwizzleTransform(swizzle=128))".
std::string printedTransforms(const SharedLayout& layout);

}  // namespace hilo
