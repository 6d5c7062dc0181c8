#include "core/compiler/codegen/cpu/dot_methods.h"

#include <fmt/format.h>

#include <ranges>

#include "core/compiler/codegen/cpu/dot_tiles.h"

namespace hilo {
namespace {

bool liesAs(Shape shape, const std::vector<int64_t>& order) {
  return order.empty() || liesInOrder(shape, order);
}

std::vector<DotMethod> methodsOfDot(const Instruction& dot) {
  std::vector<DotMethod> methods;
  const auto product = matrixProduct(dot);
  if (product && product->work() > 0) {
    if (hasLibraryTypes(dot)) methods.push_back(DotMethod::Library);
    if (sumTypeOf(dot.operand(0)->shape().elementType(), dot.operand(1)->shape().elementType(),
                  dot.shape().elementType(), product->workOfOne()))
      methods.push_back(DotMethod::Tiles);
  }
  methods.push_back(DotMethod::Elements);
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

std::vector<DotMethod> dotMethods(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::Dot) return methodsOfDot(instruction);
  if (instruction.opcode() != Opcode::Convolution) return {};
  const auto library = readyLibraryConvolution(instruction);
  if (!library) return {DotMethod::Elements};
  if (!library->isDepthwise) return {DotMethod::Library, DotMethod::Elements};
  return {DotMethod::Library, DotMethod::Tiles, DotMethod::Elements};
}

Result<std::optional<DotMethod>> dotMethodFor(const Instruction& instruction) {
  TRY(const auto stated, statedDotMethod(instruction));
  if (!stated) return stated;
  const auto possible = dotMethods(instruction);
  if (std::ranges::find(possible, *stated) != possible.end()) return stated;
  return fail(
      "unsupported-dot-method",
      fmt::format("{} cannot be done as stated, by {}", instruction.name(), dotMethodName(*stated)),
      {.computation = std::string(instruction.parent().name()),
       .instruction = std::string(instruction.name())},
      {possible.empty() ? "it is neither a dot nor a convolution"
                        : fmt::format("as it stands there are {}",
                                      fmt::join(possible | std::views::transform(dotMethodName), ", "))});
}

}  // namespace hilo
