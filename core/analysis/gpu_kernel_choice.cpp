#include "core/analysis/gpu_kernel_choice.h"

#include <fmt/format.h>

#include <charconv>

namespace hilo {
namespace {
constexpr std::string_view kName = "hilo_gpu_kernel";
}  // namespace

std::string toString(const GpuKernelChoice& choice) {
  return choice.rows == 0 ? choice.shape : fmt::format("{} {}x{}", choice.shape, choice.rows, choice.columns);
}

GpuKernelChoice parseGpuKernelChoice(std::string_view text) {
  GpuKernelChoice choice{.shape = std::string(text)};
  const size_t space = text.rfind(' ');
  if (space == std::string_view::npos) return choice;
  const char *from = text.data() + space + 1, *end = text.data() + text.size();
  int64_t rows = 0, columns = 0;
  const auto [cross, error] = std::from_chars(from, end, rows);
  if (error != std::errc() || cross == end || *cross != 'x') return choice;
  const auto [last, bad] = std::from_chars(cross + 1, end, columns);
  if (bad != std::errc() || last != end || rows <= 0 || columns <= 0) return choice;
  return {.shape = std::string(text.substr(0, space)), .rows = rows, .columns = columns};
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
