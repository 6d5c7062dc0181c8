#include "ui/views/compare/compare_view.h"

#include <QHBoxLayout>
#include <QSplitter>
#include <QVBoxLayout>

#include "ui/models/argument_text.h"
#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

QString errorText(double value) { return value == 0 ? QString("0") : QString::number(value, 'g', 4); }

constexpr int kTimesMovedColumn = 4;

}  // namespace

std::vector<TableColumn<CompareView::LeafRow>> CompareView::leafColumns() {
  const auto error = [](auto field) {
    return [field](const LeafRow& r) { return errorText(r.leaf.*field); };
  };
  const auto key = [](auto field) { return [field](const LeafRow& r) { return r.leaf.*field; }; };
  return {
      {"output", [](const LeafRow& r) { return r.leaf.path.empty() ? QString("output") : qs(r.leaf.path); }},
      {"name", [](const LeafRow& r) { return qs(r.leaf.name); }},
      {"shape", [](const LeafRow& r) { return qs(r.leaf.shape); }},
      {"differ", [](const LeafRow& r) { return countText(r.leaf.mismatches); },
       [](const LeafRow& r) { return static_cast<double>(r.leaf.mismatches); }},
      {"error / sensitivity",
       [](const LeafRow& r) { return r.timesMoved < 0 ? QString() : QString::number(r.timesMoved, 'g', 3); },
       [](const LeafRow& r) { return r.timesMoved; },
       [](const LeafRow&) {
         return QString("The error in units of how far the output moves when its arguments move by one ULP");
       }},
      {"max abs", error(&LeafComparison::maxAbsError), key(&LeafComparison::maxAbsError)},
      {"max rel", error(&LeafComparison::maxRelError), key(&LeafComparison::maxRelError)},
      {"max ULP", error(&LeafComparison::maxUlpError), key(&LeafComparison::maxUlpError)},
      {"NaN a/b", [](const LeafRow& r) { return QString("%1 / %2").arg(r.leaf.nanA).arg(r.leaf.nanB); },
       [](const LeafRow& r) { return static_cast<double>(r.leaf.nanA + r.leaf.nanB); }},
      {"Inf a/b", [](const LeafRow& r) { return QString("%1 / %2").arg(r.leaf.infA).arg(r.leaf.infB); },
       [](const LeafRow& r) { return static_cast<double>(r.leaf.infA + r.leaf.infB); }},
      {"first mismatch", [](const LeafRow& r) { return qs(r.leaf.firstMismatch); }},
  };
}

CompareView::CompareView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      timings_({{"time", [](const TimingRow& r) { return r.what; }},
                {"first run", [](const TimingRow& r) { return r.a; }},
                {"second run", [](const TimingRow& r) { return r.b; }},
                {"second / first", [](const TimingRow& r) { return r.ratio; }}}),
      leaves_(leafColumns()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  verdict_ = new QLabel(
      "No runs are compared yet.\nRun a module twice (Ctrl+R), select both rows of the runs list and press "
      "Compare "
      "(Ctrl+D).",
      this);
  verdict_->setMargin(kSpace);
  verdict_->setWordWrap(true);
  divergence_ = new QPushButton("First divergence", this);
  divergence_->setToolTip(
      "Go to the first instruction at which the second run's engine diverges from the first's, on the module "
      "that "
      "is shown");
  divergence_->hide();
  auto* head = new QHBoxLayout;
  head->setContentsMargins(0, 0, kSpace, 0);
  head->addWidget(verdict_, 1);
  head->addWidget(divergence_);
  layout->addLayout(head);
  rounding_ = new RoundingRow(context_, this);
  layout->addWidget(rounding_);
  connect(rounding_, &RoundingRow::measured, this,
          [this](const Condition& condition) { showLeaves(&condition); });
  connect(divergence_, &QPushButton::clicked, this, &CompareView::askDivergence);
  split_ = new QSplitter(Qt::Vertical, this);
  auto* split = split_;
  timingTable_ = new TableView(split);
  timingTable_->setAccessibleName("Times");
  timingTable_->setSortingEnabled(false);
  timingTable_->setModel(&timings_);
  timingTable_->setColumnWidths({16, 26, 26, 16});
  leafTable_ = new TableView(split);
  leafTable_->setAccessibleName("Outputs");
  leafTable_->setModel(&leaves_);
  leafTable_->setColumnWidths({8, 18, 14, 9, 11, 9, 9, 14, 14, 10, 16});
  leafTable_->setEmptyText(
      "The outputs are not at hand or of different shapes: there is nothing to compare.");
  leaves_.setForeground([this](const LeafRow& r) -> QVariant {
    return r.leaf.mismatches > 0 ? QVariant(themeOf(*this).colour(ColourRole::kError)) : QVariant();
  });
  histogram_ = new HistogramWidget("Select an output leaf.", split);
  split->addWidget(timingTable_);
  split->addWidget(leafTable_);
  split->addWidget(histogram_);
  split->setSizes({150, 210, 160});
  layout->addWidget(split, 1);
  layout->addStretch();
  split->hide();
  connect(leafTable_, &TableView::currentRowChanged, this, [this](const QModelIndex& index) {
    if (const LeafRow* row = leaves_.rowAt(index)) histogram_->setBars(ulpBars(row->leaf.ulpHistogram));
  });
  connect(&context_.changes, &SessionChanges::comparedRunsChanged, this, &CompareView::compare);
  compare();
}

