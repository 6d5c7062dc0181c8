#include "core/workspace/run/leaf_comparison.h"

#include <fmt/format.h>

namespace hilo {
namespace {

std::string pathText(std::span<const int64_t> path, int64_t devices) {
  std::string text;
  if (devices > 1) {
    text = fmt::format("device {}{}", path.front(), path.size() > 1 ? " " : "");
    path = path.subspan(1);
  }
  return path.empty() ? text : fmt::format("{}{{{}}}", text, fmt::join(path, ","));
}

}  // namespace

LeafComparison leafComparison(LiteralDifference difference, int64_t devices) {
  return {.path = pathText(difference.path, devices),
          .shape = toString(difference.shape.withoutLayout()),
          .elements = difference.elements,
          .mismatches = difference.mismatches,
          .maxAbsError = difference.maxAbsError,
          .maxRelError = difference.maxRelError,
          .maxUlpError = difference.maxUlpError,
          .firstMismatch = std::move(difference.firstMismatchText),
          .nanA = difference.nanA,
          .nanB = difference.nanB,
          .infA = difference.infA,
          .infB = difference.infB,
          .ulpHistogram = std::move(difference.ulpHistogram)};
}

}  // namespace hilo
