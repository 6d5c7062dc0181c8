#include "core/compiler/spmd/tiling.h"

#include "core/hlo/text/print.h"

namespace hilo {

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t Tiling::tileCount() const {
  int64_t count = 1;
  for (int64_t tile : tiles) count *= tile;
  return count;
}

Tiling summedUp(Tiling tiling) {
  tiling.isPartial = false;
  return tiling;
}

std::vector<Shape> leavesOf(Shape shape) {
  if (!shape.isTuple()) return {shape};
  std::vector<Shape> leaves;
  for (Shape element : shape.tupleShapes()) {
    for (Shape leaf : leavesOf(element)) leaves.push_back(leaf);
  }
  return leaves;
}

Tiling replicatedTiling(size_t rank, int64_t partitions) {
  return {
      .tiles = std::vector<int64_t>(rank, 1), .copies = partitions, .devices = DeviceOrder::iota(partitions)};
}

Tiling manualTiling(size_t rank, int64_t partitions) {
  return {
      .tiles = std::vector<int64_t>(rank, 1), .manual = partitions, .devices = DeviceOrder::iota(partitions)};
}

std::vector<int64_t> tableSizes(const Tiling& tiling) {
  std::vector<int64_t> sizes = tiling.tiles;
  sizes.insert(sizes.end(), {tiling.manual, tiling.copies});
  return sizes;
}

DeviceNumbers tileOfDevice(const Tiling& tiling, size_t dimension) {
  return tiling.devices.placesAlong(tableSizes(tiling), dimension);
}

DeviceNumbers manualOfDevice(const Tiling& tiling) { return tileOfDevice(tiling, tiling.rank()); }

DeviceNumbers copyOfDevice(const Tiling& tiling) { return tileOfDevice(tiling, tiling.rank() + 1); }

std::string toString(const Tiling& tiling) {
  Arena arena;
  std::string text;
  appendSharding(text, toSharding(tiling, arena));
  return text;
}

Shape localShape(Shape array, const Tiling& tiling) {
  if (!array.isArray() || tiling.isWhole()) return array;
  std::vector<int64_t> sizes(array.dimensions().begin(), array.dimensions().end());
  for (size_t d = 0; d < sizes.size(); ++d) sizes[d] = ceilDiv(sizes[d], tiling.tiles[d]);
  return Shape::dynamicArray(array.elementType(), sizes, array.dynamicDimensions(), array.layout());
}

namespace {

Shape localShapeFrom(Shape shape, std::span<const Tiling>& leaves) {
  if (!shape.isTuple()) {
    const Tiling& tiling = leaves.front();
    leaves = leaves.subspan(1);
    return localShape(shape, tiling);
  }
  std::vector<Shape> elements;
  for (Shape element : shape.tupleShapes()) elements.push_back(localShapeFrom(element, leaves));
  return Shape::tuple(elements);
}

}  // namespace

Shape localShape(Shape shape, std::span<const Tiling> leaves) { return localShapeFrom(shape, leaves); }

}  // namespace hilo
