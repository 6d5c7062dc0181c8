// A layout as the view draws it: the array's elements as a grid, the same elements as they lie in shared
// memory, and the colour of each by what it is asked to tell. Pure.
#pragma once

#include <QColor>
#include <QString>
#include <optional>
#include <vector>

#include "core/analysis/kernel_layouts/bank_conflicts.h"

namespace hilo {

// Larger arrays are not drawn.
inline constexpr int64_t kMostDrawnElements = int64_t{1} << 18;

struct DrawnLayout {
  RegisterMap registers;
  std::optional<SharedMap> shared;
  std::optional<SharedTransfer> transfer;
  // Of each element, by how much its access asks memory more often than without conflicts. Empty where
  // there is no transfer.
  std::vector<int64_t> conflicts;
  bool isHeld = true;     // false: no thread holds it, and the registers are those of a splat
  bool isTensor = false;  // it lies in tensor memory: a lane of a warp is a row, a register a column

  int64_t elements() const { return elementCount(registers.shape()); }
  Sizes indexOf(int64_t element) const { return indexAt(element, registers.shape()); }
  // Where it is, by warp, then lane.
  std::vector<RegisterPlace> placesOf(int64_t element) const { return registers.placesOf(indexOf(element)); }
  // What the thread holds, by register and slot; all elements of a splat.
  std::vector<int64_t> elementsOf(int64_t warp, int64_t lane) const;
  // What an access moves, by lane.
  std::vector<int64_t> elementsOf(const WarpAccess& access) const;
};

// Without registers `shared` is there. "kernel-shape" above kMostDrawnElements; what RegisterMap, SharedMap
// and planTransfer say.
Result<DrawnLayout> drawnLayout(const std::optional<RegisterLayout>& registers,
                                const std::optional<SharedLayout>& shared, const Sizes& shape,
                                int64_t elementBits);

// Elements by rows and columns: which is in each cell, -1 where none is.
struct ElementGrid {
  int64_t columns = 0;
  std::vector<int64_t> cells;
  int64_t rows() const { return columns == 0 ? 0 : static_cast<int64_t>(cells.size()) / columns; }
};

// The last dimension goes across, all others down; an array of one dimension is wrapped.
ElementGrid arrayGrid(const DrawnLayout& layout);
// A row is 128 bytes of shared memory: once through all banks. Needs `shared`.
ElementGrid memoryGrid(const DrawnLayout& layout);
// The 128 rows of tensor memory; a column has as many elements as are packed in it. Needs `isTensor`.
ElementGrid tensorGrid(const DrawnLayout& layout);

// What an element's colour tells; of elements that several threads hold, of the first of these.
enum class LayoutFacet : uint8_t { kThread, kWarp, kLane, kRegister, kSlot, kBank, kConflicts };
inline constexpr std::array kLayoutFacetNames = {"thread",      "warp", "lane",          "register",
                                                 "vector slot", "bank", "bank conflicts"};
static_assert(kLayoutFacetNames.size() == static_cast<size_t>(LayoutFacet::kConflicts) + 1);
// Why this facet tells nothing of the layout; empty where it does.
QString whyNoFacet(const DrawnLayout& layout, LayoutFacet facet);

// Of each element, by its number. The facet tells something.
std::vector<QRgb> elementColours(const DrawnLayout& layout, LayoutFacet facet, bool dark);
// The facet in a cell: "7", of kThread "1.7" (warp, lane).
QString facetText(const DrawnLayout& layout, LayoutFacet facet, int64_t element);

// "[3, 17]: warp 0, lane 12, register 5, slot 1, also in 3 other threads; shared memory byte 418, bank 8".
QString elementText(const DrawnLayout& layout, int64_t element);

}  // namespace hilo
