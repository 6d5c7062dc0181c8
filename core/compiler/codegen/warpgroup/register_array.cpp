#include "core/compiler/codegen/warpgroup/register_array.h"

#include <algorithm>

#include "core/base/check.h"

namespace hilo::warpgroup {

using llvm::Value;

namespace {

// The element of one thread that holds `origin`: the same number in all threads, or nothing.
std::optional<size_t> commonElement(const RegisterArray& source, const RegisterMap& map, size_t element,
                                    size_t number, const OriginOf& originOf) {
  if (source.isSplat()) return 0;
  std::optional<size_t> common;
  for (int64_t thread = 0; thread < kThreadsOfWarpgroup; ++thread) {
    const auto index = map.elementAt(placeOf(map, element, thread));
    if (!index) return std::nullopt;
    const Origin origin = originOf(*index);
    if (origin.source != number) return std::nullopt;
    const auto held = elementAt(source.map, origin.index, thread);
    if (!held || (common && *common != *held)) return std::nullopt;
    common = held;
  }
  return common;
}

}  // namespace

RegisterArray scalarArray(ElementType type, Scalar value) {
  auto map = RegisterMap::of(RegisterLayout(SplatLayout{}), {});
  CHECK(map.has_value());
  return {type, *std::move(map), {value}};
}

size_t elementsOf(const RegisterMap& map) {
  return static_cast<size_t>(map.registersPerThread() * map.vectorLength());
}

RegisterPlace placeOf(const RegisterMap& map, size_t element, int64_t thread) {
  const auto number = static_cast<int64_t>(element);
  return {thread / kLanesOfWarp, thread % kLanesOfWarp, number / map.vectorLength(),
          number % map.vectorLength()};
}

std::optional<size_t> elementAt(const RegisterMap& map, const Sizes& index, int64_t thread) {
  for (const RegisterPlace& place : map.placesOf(index))
    if (place.warp * kLanesOfWarp + place.lane == thread)
      return static_cast<size_t>(place.reg * map.vectorLength() + place.slot);
  return std::nullopt;
}

std::optional<RegisterArray> gathered(std::span<const RegisterArray> sources, const RegisterMap& map,
                                      const OriginOf& originOf) {
  RegisterArray result{sources[0].type, map, {}};
  for (size_t element = 0; element < elementsOf(map); ++element) {
    const auto index = map.elementAt(placeOf(map, element));
    const size_t source = index ? originOf(*index).source : 0;
    const auto held = commonElement(sources[source], map, element, source, originOf);
    if (!held) return std::nullopt;
    result.elements.push_back(sources[source].elements[*held]);
  }
  return result;
}

ThreadIndices::ThreadIndices(ThreadCode& code, const RegisterMap& map) : code_(code), map_(map) {
  CHECK(!std::holds_alternative<SplatLayout>(map.layout()));
  llvm::IRBuilder<>& b = code.b();
  if (std::holds_alternative<StridedLayout>(map.layout())) {
    ofThread_ = {b.CreateMul(code.threadOfGroup(), code.int64(map.vectorLength()))};
    return;
  }
  const auto& layout = std::get<TiledLayout>(map.layout());
  const auto tiledShape = layout.tiling.tiledShape(map.shape());
  CHECK(tiledShape.has_value());
  ofThread_.assign(map.shape().size(), code.int64(0));
  const auto add = [&](const std::vector<ThreadDimension>& dims, Value* number) {
    int64_t below = 1;
    for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
      const int64_t size = dim->isCopies() ? dim->times : layout.sizeOf(*dim);
      Value* digit = b.CreateURem(b.CreateUDiv(number, code.int64(below)), code.int64(size));
      below *= size;
      if (dim->isCopies()) {
        Value* isOne = b.CreateICmpEQ(digit, code.int64(0));
        isFirst_ = isFirst_ ? b.CreateAnd(isFirst_, isOne) : isOne;
        continue;
      }
      Sizes unit(tiledShape->size(), 0);
      unit[unit.size() - static_cast<size_t>(-dim->dimension)] = 1;
      const Sizes weights = layout.tiling.untiled(std::move(unit));
      for (size_t i = 0; i < weights.size(); ++i)
        ofThread_[i] = b.CreateAdd(ofThread_[i], b.CreateMul(digit, code.int64(weights[i])));
    }
  };
  add(layout.warpDims, code.warp());
  add(layout.laneDims, code.lane());
}

std::vector<Value*> ThreadIndices::at(size_t element) const {
  llvm::IRBuilder<>& b = code_.b();
  const Sizes& shape = map_.shape();
  if (std::holds_alternative<TiledLayout>(map_.layout())) {
    const auto first = map_.elementAt(placeOf(map_, element));
    std::vector<Value*> index;
    for (size_t i = 0; i < shape.size(); ++i)
      index.push_back(b.CreateAdd(ofThread_[i], code_.int64((*first)[i])));
    return index;
  }
  const RegisterPlace place = placeOf(map_, element);
  Value* position = b.CreateAdd(
      ofThread_[0], code_.int64(place.reg * kThreadsOfWarpgroup * map_.vectorLength() + place.slot));
  std::vector<Value*> index(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    index[i] = i == 0 ? position : b.CreateURem(position, code_.int64(shape[i]));
    position = b.CreateUDiv(position, code_.int64(shape[i]));
  }
  return index;
}

}  // namespace hilo::warpgroup
