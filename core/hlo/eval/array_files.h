// Outputs as NumPy files.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/hlo/ir/literal.h"

namespace hilo {

// A name that ends in .npy takes one array; .npz takes any output: members out0, out1, ... in the order of
// the tuple, out1.0 for an element within an element, out0 alone for an array. Tokens are left out. Other
// endings are refused (kind "unknown-output-kind").
Status writeArrays(const std::string& path, const Literal& output);

}  // namespace hilo
