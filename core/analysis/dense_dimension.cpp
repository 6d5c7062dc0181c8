#include "core/analysis/dense_dimension.h"

namespace hilo {

int64_t denseDimension(Shape array) {
  const Layout* layout = array.layout();
  return layout == nullptr || layout->minorToMajor.empty() ? static_cast<int64_t>(array.rank()) - 1
                                                           : layout->minorToMajor[0];
}

}  // namespace hilo
