#include "ui/views/jobs/jobs_view.h"

#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

constexpr int kProgressColumn = 3;
constexpr int kRefreshMs = 60;

bool active(const JobInfo& job) { return job.state == JobState::Queued || job.state == JobState::Running; }

QString timeText(const JobInfo& job) {
  if (job.startNs == 0) return {};
  return job.endNs == 0 ? QString("running") : durationText(job.endNs - job.startNs);
}

std::vector<TableColumn<JobInfo>> jobColumns() {
  return {
      {"job", [](const JobInfo& j) { return qs(j.title); }},
      {"state", [](const JobInfo& j) { return qs(jobStateName(j.state)); }},
      {"time", timeText, [](const JobInfo& j) { return static_cast<double>(j.endNs - j.startNs); }},
      {"progress", [](const JobInfo& j) { return qs(j.text); }, nullptr},
  };
}

// The progress cell: a bar behind the text while the job runs.
class ProgressDelegate : public QStyledItemDelegate {
 public:
  ProgressDelegate(const TableModel<JobInfo>& model, QObject* parent)
      : QStyledItemDelegate(parent), model_(model) {}
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const JobInfo* job = model_.rowAt(index);
    if (job != nullptr && job->state == JobState::Running) {
      const Theme& theme = themeOf(option.palette);
      QRect bar = option.rect.adjusted(1, 2, -1, -2);
      painter->fillRect(bar, theme.colour(ColourRole::kSurfaceRaised));
      // Work that cannot say how far it is shows half a bar, marked by its text.
      const double share = job->fraction < 0 ? 0.5 : job->fraction;
      bar.setWidth(static_cast<int>(bar.width() * share));
      painter->fillRect(bar, theme.colour(ColourRole::kSelection));
    }
    QStyledItemDelegate::paint(painter, option, index);
  }

 private:
  const TableModel<JobInfo>& model_;
};

}  // namespace

JobsView::JobsView(const ViewContext& context, QWidget* parent)
    : View(context, parent), model_(jobColumns()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(kSpaceSmall, kSpaceSmall, kSpaceSmall, kSpaceSmall);
  cancel_ = new QToolButton(this);
  cancel_->setText("Cancel");
  cancel_->setToolTip("Stop the selected jobs (Del)");
  connect(cancel_, &QToolButton::clicked, this, &JobsView::cancelSelected);
  bar->addWidget(cancel_);
  bar->addStretch();
  layout->addLayout(bar);
  table_ = new TableView(this);
  table_->setAccessibleName("Jobs");
  table_->setModel(&model_);
  table_->setColumnWidths({50, 10, 12, 40});
  table_->setItemDelegateForColumn(kProgressColumn, new ProgressDelegate(model_, this));
  table_->setEmptyText(
      "Nothing has run yet.\nOpening, verifying, laying out and running modules show up here.");
  table_->installEventFilter(this);
  layout->addWidget(table_, 1);
  timer_.setSingleShot(true);
  timer_.setInterval(kRefreshMs);
  connect(&timer_, &QTimer::timeout, this, &JobsView::refresh);
  // Changes that come close together are shown once.
  connect(&context_.changes, &SessionChanges::jobsChanged, this, [this] {
    if (!timer_.isActive()) timer_.start();
  });
  refresh();
}

void JobsView::refresh() {
  std::vector<JobInfo> jobs = context_.jobs.jobs();
  std::ranges::reverse(jobs);
  cancel_->setEnabled(std::ranges::any_of(jobs, active));
  model_.setRows(std::move(jobs));
}

void JobsView::cancelSelected() {
  for (const QModelIndex& index : table_->selectionModel()->selectedRows()) {
    const JobInfo* job = model_.rowAt(index);
    if (job != nullptr && active(*job)) context_.jobs.cancel(job->id);
  }
}

bool JobsView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == table_ && event->type() == QEvent::KeyPress &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Delete) {
    cancelSelected();
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

View* makeJobsView(const ViewContext& context) { return new JobsView(context); }

}  // namespace hilo
