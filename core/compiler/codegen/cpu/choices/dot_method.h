// Which way a dot or a convolution is done, where there are several: stated in a frontend attribute,
// which other compilers pass over.
//
//   dot(a, b), ..., frontend_attributes={hilo_dot_method="tiles"}
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "core/base/result.h"
#include "core/hlo/ir/computation.h"

namespace hilo {

enum class DotMethod : uint8_t {
  Library,  // a call of oneDNN
  Tiles,  // a kernel that keeps tiles of the result in registers; of a vector, one that reads the matrix once
  Elements,  // a kernel that computes each element by itself
};
inline constexpr std::array kDotMethods = {DotMethod::Library, DotMethod::Tiles, DotMethod::Elements};
// "library"
std::string_view dotMethodName(DotMethod method);

// nullopt: the instruction says nothing. Error kind "unknown-dot-method".
Result<std::optional<DotMethod>> statedDotMethod(const Instruction& instruction);
// nullopt takes the statement away.
void stateDotMethod(Instruction& instruction, std::optional<DotMethod> method);

}  // namespace hilo
