// Dimension numbers, windows and precisions: parts several operations share.
#pragma once

#include "plugins/stablehlo/op_conversion.h"

namespace hilo::stablehlo {

// dot_dimension_numbers; false, with an error, when a dimension is out of range.
bool readDotDimensions(OpConversion& c, llvm::StringRef structure, pb::DotDimensionNumbers& numbers);
// dimension_numbers of a convolution, in any of its three spellings; false, with an error, when
// they are none.
bool readConvolutionDimensions(OpConversion& c, pb::ConvolutionDimensionNumbers& numbers);

// The attributes that make a window, by the names the operation gives them ("" where it has none).
struct WindowNames {
  llvm::StringRef strides, padding, baseDilation, windowDilation, reversal;
};
// `padding` overrides the attribute where given. False, with an error, when lengths do not fit `sizes`.
bool readWindow(OpConversion& c, Dims sizes, const WindowNames& names, std::optional<Integers> padding,
                pb::Window& window);

void readPrecision(OpConversion& c, Hlo made);

}  // namespace hilo::stablehlo
