#include "app/cli/opt_against.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/dump_module.h"
#include "app/cli/progress_line.h"
#include "app/cli/report.h"
#include "core/workspace/passes/beside.h"
#include "core/workspace/path/open_path.h"

namespace hilo::cli {
namespace {

using enum Table::Align;

// The pass itself, and not whatever ours ends with.
bool isMissing(const SeriesStep& theirs, const SeriesStep& ours) {
  return ours.isAbsent() && ours.name == theirs.name;
}

nlohmann::json pairJson(const PassSeries& both, const PairDifference& pair) {
  const SeriesStep &theirs = both.steps[pair.steps.theirs], &ours = both.steps[pair.steps.ours];
  return {{"pass", theirs.name},
          {"pipeline", theirs.pipeline},
          {"file", theirs.path},
          {"ours", ours.name},
          {"there", !isMissing(theirs, ours)},
          {"instructions", {{"theirs", pair.theirs}, {"ours", pair.ours}}},
          {"added", pair.added},
          {"removed", pair.removed},
          {"changed", pair.changed},
          {"moved", pair.moved},
          {"same", pair.isSame()}};
}

// The stages without a pass of ours.
nlohmann::json unpairedJson(const PassSeries& both) {
  nlohmann::json json = nlohmann::json::array();
  for (size_t n = 0; n < both.steps.size(); ++n) {
    if (both.isTheirs(n) && !twinOf(both, n)) json.push_back(both.steps[n].name);
  }
  return json;
}

void printPairs(const PassSeries& both, const std::vector<PairDifference>& pairs,
                const PairDifference* parting) {
  Table table({Left, Left, Right, Right, Right, Right, Right, Right, Left});
  table.add({"after", "pipeline", "theirs", "ours", "added", "removed", "changed", "moved", ""});
  const auto number = [](size_t n) { return n == 0 ? std::string("-") : grouped(static_cast<int64_t>(n)); };
  for (const PairDifference& pair : pairs) {
    const SeriesStep& theirs = both.steps[pair.steps.theirs];
    table.add({theirs.name, theirs.pipeline.empty() ? "-" : theirs.pipeline,
               grouped(static_cast<int64_t>(pair.theirs)), grouped(static_cast<int64_t>(pair.ours)),
               number(pair.added), number(pair.removed), number(pair.changed), number(pair.moved),
               isMissing(theirs, both.steps[pair.steps.ours]) ? "not there in ours"
               : pair.isSame()                                ? "same"
                                                              : ""});
  }
  fmt::print("{}", table.text());
  for (const auto& name : unpairedJson(both)) fmt::print("no pass of ours: {}\n", name.get<std::string>());
  if (parting == nullptr) {
    fmt::print("\nthe same after every pass that both have\n");
    return;
  }
  const SeriesStep& stage = both.steps[parting->steps.theirs];
  fmt::print("\nthey part after {}{}\n", stage.name,
             stage.pipeline.empty() ? "" : fmt::format(", in {}", stage.pipeline));
  if (!stage.path.empty())
    fmt::print("  --dump-after all DIR writes ours; then: hilo diff {} DIR/... --lineage\n", stage.path);
}

}  // namespace

Result<PassSeries> besideDump(const std::string& path, const std::string& module, OptimizeRequest request) {
  TRY(const auto dump, openDump(path));
  TRY(const size_t index, moduleOfDump(*dump, module));
  const PassSeries stages = seriesFromDump(dump, index);
  return withProgress("passes", [&](JobContext& job) { return oursBesideStages(stages, request, job); });
}

PassSeries oursOf(const PassSeries& both) {
  PassSeries ours{.title = both.title, .sharedIds = both.sharedIds, .notes = both.notes};
  for (size_t n = 0; n < both.steps.size(); ++n) {
    if (!both.isTheirs(n)) ours.steps.push_back(both.steps[n]);
  }
  return ours;
}

int printAgainst(const PassSeries& both, bool json) {
  const auto pairs = withProgress("compare", [&](JobContext& job) { return comparePairs(both, job); });
  if (!pairs) {
    printError(pairs.error());
    return kNo;
  }
  const auto found = std::ranges::find_if(*pairs, [](const PairDifference& pair) { return !pair.isSame(); });
  const PairDifference* parting = found == pairs->end() ? nullptr : &*found;
  if (!json) {
    printPairs(both, *pairs, parting);
    return parting == nullptr ? kOk : kNo;
  }
  nlohmann::json rows = nlohmann::json::array();
  for (const PairDifference& pair : *pairs) rows.push_back(pairJson(both, pair));
  printJson({{"module", both.title},
             {"notes", both.notes},
             {"pairs", std::move(rows)},
             {"without_ours", unpairedJson(both)},
             {"part_after", parting == nullptr ? nlohmann::json() : pairJson(both, *parting)}});
  return parting == nullptr ? kOk : kNo;
}

}  // namespace hilo::cli
