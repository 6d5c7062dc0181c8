#include "core/compiler/codegen/cpu/choices/dot_method.h"

#include <fmt/format.h>

#include <ranges>

namespace hilo {
namespace {
constexpr std::string_view kName = "hilo_dot_method";
}  // namespace

std::string_view dotMethodName(DotMethod method) {
  switch (method) {
    case DotMethod::Library:
      return "library";
    case DotMethod::Tiles:
      return "tiles";
    case DotMethod::Elements:
      return "elements";
  }
  return "";
}

Result<std::optional<DotMethod>> statedDotMethod(const Instruction& instruction) {
  for (const FrontendAttribute& attribute : instruction.get<Attr::FrontendAttributes>()) {
    if (attribute.name != kName) continue;
    const auto method = std::ranges::find(kDotMethods, attribute.value, dotMethodName);
    if (method != kDotMethods.end()) return *method;
    return fail(
        "unknown-dot-method", fmt::format("{} is \"{}\"", kName, attribute.value),
        {.computation = std::string(instruction.parent().name()),
         .instruction = std::string(instruction.name())},
        {fmt::format("there are {}", fmt::join(kDotMethods | std::views::transform(dotMethodName), ", "))});
  }
  return std::nullopt;
}

void stateDotMethod(Instruction& instruction, std::optional<DotMethod> method) {
  std::vector<FrontendAttribute> kept;
  for (const FrontendAttribute& attribute : instruction.get<Attr::FrontendAttributes>()) {
    if (attribute.name != kName) kept.push_back(attribute);
  }
  if (method) kept.push_back({kName, dotMethodName(*method)});
  if (kept.empty()) {
    instruction.erase(Attr::FrontendAttributes);
  } else {
    instruction.set<Attr::FrontendAttributes>(kept);
  }
}

}  // namespace hilo
