#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "core/hlo/eval/kernel.h"
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

const Literal& leafAt(const Literal& output, std::span<const int64_t> path) {
  const Literal* at = &output;
  for (const int64_t element : path) at = &at->elements()[static_cast<size_t>(element)];
  return *at;
}

// What is expected of the two sides, the worse of them. Every device has the same arrays.
ExpectedRounding roundingOf(const RunComparison& comparison, size_t leaf, size_t leaves) {
  const size_t ofDevice = leaf % (leaves / static_cast<size_t>(comparison.a.devices));
  ExpectedRounding worst;
  for (const RunRecord* run : {&comparison.a, &comparison.b}) {
    if (ofDevice >= run->rounding.size()) continue;
    worst.relative = std::max(worst.relative, run->rounding[ofDevice].relative);
    worst.terms = std::max(worst.terms, run->rounding[ofDevice].terms);
  }
  return worst;
}

// The median magnitude of those elements that are finite and not 0: of about a million at most.
double typicalMagnitude(const Literal& array) {
  constexpr int64_t kMost = 1 << 20;
  const ElementType type = array.shape().elementType();
  const int64_t count = array.shape().elementCount(), step = count / kMost + 1;
  std::vector<double> magnitudes;
  for (int64_t i = 0; i < count; i += step) {
    std::complex<double> value;
    convertElements(&value, ElementType::C128, array.bytes().data() + i * elementStorageBytes(type), type, 1);
    const double magnitude = std::abs(value);
    if (magnitude != 0 && std::isfinite(magnitude)) magnitudes.push_back(magnitude);
  }
  if (magnitudes.empty()) return 0;
  const auto middle = magnitudes.begin() + static_cast<std::ptrdiff_t>(magnitudes.size() / 2);
  std::ranges::nth_element(magnitudes, middle);
  return *middle;
}

int64_t beyondRounding(const Literal& a, const Literal& b, const ExpectedRounding& expected) {
  // An element errs by a few times what is expected of all: of a million, one by five.
  constexpr double kTimes = 4;
  const double relative = kTimes * expected.relative;
  const double absolute = expected.terms > 1 ? relative * typicalMagnitude(b) : 0;
  const CompareTolerance own = defaultTolerance(b.shape().elementType());
  const auto compared = compareLiterals(
      a, b, {.absolute = std::max(absolute, own.absolute), .relative = std::max(relative, own.relative)});
  return compared->front().mismatches;
}

Verdict verdictOf(std::span<const LeafComparison> leaves) {
  const auto noneOf = [&](auto count) {
    return std::ranges::all_of(leaves, [&](const LeafComparison& leaf) { return leaf.*count == 0; });
  };
  if (noneOf(&LeafComparison::mismatches)) return Verdict::Match;
  return noneOf(&LeafComparison::beyondRounding) ? Verdict::DiffersByRounding : Verdict::Differs;
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
    comparison.verdict = comparison.bitwiseEqual ? Verdict::Match : Verdict::Differs;
    return;
  }
  auto differences = compareLiterals(*comparison.a.output, *comparison.b.output,
                                     {.absolute = tolerance.absolute, .relative = tolerance.relative});
  if (!differences) {
    comparison.notComparable = differences.error().message;
    return;
  }
  comparison.comparable = true;
  comparison.bitwiseEqual =
      std::ranges::all_of(*differences, [](const LiteralDifference& d) { return d.bitDifferences == 0; });
  for (LiteralDifference& difference : *differences) {
    std::string name = resultWith(difference.path, comparison.a);
    const std::vector<int64_t> path = difference.path;
    LeafComparison& leaf =
        comparison.leaves.emplace_back(leafComparison(std::move(difference), comparison.a.devices));
    leaf.name = std::move(name);
    leaf.beyondRounding = leaf.mismatches;
    if (leaf.mismatches == 0 || tolerance.absolute >= 0 || tolerance.relative >= 0) continue;
    leaf.rounding = roundingOf(comparison, comparison.leaves.size() - 1, differences->size());
    leaf.beyondRounding =
        beyondRounding(leafAt(*comparison.a.output, path), leafAt(*comparison.b.output, path), leaf.rounding);
  }
  comparison.verdict = verdictOf(comparison.leaves);
  comparison.hasNaNsAlone =
      !comparison.leaves.empty() && std::ranges::all_of(comparison.leaves, [](const LeafComparison& leaf) {
        return leaf.elements > 0 && leaf.nanA == leaf.elements && leaf.nanB == leaf.elements;
      });
}

}  // namespace

const char* verdictName(Verdict verdict) {
  static constexpr const char* kNames[kVerdictCount] = {"match", "differ by rounding", "differ"};
  return kNames[static_cast<size_t>(verdict)];
}

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
