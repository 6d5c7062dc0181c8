#include "core/analysis/layouts/array_addresses.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/saturating.h"

namespace hilo {
namespace {

// A type of less than a byte takes a whole one unless the layout says otherwise.
int64_t bitsOf(Shape shape) {
  const int64_t stated = shape.layout()->elementSizeInBits;
  return stated > 0 ? stated : 8 * elementStorageBytes(shape.elementType());
}

int64_t wholeBytes(int64_t elements, int64_t bits) {
  const int64_t all = saturatingMultiply(elements, bits);
  return all / 8 + (all % 8 != 0);
}

// The sizes that each tile cuts: of the array, then of what the tile before it made.
std::vector<std::vector<int64_t>> sizesBeforeTiles(const PhysicalLayout& layout) {
  std::vector<std::vector<int64_t>> before;
  std::vector<int64_t> sizes = layout.sizes;
  for (const std::vector<int64_t>& tile : layout.tiles) {
    before.push_back(sizes);
    const size_t first = sizes.size() - tile.size();
    for (size_t k = 0; k < tile.size(); ++k) sizes[first + k] = (sizes[first + k] + tile[k] - 1) / tile[k];
    sizes.insert(sizes.end(), tile.begin(), tile.end());
  }
  return before;
}

int64_t roundedUp(int64_t count, int64_t unit) {
  if (unit <= 1 || count % unit == 0) return count;
  return saturatingAdd(count, unit - count % unit);
}

}  // namespace

std::optional<ArrayAddresses> arrayAddresses(Shape shape) {
  if (!shape.isArray()) return std::nullopt;
  ArrayAddresses memory{.shape = shape.withDefaultLayout()};
  const auto layout = physicalLayout(memory.shape);
  if (!layout) return std::nullopt;
  memory.layout = *layout;
  memory.elementBits = bitsOf(memory.shape);
  if (memory.elementBits <= 0) return std::nullopt;
  const Layout& stated = *memory.shape.layout();
  memory.prefixBytes = std::max<int64_t>(0, stated.dynamicShapeMetadataPrefixBytes);
  memory.dataBytes = wholeBytes(shape.elementCount(), memory.elementBits);
  const int64_t elements = roundedUp(layout->paddedElements, stated.tailPaddingAlignment);
  memory.bytes = saturatingAdd(memory.prefixBytes, wholeBytes(elements, memory.elementBits));
  return memory;
}

std::string whyNoAddresses(Shape shape) {
  if (!shape.isArray()) return "it is no array";
  if (shape.hasUnboundedDimension()) return "a dimension has no bound";
  const Layout* layout = shape.layout();
  if (layout == nullptr) return "";
  if (!layout->splitConfigs.empty()) return "a dimension is cut into parts that lie apart (SC)";
  const auto dense = [](const DimLevel& level) { return level.type == DimLevelType::Dense; };
  if (!std::ranges::all_of(layout->dimLevels, dense)) return "it is sparse";
  const auto combines = [](const Tile& tile) {
    return std::ranges::find(tile.dimensions, Tile::kCombineDimension) != tile.dimensions.end();
  };
  if (std::ranges::any_of(layout->tiles, combines)) return "its tiles combine dimensions (*)";
  return "its tiles have more dimensions than it has";
}

int64_t ArrayAddresses::bitOf(std::span<const int64_t> index) const {
  return 8 * prefixBytes + layout.positionOf(index) * elementBits;
}

std::optional<std::vector<int64_t>> ArrayAddresses::elementAt(int64_t bit) const {
  bit -= 8 * prefixBytes;
  if (bit < 0 || bit / elementBits >= layout.paddedElements) return std::nullopt;
  int64_t position = bit / elementBits;
  std::vector<int64_t> at(layout.bounds.size());
  for (size_t k = at.size(); k-- > 0;) {
    at[k] = position % layout.bounds[k];
    position /= layout.bounds[k];
  }
  const auto sizes = sizesBeforeTiles(layout);
  for (size_t t = layout.tiles.size(); t-- > 0;) {
    const std::vector<int64_t>& tile = layout.tiles[t];
    const size_t inside = at.size() - tile.size(), first = inside - tile.size();
    for (size_t k = 0; k < tile.size(); ++k) {
      at[first + k] = at[first + k] * tile[k] + at[inside + k];
      // A tile that does not divide the one before it is padded within that.
      if (at[first + k] >= sizes[t][first + k]) return std::nullopt;
    }
    at.resize(inside);
  }
  std::vector<int64_t> index(at.size());
  for (size_t k = 0; k < at.size(); ++k) {
    if (at[k] >= layout.sizes[k]) return std::nullopt;
    index[static_cast<size_t>(layout.majorToMinor[k])] = at[k];
  }
  return index;
}

std::string memorySpaceText(int64_t space) {
  if (space == 0) return "0, of the device";
  if (space == 5) return "5, of the host";
  return fmt::format("{}", space);
}

}  // namespace hilo
