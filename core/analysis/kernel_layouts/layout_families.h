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

// In registers what tensor memory holds by tmemM64CollectiveLayout; columns are a multiple of 16.
TiledLayout m64CollectiveLayout(int64_t columns);
// Each thread has a row of tensor memory, `vector` elements a register.
TiledLayout tmemNativeLayout(int64_t vector);
// Scales of tcgen05's block scaled products, one for each 32 elements, and those of the second matrix where
// two blocks share 64 rows each; the metadata of sparse matrices.
TiledLayout tmemScalesLayout();
TiledLayout tmemScalesM64CollectiveLayout();
TiledLayout tmemSparseMetadataLayout();

// What mma.sync wants, all four warps along the rows: matrices of 64 x k and k x 8, where a register holds
// `32 / elementBits` elements.
struct MmaLayouts {
  TiledLayout left, right, accumulator;
};
MmaLayouts mmaLayouts(int64_t elementBits);

// As print_layout names it: "WGMMA"; nothing when it has no name. The layout need not be canonical.
std::optional<std::string> layoutName(const TiledLayout& layout);
// In tensor memory: "TMEM_DEFAULT(packing=2)".
std::optional<std::string> tmemLayoutName(const TiledLayout& layout);

}  // namespace hilo
