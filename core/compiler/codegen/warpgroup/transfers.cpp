#include "core/compiler/codegen/warpgroup/transfers.h"

#include <numeric>

namespace hilo::warpgroup {

using llvm::Value;

namespace {

// Slots of a register that are neighbours along the last dimension, from a multiple of their number on.
int64_t neighboursOf(const RegisterMap& map) {
  const int64_t length = map.vectorLength();
  if (map.shape().empty() || length == 1) return 1;
  const auto first = map.elementAt({});
  const auto second = map.elementAt({.warp = 0, .lane = 0, .reg = 0, .slot = 1});
  if (!first || !second) return 1;
  Sizes next = *first;
  ++next.back();
  if (next != *second) return 1;
  int64_t common = std::gcd(length, map.shape().back());
  for (int64_t thread = 0; thread < kThreadsOfWarpgroup; ++thread)
    for (int64_t reg = 0; reg < map.registersPerThread(); ++reg)
      common =
          std::gcd(common, map.elementAt({thread / kLanesOfWarp, thread % kLanesOfWarp, reg, 0})->back());
  return common & -common;
}

// Each thread stores every 128th element.
void storeSplat(ThreadCode& code, const MemoryView& view, const RegisterArray& array) {
  const Sizes shape = view.shape();
  const int64_t count = elementCount(shape);
  llvm::IRBuilder<>& b = code.b();
  for (int64_t from = 0; from < count; from += kThreadsOfWarpgroup) {
    Value* position = b.CreateAdd(code.threadOfGroup(), code.int64(from));
    code.branch(b.CreateICmpULT(position, code.int64(count)), [&] {
      std::vector<Value*> index(shape.size());
      Value* rest = position;
      for (size_t i = shape.size(); i-- > 0; rest = b.CreateUDiv(rest, code.int64(shape[i])))
        index[i] = b.CreateURem(rest, code.int64(shape[i]));
      store(code, view, index, array.elements[0]);
    });
  }
}

}  // namespace

RegisterArray loadArray(ThreadCode& code, const MemoryView& view, const RegisterMap& map) {
  RegisterArray array{view.element, map, {}};
  const ThreadIndices indices(code, map);
  const int64_t step = vectorAt(view, neighboursOf(map));
  for (size_t element = 0; element < elementsOf(map); element += static_cast<size_t>(step)) {
    const auto loaded = load(code, view, indices.at(element), step);
    array.elements.insert(array.elements.end(), loaded.begin(), loaded.end());
  }
  return array;
}

void storeArray(ThreadCode& code, const MemoryView& view, const RegisterArray& array) {
  if (array.isSplat()) return storeSplat(code, view, array);
  const ThreadIndices indices(code, array.map);
  const auto step = static_cast<size_t>(vectorAt(view, neighboursOf(array.map)));
  const auto storeAll = [&] {
    for (size_t element = 0; element < array.elements.size(); element += step)
      store(code, view, indices.at(element), llvm::ArrayRef(array.elements).slice(element, step));
  };
  if (indices.isFirst())
    code.branch(indices.isFirst(), storeAll);
  else
    storeAll();
}

}  // namespace hilo::warpgroup
