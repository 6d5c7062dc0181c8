#include "app/cli/comparison_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/cli/report.h"

namespace hilo::cli {
namespace {

using enum Table::Align;

nlohmann::json conditionJson(const Condition& condition) {
  const auto number = [](double value) { return std::isfinite(value) ? nlohmann::json(value) : nullptr; };
  nlohmann::json leaves = nlohmann::json::array();
  for (const LeafCondition& leaf : condition.leaves) {
    leaves.push_back({{"max_off", number(leaf.mostOff)},
                      {"rms_off", number(leaf.rmsOff)},
                      {"max_moved", number(leaf.mostMoved)},
                      {"rms_moved", number(leaf.rmsMoved)},
                      {"times", number(leaf.times())}});
  }
  return {{"draws", condition.draws},
          {"times", number(condition.times)},
          {"most_times", Condition::kMostTimes},
          {"is_rounding", condition.isRounding()},
          {"leaves", leaves}};
}

std::string verdictText(const RunComparison& c) {
  if (c.hasNaNsAlone)
    return "match, and says nothing: every element is NaN on both sides (other arguments: --args, --seed; "
           "where it begins: hilo run --nan-origin)";
  if (c.bitwiseEqual) return "match, bit for bit";
  int64_t terms = 1;
  for (const LeafComparison& leaf : c.leaves) {
    if (leaf.mismatches > 0) terms = std::max(terms, leaf.rounding.terms);
  }
  const bool sums = c.verdict == Verdict::DiffersByRounding && terms > 1;
  return fmt::format("{}{}", verdictName(c.verdict),
                     sums ? fmt::format(": up to {} terms are added up on the way", grouped(terms)) : "");
}

}  // namespace

void printCondition(const Condition& condition, const RunComparison& comparison) {
  Table table({Left, Left, Right, Right, Right, Right, Right});
  table.add({"output", "name", "max error", "rms error", "max moved", "rms moved", "error / moved"});
  for (size_t i = 0; i < condition.leaves.size(); ++i) {
    const LeafCondition& leaf = condition.leaves[i];
    if (comparison.leaves[i].mismatches == 0) continue;
    const std::string& path = comparison.leaves[i].path;
    table.add({path.empty() ? "{}" : path, comparison.leaves[i].name, fmt::format("{:.3g}", leaf.mostOff),
               fmt::format("{:.3g}", leaf.rmsOff), fmt::format("{:.3g}", leaf.mostMoved),
               fmt::format("{:.3g}", leaf.rmsMoved), fmt::format("{:.3g}", leaf.times())});
  }
  fmt::print("\n{}", table.text());
  fmt::print("{}\n", conditionText(condition));
}

nlohmann::json comparisonJson(const RunComparison& c, const Condition* condition,
                              const std::vector<ComparedSide>& sides) {
  nlohmann::json leaves = nlohmann::json::array();
  for (const LeafComparison& leaf : c.leaves) {
    leaves.push_back(
        {{"path", leaf.path},
         {"name", leaf.name},
         {"shape", leaf.shape},
         {"elements", leaf.elements},
         {"mismatches", leaf.mismatches},
         {"beyond_rounding", leaf.beyondRounding},
         {"expected_rounding", {{"relative", leaf.rounding.relative}, {"terms", leaf.rounding.terms}}},
         {"max_abs", leaf.maxAbsError},
         {"max_rel", leaf.maxRelError},
         {"max_ulp", leaf.maxUlpError},
         {"first_mismatch", leaf.firstMismatch},
         {"nan", {leaf.nanA, leaf.nanB}},
         {"inf", {leaf.infA, leaf.infB}},
         {"ulp_histogram", leaf.ulpHistogram}});
  }
  nlohmann::json json = {{"a", sides[0].name},
                         {"b", sides[1].name},
                         {"verdict", verdictName(c.verdict)},
                         {"bitwise_equal", c.bitwiseEqual},
                         {"nan_alone", c.hasNaNsAlone},
                         {"comparable", c.comparable},
                         {"not_comparable", c.notComparable},
                         {"median_ns", {c.a.timings.medianNs(), c.b.timings.medianNs()}},
                         {"median_ratio", c.medianRatio},
                         {"notes", {c.a.notes, c.b.notes}},
                         {"findings", {findingsJson(c.a.findings), findingsJson(c.b.findings)}},
                         {"samples_ns", {c.a.timings.samplesNs, c.b.timings.samplesNs}},
                         {"leaves", leaves}};
  if (condition != nullptr) json["condition"] = conditionJson(*condition);
  if (c.pairedRatio)
    json["paired_ratio"] = {
        {"median", c.pairedRatio->median}, {"low", c.pairedRatio->low}, {"high", c.pairedRatio->high}};
  return json;
}

void printComparison(const RunComparison& c, const std::vector<ComparedSide>& sides) {
  Table times({Left, Left, Right, Right, Right, Right});
  times.add({"", "engine", "median", "p10", "p90", "n"});
  for (const auto& [run, side] : {std::pair(&c.a, &sides[0]), std::pair(&c.b, &sides[1])}) {
    const Timings& t = run->timings;
    if (t.n() == 0) {
      times.add({side->name, run->engine, "-", "", "", ""});
      continue;
    }
    if (t.n() == 1) {
      times.add({side->name, run->engine, durationText(t.medianNs()) + ", one cold run", "", "", ""});
      continue;
    }
    times.add({side->name, run->engine, medianText(t), durationText(t.quantileNs(0.1)),
               durationText(t.quantileNs(0.9)), fmt::format("{}", t.n())});
  }
  fmt::print("{}", times.text());
  if (c.pairedRatio) {
    fmt::print("interleaved: {} / {} = {:.3f} (95% CI {:.3f} to {:.3f})\n", sides[1].name, sides[0].name,
               c.pairedRatio->median, c.pairedRatio->low, c.pairedRatio->high);
  }
  if (!c.comparable) {
    fmt::print("\nthe outputs cannot be compared: {}\n", c.notComparable);
    return;
  }
  Table leaves({Left, Left, Left, Right, Right, Right, Right, Right, Right, Right, Left});
  leaves.add({"output", "name", "shape", "mismatches", "beyond rounding", "max abs", "max rel", "max ulp",
              "nan", "inf", "first mismatch"});
  for (const LeafComparison& leaf : c.leaves) {
    leaves.add({leaf.path.empty() ? "{}" : leaf.path, leaf.name, leaf.shape, grouped(leaf.mismatches),
                grouped(leaf.beyondRounding), fmt::format("{:.3g}", leaf.maxAbsError),
                fmt::format("{:.3g}", leaf.maxRelError), fmt::format("{:.3g}", leaf.maxUlpError),
                fmt::format("{}/{}", leaf.nanA, leaf.nanB), fmt::format("{}/{}", leaf.infA, leaf.infB),
                leaf.firstMismatch});
  }
  fmt::print("\n{}\n{}\n", leaves.text(), verdictText(c));
  for (const RunRecord* run : {&c.a, &c.b}) {
    for (const std::string& note : run->notes) fmt::print("note: {}: {}\n", run->engine, note);
  }
}

}  // namespace hilo::cli
