#include "ui/views/bisect/bisect_rows.h"

#include "ui/models/text_of.h"

namespace hilo {
namespace {

QString whatText(const Observation& seen) {
  if (seen.what.empty()) return qs(seen.kind);
  return seen.kind.empty() || seen.what == seen.kind ? qs(seen.what) : qs(seen.kind) + ": " + qs(seen.what);
}

QString rewriteText(const Bisection& found) {
  if (!found.rewrite) return QString("The rewrite is not known: %1.").arg(qs(found.whyNoRewrite));
  const BadRewrite& rewrite = *found.rewrite;
  const QString which = rewrite.bad == rewrite.good + 1
                            ? QString("Rewrite %1").arg(rewrite.bad)
                            : QString("One of the rewrites %1 to %2").arg(rewrite.good + 1).arg(rewrite.bad);
  return rewrite.instruction ? QString("%1 of this run, of %%2.").arg(which, qs(rewrite.instruction->name))
                             : which + " of this run.";
}

}  // namespace

std::vector<LookRow> lookRowsOf(const Bisection& search) {
  std::vector<LookRow> rows;
  for (const BisectLook& look : search.looks) rows.push_back({static_cast<int>(rows.size()) + 1, look});
  return rows;
}

std::vector<TableColumn<LookRow>> lookColumns() {
  using Row = LookRow;
  return {
      {"look", [](const Row& r) { return QString::number(r.number); }, [](const Row& r) { return r.number; }},
      {"step", [](const Row& r) { return QString::number(r.look.step); },
       [](const Row& r) { return static_cast<double>(r.look.step); }},
      {"after", [](const Row& r) { return qs(r.look.name); }},
      {"rewrites", [](const Row& r) { return r.look.fuel < 0 ? QString("all") : countText(r.look.fuel); },
       [](const Row& r) { return r.look.fuel < 0 ? 1e18 : static_cast<double>(r.look.fuel); }},
      {"seen", [](const Row& r) { return qs(sightName(r.look.seen.sight)); }},
      {"why", [](const Row& r) { return whatText(r.look.seen); }}};
}

std::vector<ReducedRow> reducedRowsOf(std::shared_ptr<const Module> input, const Reduction& reduction) {
  std::vector<ReducedRow> rows;
  const auto count = [](const Module& module) { return static_cast<int64_t>(module.instructionCount()); };
  rows.push_back({0, "input", 0, count(*input), 0, input});
  for (const ReducedStep& step : reduction.steps)
    rows.push_back({rows.size(), qs(step.move), step.sites, count(*step.module), step.atNs, step.module});
  return rows;
}

std::vector<TableColumn<ReducedRow>> reducedColumns() {
  using Row = ReducedRow;
  return {{"step", [](const Row& r) { return QString::number(r.step); },
           [](const Row& r) { return static_cast<double>(r.step); }},
          {"move", [](const Row& r) { return r.move; }},
          {"places",
           [](const Row& r) { return r.step == 0 ? QString() : countText(static_cast<int64_t>(r.sites)); },
           [](const Row& r) { return static_cast<double>(r.sites); }},
          {"instructions", [](const Row& r) { return countText(r.instructions); },
           [](const Row& r) { return static_cast<double>(r.instructions); }},
          {"after", [](const Row& r) { return durationText(static_cast<double>(r.atNs)); },
           [](const Row& r) { return static_cast<double>(r.atNs); }}};
}

std::vector<TableColumn<MoveTally>> moveColumns() {
  using Row = MoveTally;
  return {{"move", [](const Row& r) { return qs(r.move); }},
          {"tried", [](const Row& r) { return countText(r.candidates); },
           [](const Row& r) { return static_cast<double>(r.candidates); }},
          {"watched", [](const Row& r) { return countText(r.looks); },
           [](const Row& r) { return static_cast<double>(r.looks); }},
          {"taken", [](const Row& r) { return countText(r.taken); },
           [](const Row& r) { return static_cast<double>(r.taken); }}};
}

QString answerOf(const Bisection& found) {
  const QString end = whatText(found.end);
  switch (found.outcome) {
    case BisectOutcome::BadAtStart:
      return QString("Bad before the first pass: %1.").arg(end);
    case BisectOutcome::GoodAtEnd:
      return QString("Good after the last pass: %1.").arg(end);
    case BisectOutcome::UnknownAtStart:
      return QString("It cannot be told whether the input is good: %1").arg(end);
    case BisectOutcome::UnknownAtEnd:
      return QString("It cannot be told whether the end is bad: %1").arg(end);
    case BisectOutcome::Found:
      break;
  }
  const QString pass = found.isOneStep ? QString("%1 broke it.").arg(qs(found.pass))
                                       : QString("One of the steps %1 to %2 broke it; the last is %3.")
                                             .arg(found.lastGood + 1)
                                             .arg(found.firstBad)
                                             .arg(qs(found.pass));
  return QString("%1 %2 %3").arg(pass, rewriteText(found), end);
}

}  // namespace hilo