void CompareView::compare() {
  const auto& pair = context_.session.runs().compared();
  if (!pair) return;
  verdict_->setText("Comparing ...");
  context_.jobs.submit(
      "compare", "Compare two runs",
      [pair = *pair, inTurns = context_.session.runs().comparedInTurns()](
          JobContext&) -> Result<RunComparison> { return compareRuns(pair.first, pair.second, {}, inTurns); },
      [this](Result<RunComparison> comparison) {
        if (comparison) show(*std::move(comparison));
      },
      &scope_);
}

// The arguments as they were: a file, or a seed.
void CompareView::askDivergence() {
  const auto& pair = context_.session.runs().compared();
  if (!pair) return;
  const Snapshot* snapshot = context_.session.current();
  context_.bus.ask(FindDivergence{qs(pair->first.engine), qs(pair->second.engine),
                                  argumentSourceOf(qs(pair->first.argumentsDescription),
                                                   snapshot == nullptr ? nullptr : snapshot->file.get())});
}

void CompareView::sayWhyNot(const QString& why) {
  if (context_.session.runs().compared()) return;
  verdict_->setText(why +
                    "\nWhat cannot be run cannot be compared by its results; Module > Compare with another "
                    "module compares it instruction by instruction.");
}

void CompareView::showTimings(const RunComparison& c) {
  const auto title = [](const RunRecord& r) {
    return QString("run %1, %2").arg(r.id.value).arg(qs(r.engine));
  };
  std::vector<TimingRow> rows = {{"", title(c.a), title(c.b), ""},
                                 {"label", qs(c.a.label), qs(c.b.label), ""}};
  const auto quantile = [&](const char* what, double fraction) {
    const int64_t a = c.a.timings.quantileNs(fraction);
    const int64_t b = c.b.timings.quantileNs(fraction);
    const bool both = c.a.timings.n() > 0 && c.b.timings.n() > 0 && a > 0;
    rows.push_back({what, c.a.timings.n() > 0 ? durationText(a) : "-",
                    c.b.timings.n() > 0 ? durationText(b) : "-",
                    both ? QString::number(static_cast<double>(b) / static_cast<double>(a), 'f', 3) : "-"});
  };
  quantile("median", 0.5);
  const auto interval = [](const RunRecord& r) {
    const auto known = r.timings.medianIntervalNs();
    return known ? QString("%1 to %2").arg(durationText(known->low), durationText(known->high))
                 : QString("under 6 samples");
  };
  rows.push_back({"95% interval", interval(c.a), interval(c.b),
                  c.pairedRatio ? QString("%1 (%2 to %3)")
                                      .arg(c.pairedRatio->median, 0, 'f', 3)
                                      .arg(c.pairedRatio->low, 0, 'f', 3)
                                      .arg(c.pairedRatio->high, 0, 'f', 3)
                                : QString("-")});
  quantile("p10", 0.1);
  quantile("p90", 0.9);
  rows.push_back({"n", QString::number(c.a.timings.n()), QString::number(c.b.timings.n()), ""});
  timings_.setRows(std::move(rows));
}

