#include "core/hlo/eval/window.h"

namespace hilo {

DimVector windowSizes(const Window& window) {
  DimVector sizes;
  for (const WindowDimension& w : window.dimensions) sizes.push_back(w.size);
  return sizes;
}

Status checkWindow(const Instruction& instruction, const Window* window, Shape base, Shape output) {
  EVAL_REQUIRE(window != nullptr && window->dimensions.size() == base.rank() && output.rank() == base.rank(),
               "window and operand differ in rank");
  constexpr int64_t kFar = int64_t{1} << 30;
  int64_t elements = 1;
  for (size_t d = 0; d < base.rank(); ++d) {
    const WindowDimension& w = window->dimensions[d];
    EVAL_REQUIRE(w.size > 0 && w.size < kFar && w.stride > 0 && w.stride < kFar && w.windowDilation > 0 &&
                     w.windowDilation < kFar && w.baseDilation > 0 && w.baseDilation < kFar &&
                     w.paddingLow > -kFar && w.paddingLow < kFar && w.paddingHigh > -kFar &&
                     w.paddingHigh < kFar,
                 "a window attribute is out of range");
    const int64_t size = base.dimension(d);
    EVAL_REQUIRE(size <= int64_t{1} << 32, "a windowed dimension is too large");
    const int64_t dilatedBase = size == 0 ? 0 : (size - 1) * w.baseDilation + 1;
    const int64_t room = dilatedBase + w.paddingLow + w.paddingHigh - ((w.size - 1) * w.windowDilation + 1);
    EVAL_REQUIRE(output.dimension(d) == (room < 0 ? 0 : room / w.stride + 1),
                 "the window does not give the result's dimensions");
    elements *= w.size;
    EVAL_REQUIRE(elements < kFar, "the window is too large");
  }
  return {};
}

}  // namespace hilo
