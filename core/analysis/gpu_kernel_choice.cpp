#include "core/analysis/gpu_kernel_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

namespace hilo {
namespace {
constexpr std::string_view kName = "hilo_gpu_kernel";

// "16,64" or "64x64"; nullopt: other than numbers above 0 with `between` between them.
std::optional<std::vector<int64_t>> numbersIn(std::string_view text, char between) {
  std::vector<int64_t> numbers;
  const char *at = text.data(), *end = at + text.size();
  while (true) {
    const auto [after, error] = std::from_chars(at, end, numbers.emplace_back());
    if (error != std::errc() || numbers.back() <= 0) return std::nullopt;
    if (after == end) return numbers;
    if (*after != between) return std::nullopt;
    at = after + 1;
  }
}

}  // namespace

std::string toString(const GpuKernelChoice& choice) {
  if (!choice.sizes.empty()) return fmt::format("{} {}", choice.shape, fmt::join(choice.sizes, ","));
  return choice.rows == 0 ? choice.shape : fmt::format("{} {}x{}", choice.shape, choice.rows, choice.columns);
}

GpuKernelChoice parseGpuKernelChoice(std::string_view text) {
  const size_t space = text.rfind(' ');
  if (space != std::string_view::npos) {
    const std::string shape(text.substr(0, space));
    const std::string_view last = text.substr(space + 1);
    if (const auto square = numbersIn(last, 'x'); square && square->size() == 2)
      return {.shape = shape, .rows = square->front(), .columns = square->back()};
    if (auto sizes = numbersIn(last, ',')) return {.shape = shape, .sizes = *std::move(sizes)};
  }
  return {.shape = std::string(text)};
}

std::optional<GpuKernelChoice> statedGpuKernel(const Instruction& instruction) {
  for (const FrontendAttribute& attribute : instruction.get<Attr::FrontendAttributes>()) {
    if (attribute.name == kName) return parseGpuKernelChoice(attribute.value);
  }
  return std::nullopt;
}

void stateGpuKernel(Instruction& instruction, const std::optional<GpuKernelChoice>& choice) {
  std::vector<FrontendAttribute> kept;
  for (const FrontendAttribute& attribute : instruction.get<Attr::FrontendAttributes>()) {
    if (attribute.name != kName) kept.push_back(attribute);
  }
  const std::string text = choice ? toString(*choice) : "";
  if (choice) kept.push_back({kName, text});
  if (kept.empty()) {
    instruction.erase(Attr::FrontendAttributes);
  } else {
    instruction.set<Attr::FrontendAttributes>(kept);
  }
}

}  // namespace hilo
