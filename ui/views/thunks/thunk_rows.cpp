#include "ui/views/thunks/thunk_rows.h"

#include "core/workspace/thunks/thunk_launch.h"
#include "ui/models/source_text.h"
#include "ui/models/text_of.h"
#include "ui/views/thunks/heat_scale.h"
#include "ui/views/thunks/thunk_summary.h"

namespace hilo {
namespace {

// Which graph of the device it is part of, or why of none.
QString graphOf(const StudiedThunk& thunk) {
  return thunk.graph != StudiedThunk::kNone ? QString::number(thunk.graph)
         : thunk.whyNoGraph.empty()         ? QString()
                                            : QStringLiteral("no: ") + qs(thunk.whyNoGraph);
}

// "loop body": loops within loops have a body each.
std::string aroundOf(const ThunkStudy& study, const StudiedThunk& thunk) {
  if (thunk.parent == StudiedThunk::kNone) return {};
  const std::string& parent = study.thunks[thunk.parent].name;
  return thunk.part.empty() ? parent : parent + ' ' + thunk.part;
}

QString launchText(const std::optional<ThunkLaunch>& launch) {
  if (!launch) return {};
  return QString("%1 x %2 threads")
      .arg(countText(static_cast<int64_t>(launch->blocks)), countText(static_cast<int64_t>(launch->threads)));
}

}  // namespace

std::vector<TableColumn<ThunkTableRow>> thunkColumns() {
  using Row = ThunkTableRow;
  return {
      {"thunk", [](const Row& row) { return qs(row.facts.name); }},
      {"measured", [](const Row& row) { return thunkTimeText(row.facts.measuredNs); },
       [](const Row& row) { return static_cast<double>(row.facts.measuredNs); }},
      {"estimated", [](const Row& row) { return thunkTimeText(row.facts.estimatedNs); },
       [](const Row& row) { return static_cast<double>(row.facts.estimatedNs); }},
      {"share",
       [](const Row& row) {
         return row.share < 0 ? QString() : QString::number(100 * row.share, 'f', 1) + '%';
       },
       [](const Row& row) { return row.share; },
       [](const Row&) { return QString("Of the serial total of all thunks"); }},
      {"bytes",
       [](const Row& row) { return row.facts.usedBytes > 0 ? bytesText(row.facts.usedBytes) : QString(); },
       [](const Row& row) { return static_cast<double>(row.facts.usedBytes); }},
      {"kind", [](const Row& row) { return qs(row.facts.kind); }},
      {"launch", [](const Row& row) { return row.launch; }},
      {"parent", [](const Row& row) { return qs(row.in); }},
      {"source", [](const Row& row) { return row.source; }, nullptr,
       [](const Row& row) { return row.wholeSource; }},
      {"graph", [](const Row& row) { return graphOf(row.facts); }}};
}

std::vector<ThunkTableRow> thunkRows(const ThunkStudy& study, const Module* module) {
  const auto launches = launchesOf(study);
  double all = 0;
  for (const StudiedThunk& thunk : study.thunks) {
    if (thunk.parent == StudiedThunk::kNone) all += static_cast<double>(std::max<int64_t>(0, timeOf(thunk)));
  }
  std::vector<ThunkTableRow> rows;
  for (uint32_t i = 0; i < study.thunks.size(); ++i) {
    const StudiedThunk& thunk = study.thunks[i];
    ThunkTableRow row{.thunk = i, .facts = thunk, .in = aroundOf(study, thunk)};
    if (all > 0 && thunk.parent == StudiedThunk::kNone && timeOf(thunk) >= 0)
      row.share = static_cast<double>(timeOf(thunk)) / all;
    row.launch = launchText(launches[i]);
    const Instruction* instruction = module == nullptr || thunk.instructions.empty()
                                         ? nullptr
                                         : module->instruction(thunk.instructions[0]);
    if (instruction != nullptr) row.source = sourceText(*instruction);
    if (instruction != nullptr) row.wholeSource = wholeSourceText(*instruction);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<ThunkColumn> emptyThunkColumns(std::span<const ThunkTableRow> rows) {
  std::vector<ThunkColumn> empty;
  const auto check = [&](ThunkColumn column, auto known) {
    if (std::ranges::none_of(rows, known)) empty.push_back(column);
  };
  using Row = ThunkTableRow;
  check(ThunkColumn::Measured, [](const Row& row) { return row.facts.measuredNs >= 0; });
  check(ThunkColumn::Estimated, [](const Row& row) { return row.facts.estimatedNs >= 0; });
  check(ThunkColumn::Share, [](const Row& row) { return row.share >= 0; });
  check(ThunkColumn::Launch, [](const Row& row) { return !row.launch.isEmpty(); });
  check(ThunkColumn::Parent, [](const Row& row) { return !row.in.empty(); });
  check(ThunkColumn::Source, [](const Row& row) { return !row.source.isEmpty(); });
  check(ThunkColumn::Graph, [](const Row& row) { return !graphOf(row.facts).isEmpty(); });
  return empty;
}

}  // namespace hilo
