#include "ui/views/tune/tune_rows.h"

#include "ui/models/text_of.h"

namespace hilo {
namespace {

TuneRow rowOf(const TunedInstruction& tuned) {
  return {.instruction = tuned.instructions[0],
          .alike = tuned.instructions.size() - 1,
          .work = tuned.opcode,
          .backend = tuned.backend};
}

TuneRow keptRowOf(const TunedInstruction& tuned) {
  TuneRow row = rowOf(tuned);
  row.way = tuned.best;
  row.medianNs = tuned.bestNs;
  if (tuned.bestNs > 0)
    row.speedUp.median = static_cast<double>(tuned.defaultNs) / static_cast<double>(tuned.bestNs);
  row.isBest = row.wasKept = true;
  return row;
}

TuneRow triedRowOf(const TunedInstruction& tuned, const TriedConfig& tried) {
  TuneRow row = rowOf(tuned);
  row.way = tried.config;
  row.medianNs = tried.timings.medianNs();
  row.interval = tried.timings.medianIntervalNs();
  if (tried.ratio) row.speedUp = {1 / tried.ratio->median, 1 / tried.ratio->high, 1 / tried.ratio->low};
  row.isBest = tried.config == tuned.best;
  row.remark = tried.remark;
  return row;
}

QString ratioText(double ratio) { return QString::number(ratio, 'f', 2); }

QString speedUpText(const TuneRow& row) {
  const Ratio& ratio = row.speedUp;
  if (ratio.median == 0) return {};
  if (ratio.low == 0 || ratio.low == ratio.high) return ratioText(ratio.median);
  return QStringLiteral("%1 (%2 to %3)")
      .arg(ratioText(ratio.median), ratioText(ratio.low), ratioText(ratio.high));
}

QString noteOf(const TuneRow& row) {
  QStringList words;
  if (row.isBest) words << QStringLiteral("chosen");
  if (row.wasKept) words << QStringLiteral("found before");
  if (!row.remark.empty()) words << qs(row.remark);
  return words.join(QStringLiteral(", "));
}

}  // namespace

std::vector<TuneRow> tuneRowsOf(const TuneReport& report) {
  std::vector<TuneRow> rows;
  for (const TunedInstruction& tuned : report.tuned) {
    if (tuned.reused) rows.push_back(keptRowOf(tuned));
    for (const TriedConfig& tried : tuned.tried) rows.push_back(triedRowOf(tuned, tried));
  }
  return rows;
}

std::vector<TableColumn<TuneRow>> tuneColumns() {
  using Row = TuneRow;
  return {
      {"instruction",
       [](const Row& row) {
         return row.alike == 0 ? qs(row.instruction)
                               : QStringLiteral("%1 and %2 more").arg(qs(row.instruction)).arg(row.alike);
       }},
      {"kernel", [](const Row& row) { return qs(row.work); }},
      {"variant", [](const Row& row) { return qs(row.backend) + QStringLiteral(": ") + qs(row.way); }},
      {"median", [](const Row& row) { return row.medianNs == 0 ? QString() : durationText(row.medianNs); },
       [](const Row& row) { return static_cast<double>(row.medianNs); }},
      {"95% interval",
       [](const Row& row) {
         return row.interval ? QStringLiteral("%1 to %2")
                                   .arg(durationText(row.interval->low), durationText(row.interval->high))
                             : QString();
       }},
      {"speed-up", speedUpText, [](const Row& row) { return row.speedUp.median; },
       [](const Row&) { return QStringLiteral("The default's time over this one's, of the same turn"); }},
      {"outcome", noteOf}};
}

}  // namespace hilo
