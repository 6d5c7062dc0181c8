// The windows of reduce-window and select-and-scatter.
#pragma once

#include "core/hlo/eval/eval_context.h"
#include "core/hlo/eval/indexing.h"

namespace hilo {

// Checks that the window has one dimension a dimension of `base`, that its numbers make sense, and that it
// places `output` windows in each dimension.
Status checkWindow(const Instruction& instruction, const Window* window, Shape base, Shape output);

// The dense row-major offset in `base` of window element `inWindow` of the window placed at `placement`, or
// nullopt when it falls on padding or into a hole of base dilation.
inline std::optional<int64_t> windowedOffset(const Window& window, std::span<const int64_t> baseSizes,
                                             std::span<const int64_t> baseStrides,
                                             std::span<const int64_t> placement,
                                             std::span<const int64_t> inWindow) {
  int64_t offset = 0;
  for (size_t d = 0; d < baseSizes.size(); ++d) {
    const WindowDimension& w = window.dimensions[d];
    const int64_t dilated = placement[d] * w.stride + inWindow[d] * w.windowDilation - w.paddingLow;
    if (dilated < 0 || dilated % w.baseDilation != 0) return std::nullopt;
    const int64_t index = dilated / w.baseDilation;
    if (index >= baseSizes[d]) return std::nullopt;
    offset += index * baseStrides[d];
  }
  return offset;
}

DimVector windowSizes(const Window& window);

}  // namespace hilo
