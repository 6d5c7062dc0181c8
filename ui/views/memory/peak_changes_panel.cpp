#include "ui/views/memory/peak_changes_panel.h"

#include <QVBoxLayout>

#include "core/workspace/session/comparable.h"
#include "core/workspace/session/session.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/views/memory/memory_rows.h"
#include "ui/widgets/wrapping_row.h"

namespace hilo {
namespace {

constexpr const char* kHowTo =
    "Tries, one at a time, what may lower the peak: arguments given to results, another order, values "
    "computed "
    "again or kept on the host, layouts, shardings.";

QString stepText(const PeakFigures& figures) {
  return figures.stepNs ? durationText(*figures.stepNs) : QString("not known");
}

QStringList doneOf(const PeakTrial& trial) {
  QStringList lines;
  for (const std::string& line : trial.done) lines << qs(line);
  return lines;
}

// What the change did, or why it did nothing.
QString resultText(const PeakTrial& trial) {
  if (!trial.figures) return qs(trial.whyNot);
  const QStringList lines = doneOf(trial);
  if (lines.size() > 1) return QString("%1 and %2 more").arg(lines.first()).arg(lines.size() - 1);
  return lines.join(QString());
}

// A column of figures; what could not be made has none, and comes last.
TableColumn<PeakTrial> figureColumn(const char* title, std::function<QString(const PeakFigures&)> text,
                                    std::function<double(const PeakFigures&)> number) {
  return {title, [text](const PeakTrial& t) { return t.figures ? text(*t.figures) : QString(); },
          [number](const PeakTrial& t) {
            return t.figures ? number(*t.figures) : std::numeric_limits<double>::infinity();
          }};
}

TableColumn<PeakTrial> bytesColumn(const char* title, int64_t PeakFigures::* field) {
  return figureColumn(
      title, [field](const PeakFigures& f) { return f.*field == 0 ? QString() : bytesText(f.*field); },
      [field](const PeakFigures& f) { return static_cast<double>(f.*field); });
}

// More or less than before.
TableColumn<PeakTrial> changeColumn(int64_t PeakFigures::* field,
                                    const std::shared_ptr<const PeakStudy>& study) {
  const auto change = [field, &study](const PeakFigures& f) { return f.*field - study->figures.*field; };
  return figureColumn(
      "change", [change](const PeakFigures& f) { return signedBytes(change(f), "as before"); },
      [change](const PeakFigures& f) { return static_cast<double>(change(f)); });
}

std::vector<TableColumn<PeakTrial>> columns(const std::shared_ptr<const PeakStudy>& study) {
  return {{"what", [](const PeakTrial& t) { return qs(t.change.text); }, nullptr,
           [](const PeakTrial& t) { return qs(t.change.command()); }},
          bytesColumn("plan", &PeakFigures::planBytes),
          changeColumn(&PeakFigures::planBytes, study),
          bytesColumn("peak", &PeakFigures::peakBytes),
          changeColumn(&PeakFigures::peakBytes, study),
          figureColumn("step", stepText, [](const PeakFigures& f) { return f.stepNs.value_or(0); }),
          bytesColumn("on the host", &PeakFigures::hostBytes),
          {"in the program", [](const PeakTrial& t) { return qs(t.change.how); }},
          {"came of it", resultText, nullptr, [](const PeakTrial& t) { return doneOf(t).join("\n"); }}};
}

}  // namespace

PeakChangesPanel::PeakChangesPanel(const ViewContext& context, QWidget* parent)
    : QWidget(parent), context_(context), trials_(columns(study_)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* bar = new QWidget(this);
  auto* row = new WrappingRow(kSpaceSmall);
  row->setContentsMargins(kSpace, kSpaceSmall, kSpace, kSpaceSmall);
  bar->setLayout(row);
  try_ = new QPushButton("Try changes", bar);
  try_->setToolTip(kHowTo);
  open_ = new QPushButton("Open changed module", bar);
  open_->setToolTip("The module with the selected change becomes current, with what made it as a series");
  progress_ = new JobProgress(context_.jobs, "End trying", bar);
  summary_ = new QLabel(bar);
  summary_->setAccessibleName("What was tried");
  summary_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  row->add(try_);
  row->add(open_);
  row->add(progress_);
  row->add(summary_);
  layout->addWidget(bar);
  table_ = new TableView(this);
  table_->setModel(&trials_);
  table_->setAccessibleName("Changes tried");
  table_->setTextElideMode(Qt::ElideRight);
  table_->setColumnWidths({56, 11, 11, 11, 11, 11, 11, 44, 60});
  layout->addWidget(table_, 1);
  connect(try_, &QPushButton::clicked, this, &PeakChangesPanel::tryChanges);
  connect(open_, &QPushButton::clicked, this, &PeakChangesPanel::openChanged);
  connect(progress_, &JobProgress::cancelled, this, [this] { clear("Stopped."); });
  connect(table_, &TableView::currentRowChanged, this, &PeakChangesPanel::choose);
  connect(table_, &QAbstractItemView::activated, this, &PeakChangesPanel::openChanged);
  clear(kHowTo);
}

void PeakChangesPanel::setSubject(SnapshotId subject) {
  if (subject == subject_) return;
  subject_ = subject;
  try_->setEnabled(subject.valid());
  if (subject.valid()) {
    if (auto tried = context_.session.result<ResultKind::PeakChanges>(subject)) return show(std::move(tried));
  }
  study_ = nullptr;
  clear(kHowTo);
}

void PeakChangesPanel::tryChanges() {
  const Snapshot* snapshot = context_.session.snapshot(subject_);
  if (snapshot == nullptr || isTrying()) return;
  const PeakRequest request{.module = snapshot->module,
                            .path = snapshot->file != nullptr ? snapshot->file->path : "",
                            .limitBytes = limitBytes_};
  clear("Trying changes ...");
  progress_->setJob(context_.jobs.submit(
      "memory changes", "Try changes to " + snapshot->title,
      [request](JobContext& job) { return makePeakStudy(request, job); },
      [this, of = subject_](Result<std::shared_ptr<const PeakStudy>> study) {
        progress_->setJob({});
        if (study) context_.session.setResult<ResultKind::PeakChanges>(of, *study);
        if (of != subject_) return;
        if (study) return show(*std::move(study));
        clear("No change can be tried: " + lineOf(study.error()));
      },
      &scope_));
}

void PeakChangesPanel::show(std::shared_ptr<const PeakStudy> study) {
  study_ = std::move(study);
  QStringList text = {QString("plan %1, peak %2, step %3, by Hilo's plan; estimated for %4")
                          .arg(bytesText(study_->figures.planBytes), bytesText(study_->figures.peakBytes),
                               stepText(study_->figures), qs(study_->base.deviceText))};
  for (const std::string& note : study_->base.notes) text << qs(note);
  clear(text.join(" · "));
  trials_.setRows(study_->trials);
  table_->setEmptyText("Nothing waits over the peak that could be changed.");
  Q_EMIT counted(study_->trials.size());
  if (trials_.rowCount() > 0) table_->setCurrentIndex(trials_.index(0, 0));
}

void PeakChangesPanel::clear(const QString& text) {
  summary_->setText(text);
  table_->setEmptyText(text);
  trials_.setRows({});
  open_->setEnabled(false);
  Q_EMIT counted(0);
}

// Values are those of the module that is shown where it did not have to be compiled first.
void PeakChangesPanel::choose(const QModelIndex& index) {
  const PeakTrial* trial = trials_.rowAt(index);
  open_->setEnabled(trial != nullptr && trial->figures.has_value());
  if (trial == nullptr || !table_->hasFocus() || study_->base.uncompiled != nullptr) return;
  if (trial->change.value.valid()) Q_EMIT instructionChosen(trial->change.value, false);
}

void PeakChangesPanel::openChanged() {
  const PeakTrial* trial = trials_.rowAt(table_->currentIndex());
  if (trial == nullptr || !trial->figures) return;
  const auto module = trial->series.steps.back().module();
  if (!module) return clear(lineOf(module.error()));
  const SnapshotId there = context_.session.find(**module);
  if (there.valid()) {
    context_.session.setCurrent(there);
  } else {
    PassSeries series = trial->series;
    series.title = trial->change.text;
    const size_t last = series.steps.size() - 1;
    context_.session.addSeries(std::move(series), subject_);
    showStep(context_.session, context_.session.series().back().id, last);
  }
  Q_EMIT opened();
}

}  // namespace hilo
