// Which way a product or a convolution is done, where there are several: stated in a frontend attribute,
// which other compilers pass over.
//
//   dot(a, b), ..., frontend_attributes={hilo_product_method="tiles"}
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "core/base/result.h"
#include "core/hlo/ir/computation.h"

namespace hilo {

enum class ProductMethod : uint8_t {
  Library,  // a call of oneDNN
  Tiles,  // a kernel that keeps tiles of the result in registers; of a vector, one that reads the matrix once
  Elements,  // a kernel that works out each element by itself
};
inline constexpr std::array kProductMethods = {ProductMethod::Library, ProductMethod::Tiles,
                                               ProductMethod::Elements};
// "library"
std::string_view productMethodName(ProductMethod method);

// nullopt: the instruction says nothing. Error kind "unknown-product-method".
Result<std::optional<ProductMethod>> statedProductMethod(const Instruction& instruction);
// nullopt takes the statement away.
void stateProductMethod(Instruction& instruction, std::optional<ProductMethod> method);

}  // namespace hilo
