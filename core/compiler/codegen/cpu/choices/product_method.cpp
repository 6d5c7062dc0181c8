#include "core/compiler/codegen/cpu/choices/product_method.h"

#include <fmt/format.h>

#include <ranges>

namespace hilo {
namespace {
constexpr std::string_view kName = "hilo_product_method";
}  // namespace

std::string_view productMethodName(ProductMethod method) {
  switch (method) {
    case ProductMethod::Library:
      return "library";
    case ProductMethod::Tiles:
      return "tiles";
    case ProductMethod::Elements:
      return "elements";
  }
  return "";
}

Result<std::optional<ProductMethod>> statedProductMethod(const Instruction& instruction) {
  for (const FrontendAttribute& attribute : instruction.get<Attr::FrontendAttributes>()) {
    if (attribute.name != kName) continue;
    const auto method = std::ranges::find(kProductMethods, attribute.value, productMethodName);
    if (method != kProductMethods.end()) return *method;
    return fail("unknown-product-method", fmt::format("{} is \"{}\"", kName, attribute.value),
                {.computation = std::string(instruction.parent().name()),
                 .instruction = std::string(instruction.name())},
                {fmt::format("there are {}",
                             fmt::join(kProductMethods | std::views::transform(productMethodName), ", "))});
  }
  return std::nullopt;
}

void stateProductMethod(Instruction& instruction, std::optional<ProductMethod> method) {
  std::vector<FrontendAttribute> kept;
  for (const FrontendAttribute& attribute : instruction.get<Attr::FrontendAttributes>()) {
    if (attribute.name != kName) kept.push_back(attribute);
  }
  if (method) kept.push_back({kName, productMethodName(*method)});
  if (kept.empty()) {
    instruction.erase(Attr::FrontendAttributes);
  } else {
    instruction.set<Attr::FrontendAttributes>(kept);
  }
}

}  // namespace hilo