void CompareView::showVerdict(const RunComparison& c) {
  const Theme& theme = themeOf(*this);
  QString text;
  ColourRole role = ColourRole::kSuccess;
  if (!c.comparable) {
    text = "The outputs cannot be compared: " + qs(c.notComparable);
    role = ColourRole::kWarning;
  } else if (c.hasNaNsAlone) {
    text = "Both sides are NaN everywhere: that they agree says nothing. Other arguments would.";
    role = ColourRole::kWarning;
  } else if (c.bitwiseEqual) {
    text = "The outputs match, bit for bit.";
  } else if (c.verdict == Verdict::Match) {
    text = "The outputs match within the tolerance.";
  } else if (c.verdict == Verdict::DiffersByRounding) {
    text = "The outputs differ by rounding.";
    role = ColourRole::kWarning;
  } else {
    const auto wrong =
        std::ranges::count_if(c.leaves, [](const LeafComparison& l) { return l.mismatches > 0; });
    text = QString("%1 of %2 outputs differ.").arg(wrong).arg(c.leaves.size());
    role = ColourRole::kError;
  }
  if (c.pairedRatio) {
    const Ratio& ratio = *c.pairedRatio;
    const bool same = ratio.low <= 1 && ratio.high >= 1;
    text += same ? QString(" Interleaved: no significant difference (B/A %1 to %2).")
                       .arg(ratio.low, 0, 'f', 3)
                       .arg(ratio.high, 0, 'f', 3)
                 : QString(" Interleaved: B/A = %1x (95% CI %2 to %3).")
                       .arg(ratio.median, 0, 'f', 3)
                       .arg(ratio.low, 0, 'f', 3)
                       .arg(ratio.high, 0, 'f', 3);
  } else if (c.medianRatio > 0) {
    const double ratio = c.medianRatio;
    constexpr double kAsShown = 0.005;  // what two digits do not tell apart
    text += std::abs(ratio - 1) < kAsShown ? QString(" Both took the same time.")
            : ratio >= 1 ? QString(" The second run took %1 times as long.").arg(ratio, 0, 'f', 2)
                         : QString(" The second run is %1 times faster.").arg(1 / ratio, 0, 'f', 2);
    if (!c.a.timings.medianIntervalNs() || !c.b.timings.medianIntervalNs())
      text += " A 95% CI needs at least 6 samples of each.";
  }
  verdict_->setText(
      QString("<b style='color:%1'>%2</b>").arg(theme.colour(role).name(), text.toHtmlEscaped()));
}

void CompareView::show(RunComparison c) {
  shown_ = std::make_shared<const RunComparison>(std::move(c));
  split_->show();
  divergence_->setVisible(shown_->a.engine != shown_->b.engine &&
                          shown_->a.moduleHash == shown_->b.moduleHash);
  showVerdict(*shown_);
  rounding_->setComparison(shown_);
  showTimings(*shown_);
  histogram_->setBars({});
  showLeaves(nullptr);
  if (leaves_.rowCount() > 0) leafTable_->setCurrentIndex(leaves_.index(0, 0));
}

// With what was measured of them; null: nothing.
void CompareView::showLeaves(const Condition* condition) {
  std::vector<LeafRow> rows;
  for (const LeafComparison& leaf : shown_->leaves) {
    const bool isMeasured = condition != nullptr && leaf.mismatches > 0;
    rows.push_back({leaf, isMeasured ? condition->leaves[rows.size()].times() : -1});
  }
  leaves_.setRows(std::move(rows));
  leafTable_->setColumnHidden(kTimesMovedColumn, condition == nullptr);
}

void CompareView::take(const ViewAsk& what) {
  if (const auto* failed = std::get_if<RunFailed>(&what)) sayWhyNot(failed->why);
}

// Two runs, which the view of runs makes.
Status CompareView::prepare(const RenderRequest& request, const RenderSteps& steps) {
  TRY_STATUS(steps.prepare("runs"));
  if (request.run) rounding_->measure();
  return steps.wait();
}

QString CompareView::commandLine(ShownState state) const {
  const auto& runs = context_.session.runs().compared();
  const ModuleInput input = writtenModule(context_.session);
  const auto isSeeded = [](const RunRecord& run) {
    return run.flags.empty() && run.argumentsDescription.starts_with("seed");
  };
  const bool isOfOneModule = runs && runs->first.moduleHash == runs->second.moduleHash &&
                             runs->first.argumentsDescription == runs->second.argumentsDescription;
  if (input.file.isEmpty() || !isOfOneModule || !isSeeded(runs->first) || !isSeeded(runs->second))
    return View::commandLine(std::move(state));
  const auto& [a, b] = *runs;
  return input.before + QString("hilo compare --engines %1,%2 --seed%3 --repeat %4 %5")
                            .arg(qs(a.engine), qs(b.engine), qs(a.argumentsDescription).mid(4))
                            .arg(std::max<size_t>(1, a.timings.samplesNs.size()))
                            .arg(input.file);
}

View* makeCompareView(const ViewContext& context) { return new CompareView(context); }

}  // namespace hilo
