#include "core/compiler/spmd/device_parts.h"

namespace hilo {
namespace {

// Calls step(byte offset in the whole, byte offset in the part) for every element that a device's part shares
// with the array.
template <typename Step>
void forEachShared(Shape whole, Shape part, const std::vector<int64_t>& tile, Step step) {
  const size_t rank = whole.rank();
  const int64_t size = elementStorageBytes(whole.elementType());
  std::vector<int64_t> index(rank, 0);
  for (int64_t n = 0; n < part.elementCount(); ++n) {
    int64_t at = 0;
    bool isInside = true;
    for (size_t d = 0; d < rank; ++d) {
      const int64_t place = tile[d] * part.dimension(d) + index[d];
      isInside &= place < whole.dimension(d);
      at = at * whole.dimension(d) + place;
    }
    if (isInside)
      step(static_cast<size_t>(at * size), static_cast<size_t>(n * size), static_cast<size_t>(size));
    for (size_t d = rank; d-- > 0;) {
      if (++index[d] < part.dimension(d)) break;
      index[d] = 0;
    }
  }
}

std::vector<std::vector<int64_t>> tilesOfDevices(const Tiling& tiling) {
  std::vector<std::vector<int64_t>> tiles(tiling.devices.size());
  for (size_t d = 0; d < tiling.rank(); ++d) {
    const auto along = tileOfDevice(tiling, d).list();
    for (size_t i = 0; i < tiles.size(); ++i) tiles[i].push_back(along[i]);
  }
  return tiles;
}

// Of a sum the first copy is all.
Literal cutArray(const Literal& whole, const Tiling& tiling, const std::vector<int64_t>& tile, bool isZero) {
  if (isZero) return Literal(localShape(whole.shape(), tiling));
  if (!whole.shape().isArray() || tiling.isWhole()) return whole;
  Literal part(localShape(whole.shape(), tiling));
  const auto bytes = part.mutableBytes();
  std::ranges::fill(bytes, whole.shape().elementType() == ElementType::Pred ? std::byte{1} : std::byte{0xff});
  forEachShared(whole.shape(), part.shape(), tile, [&](size_t from, size_t to, size_t size) {
    std::memcpy(bytes.data() + to, whole.bytes().data() + from, size);
  });
  return part;
}

Literal cutLeaves(const Literal& whole, std::span<const Tiling>& tilings, size_t device) {
  if (!whole.isTuple()) {
    const Tiling& tiling = tilings.front();
    tilings = tilings.subspan(1);
    const bool isZero = tiling.isPartial && whole.shape().isArray() && copyOfDevice(tiling)[device] > 0;
    return cutArray(whole, tiling, tilesOfDevices(tiling)[device], isZero);
  }
  std::vector<Literal> elements;
  for (const Literal& element : whole.elements()) elements.push_back(cutLeaves(element, tilings, device));
  return Literal::tuple(std::move(elements));
}

template <typename T>
void addTo(std::span<std::byte> sum, const std::byte* part) {
  T a, b;
  std::memcpy(&a, sum.data(), sizeof(T));
  std::memcpy(&b, part, sizeof(T));
  a = static_cast<T>(a + b);
  std::memcpy(sum.data(), &a, sizeof(T));
}

Result<Literal> sumOfParts(Shape global, const Tiling& tiling, std::span<const Literal* const> parts) {
  const ElementType type = global.elementType();
  if (type != ElementType::F32 && type != ElementType::F64 && type != ElementType::U32)
    return fail("spmd-unsupported", fmt::format("parts of a sum of {} are not added up", toString(global)));
  Literal whole(global);
  const auto bytes = whole.mutableBytes();
  const auto tiles = tilesOfDevices(tiling);
  for (size_t device = 0; device < parts.size(); ++device) {
    forEachShared(global, parts[device]->shape(), tiles[device], [&](size_t to, size_t from, size_t size) {
      const std::byte* part = parts[device]->bytes().data() + from;
      const auto sum = bytes.subspan(to, size);
      if (type == ElementType::F32) addTo<float>(sum, part);
      if (type == ElementType::F64) addTo<double>(sum, part);
      if (type == ElementType::U32) addTo<uint32_t>(sum, part);
    });
  }
  return whole;
}

Result<Literal> joinArray(Shape global, const Tiling& tiling, std::span<const Literal* const> parts) {
  Literal whole(global);
  const auto bytes = whole.mutableBytes();
  std::vector<bool> isKnown(bytes.size(), false);
  const auto tiles = tilesOfDevices(tiling);
  bool differ = false;
  for (size_t device = 0; device < parts.size(); ++device) {
    forEachShared(global, parts[device]->shape(), tiles[device], [&](size_t to, size_t from, size_t size) {
      const std::byte* source = parts[device]->bytes().data() + from;
      differ |= isKnown[to] && std::memcmp(bytes.data() + to, source, size) != 0;
      std::memcpy(bytes.data() + to, source, size);
      isKnown[to] = true;
    });
  }
  if (differ)
    return fail("copies-differ",
                fmt::format("devices that hold the same part of {} differ", toString(global)));
  return whole;
}

Result<Literal> joinLeaves(Shape global, std::span<const Tiling>& tilings,
                           const std::vector<const Literal*>& parts) {
  if (!global.isTuple()) {
    const Tiling& tiling = tilings.front();
    tilings = tilings.subspan(1);
    if (!global.isArray()) return *parts[0];
    return tiling.isPartial ? sumOfParts(global, tiling, parts) : joinArray(global, tiling, parts);
  }
  std::vector<Literal> elements;
  for (size_t i = 0; i < global.tupleShapes().size(); ++i) {
    std::vector<const Literal*> inner;
    for (const Literal* part : parts) inner.push_back(&part->elements()[i]);
    TRY(Literal element, joinLeaves(global.tupleShapes()[i], tilings, inner));
    elements.push_back(std::move(element));
  }
  return Literal::tuple(std::move(elements));
}

}  // namespace

std::vector<Literal> cutLiteral(const Literal& whole, const Tilings& tilings, int64_t partitions) {
  std::vector<Literal> parts;
  for (int64_t device = 0; device < partitions; ++device) {
    std::span<const Tiling> rest = tilings;
    parts.push_back(cutLeaves(whole, rest, static_cast<size_t>(device)));
  }
  return parts;
}

Result<Literal> joinLiterals(Shape global, const Tilings& tilings, std::span<const Literal> parts) {
  std::vector<const Literal*> pointers;
  for (const Literal& part : parts) pointers.push_back(&part);
  std::span<const Tiling> rest = tilings;
  return joinLeaves(global, rest, pointers);
}

}  // namespace hilo
