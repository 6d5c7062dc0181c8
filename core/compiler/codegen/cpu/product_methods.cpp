#include "core/compiler/codegen/cpu/product_methods.h"

#include <fmt/format.h>

#include <ranges>

#include "core/compiler/codegen/cpu/product_tiles.h"

namespace hilo {
namespace {

bool liesAs(Shape shape, const std::vector<int64_t>& order) {
  return order.empty() || liesInOrder(shape, order);
}

std::vector<ProductMethod> methodsOfDot(const Instruction& dot) {
  std::vector<ProductMethod> methods;
  const auto product = matrixProduct(dot);
  if (product && product->work() > 0) {
    if (hasLibraryTypes(dot)) methods.push_back(ProductMethod::Library);
    if (sumTypeOf(dot.operand(0)->shape().elementType(), dot.operand(1)->shape().elementType(),
                  dot.shape().elementType(), product->workOfOne()))
      methods.push_back(ProductMethod::Tiles);
  }
  methods.push_back(ProductMethod::Elements);
  return methods;
}

}  // namespace

std::optional<LibraryConvolution> readyLibraryConvolution(const Instruction& convolution) {
  auto plan = libraryConvolution(convolution);
  if (plan && plan->isDepthwise && !liesAs(convolution.operand(1)->shape(), plan->kernelOrder)) {
    // The library takes it all the same.
    plan->isDepthwise = false;
    plan->kernelOrder.clear();
  }
  const bool isReady = plan && !plan->needsRewriting() &&
                       liesAs(convolution.operand(0)->shape(), plan->inputOrder) &&
                       liesAs(convolution.operand(1)->shape(), plan->kernelOrder) &&
                       liesAs(convolution.shape(), plan->resultOrder);
  return isReady ? std::move(plan) : std::nullopt;
}

std::vector<ProductMethod> productMethods(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::Dot) return methodsOfDot(instruction);
  if (instruction.opcode() != Opcode::Convolution) return {};
  const auto library = readyLibraryConvolution(instruction);
  if (!library) return {ProductMethod::Elements};
  if (!library->isDepthwise) return {ProductMethod::Library, ProductMethod::Elements};
  return {ProductMethod::Library, ProductMethod::Tiles, ProductMethod::Elements};
}

Result<std::optional<ProductMethod>> productMethodFor(const Instruction& instruction) {
  TRY(const auto stated, statedProductMethod(instruction));
  if (!stated) return stated;
  const auto possible = productMethods(instruction);
  if (std::ranges::find(possible, *stated) != possible.end()) return stated;
  return fail(
      "unsupported-product-method",
      fmt::format("{} cannot be done as stated, by {}", instruction.name(), productMethodName(*stated)),
      {.computation = std::string(instruction.parent().name()),
       .instruction = std::string(instruction.name())},
      {possible.empty() ? "it is neither a dot nor a convolution"
                        : fmt::format("as it stands there are {}",
                                      fmt::join(possible | std::views::transform(productMethodName), ", "))});
}

}  // namespace hilo
