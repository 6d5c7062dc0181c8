// Layouts that the tensor cores of Hopper (WGMMA) and Blackwell (tcgen05, tensor memory) want, by the names
// that JAX's print_layout and fragmented_array.py have for them. The maps are those of PTX's chapters on
// wgmma and tcgen05.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/analysis/kernel_layouts/register_layout.h"

namespace hilo {

struct NamedLayout {
  std::string_view name;  // "WGMMA", "TCGEN05_ROW"
  TiledLayout layout;     // canonical
  // print_layout says this name; of the others it writes the layout out.
  bool isPrinted = false;
};

// In the order in which a layout's name is looked for.
std::span<const NamedLayout> namedLayouts();

// Tensor memory: each of the 128 rows is a lane, `packing` elements share a column (a power of two).
TiledLayout tmemDefaultLayout(int64_t packing);
// Matrices of 64 rows: the first half of the columns in the lower 16 lanes of each warp, the second in the
// upper. Columns are a multiple of 16 and of 2 * packing.
TiledLayout tmemHalfLaneLayout(int64_t columns, int64_t packing);
// Matrices of 64 rows of two blocks together: the second half of the columns in warps 2 and 3.
TiledLayout tmemM64CollectiveLayout(int64_t columns, int64_t packing);

// As print_layout names it: "WGMMA"; nothing when it has no name. The layout need not be canonical.
std::optional<std::string> layoutName(const TiledLayout& layout);
// In tensor memory: "TMEM_DEFAULT(packing=2)".
std::optional<std::string> tmemLayoutName(const TiledLayout& layout);

}  // namespace hilo
