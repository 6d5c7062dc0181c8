#include "core/compiler/codegen/gpu/places.h"

namespace hilo::gpu {

using llvm::Value;

Places placesOf(KernelBuilder& k, Value* number, llvm::ArrayRef<int64_t> sizes) {
  Places places(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    places[i] = sizes[i] == 1 ? k.int64(0) : i == 0 ? number : k.b().CreateURem(number, k.int64(sizes[i]));
    if (sizes[i] > 1 && i > 0) number = k.b().CreateUDiv(number, k.int64(sizes[i]));
  }
  return places;
}

Places lineAt(KernelBuilder& k, Shape shape, size_t along, Value* number) {
  std::vector<size_t> others;
  std::vector<int64_t> sizes;
  for (const int64_t d : majorToMinor(shape)) {
    if (static_cast<size_t>(d) == along) continue;
    others.push_back(static_cast<size_t>(d));
    sizes.push_back(shape.dimension(others.back()));
  }
  const Places own = placesOf(k, number, sizes);
  Places places(shape.rank(), nullptr);
  for (size_t i = 0; i < own.size(); ++i) places[others[i]] = own[i];
  return places;
}

}  // namespace hilo::gpu
