#include <fmt/format.h>

#include "core/workspace/run/leaf_comparison.h"
#include "core/workspace/run/runs.h"

namespace hilo {
namespace {

// The name of the result that has this leaf.
std::string resultWith(std::span<const int64_t> path, const RunRecord& run) {
  if (run.devices > 1) path = path.subspan(1);
  const size_t result = path.empty() ? 0 : static_cast<size_t>(path.front());
  return result < run.resultNames.size() ? run.resultNames[result] : "";
}

void compareOutputs(RunComparison& comparison, const Tolerance& tolerance) {
  if (comparison.a.devices != comparison.b.devices) {
    comparison.notComparable =
        fmt::format("run a is of {} devices, run b of {}", comparison.a.devices, comparison.b.devices);
    return;
  }
  if (!comparison.a.output || !comparison.b.output) {
    comparison.notComparable =
        fmt::format("the output of run {} was not kept", comparison.a.output ? "b" : "a");
    // The digest still tells whether they are the same.
    comparison.bitwiseEqual = comparison.a.outputDigest == comparison.b.outputDigest;
    comparison.agree = comparison.bitwiseEqual;
    return;
  }
  auto differences = compareLiterals(*comparison.a.output, *comparison.b.output,
                                     {.absolute = tolerance.absolute, .relative = tolerance.relative});
  if (!differences) {
    comparison.notComparable = differences.error().message;
    return;
  }
  comparison.comparable = true;
  comparison.agree = agrees(*differences);
  comparison.bitwiseEqual =
      std::ranges::all_of(*differences, [](const LiteralDifference& d) { return d.bitDifferences == 0; });
  for (LiteralDifference& difference : *differences) {
    std::string name = resultWith(difference.path, comparison.a);
    comparison.leaves.push_back(leafComparison(std::move(difference), comparison.a.devices));
    comparison.leaves.back().name = std::move(name);
  }
  comparison.hasNaNsAlone =
      !comparison.leaves.empty() && std::ranges::all_of(comparison.leaves, [](const LeafComparison& leaf) {
        return leaf.elements > 0 && leaf.nanA == leaf.elements && leaf.nanB == leaf.elements;
      });
}

}  // namespace

RunComparison compareRuns(RunRecord a, RunRecord b, const Tolerance& tolerance, bool inTurns) {
  RunComparison comparison{.a = std::move(a), .b = std::move(b)};
  if (comparison.a.timings.n() > 0 && comparison.b.timings.n() > 0 && comparison.a.timings.medianNs() > 0) {
    comparison.medianRatio = static_cast<double>(comparison.b.timings.medianNs()) /
                             static_cast<double>(comparison.a.timings.medianNs());
  }
  if (inTurns) comparison.pairedRatio = pairedRatio(comparison.a.timings, comparison.b.timings);
  compareOutputs(comparison, tolerance);
  return comparison;
}

}  // namespace hilo
