#include "ui/views/values/value_details.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "core/workspace/values/value_summary.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/views/values/value_rows.h"
#include "ui/widgets/elided_label.h"

namespace hilo {
namespace {

constexpr size_t kBuckets = 24;
constexpr const char* kSelect = "Select an instruction to see its figures, a histogram and its elements.";

HistogramBars barsOf(const Literal& literal) {
  const ValueSummary summary = summarize(literal);
  HistogramBars bars;
  bars.title = "elements by value (log scale)";
  if (summary.elements == summary.nan + summary.inf) return bars;
  bars.counts = histogramOf(literal, summary, kBuckets);
  for (size_t i = 0; i < bars.counts.size(); ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(bars.counts.size());
    bars.names << QString::number(summary.least + share * (summary.most - summary.least), 'g', 3);
  }
  return bars;
}

}  // namespace

ValueDetails::ValueDetails(JobQueue& jobs, QWidget* parent) : QSplitter(Qt::Horizontal, parent), jobs_(jobs) {
  setChildrenCollapsible(false);
  addWidget(buildFigures());
  addWidget(buildElements());
  setSizes({220, 300});
  connect(leaf_, &QComboBox::activated, this, &ValueDetails::showLeaf);
  connect(device_, &QSpinBox::valueChanged, this, [this] { showValue(reached_, value_); });
}

QWidget* ValueDetails::buildFigures() {
  auto* left = new QWidget(this);
  auto* layout = new QVBoxLayout(left);
  layout->setContentsMargins(kSpaceSmall, 0, kSpaceSmall, 0);
  layout->setSpacing(0);
  figures_ = new QLabel(left);
  figures_->setAccessibleName("Figures of the value");
  figures_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  figures_->setWordWrap(true);
  histogram_ = new HistogramWidget("", left);
  histogram_->setAccessibleName("Histogram of values");
  layout->addWidget(figures_);
  layout->addWidget(histogram_, 1);
  return left;
}

QWidget* ValueDetails::buildElements() {
  auto* right = new QWidget(this);
  auto* layout = new QVBoxLayout(right);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* line = new QHBoxLayout;
  leaf_ = new QComboBox(right);
  leaf_->setAccessibleName("Part of the tuple");
  leaf_->hide();
  device_ = new QSpinBox(right);
  device_->setAccessibleName("Device");
  device_->setPrefix("device ");
  device_->hide();
  cut_ = new ElidedLabel(right);
  cut_->setAccessibleName("What of the elements is shown");
  cut_->hide();
  line->addWidget(leaf_);
  line->addWidget(device_);
  line->addWidget(cut_, 1);
  layout->addLayout(line);
  elements_ = new QTableView(right);
  elements_->setAccessibleName("Elements");
  elements_->setModel(&elementsModel_);
  elements_->setFont(codeFont(12));
  elements_->setFrameShape(QFrame::NoFrame);
  elements_->verticalHeader()->setDefaultSectionSize(QFontMetrics(elements_->font()).height() + kSpaceTiny);
  elements_->horizontalHeader()->setDefaultSectionSize(
      QFontMetrics(elements_->font()).horizontalAdvance("-0.0000000000") + kSpace);
  layout->addWidget(elements_, 1);
  return right;
}

void ValueDetails::clear(const QString& text) {
  figures_->setText(text);
  histogram_->setBars({});
  elementsModel_.setLiteral({});
  leaf_->hide();
  device_->hide();
  cut_->hide();
}

void ValueDetails::showValue(std::shared_ptr<const ReachedValues> reached, InstructionId id) {
  reached_ = std::move(reached);
  value_ = id;
  const InstructionValue* value = reached_ == nullptr || !id.valid() ? nullptr : reached_->find(id);
  if (value == nullptr) return clear(reached_ == nullptr ? QString() : QString(kSelect));
  const auto devices = static_cast<int>(value->literals.size());
  {
    const QSignalBlocker quiet(device_);
    device_->setRange(0, devices - 1);
  }
  device_->setVisible(devices > 1);
  leaves_ = arraysOf(value->literals[static_cast<size_t>(device_->value())]);
  leaf_->clear();
  for (const auto& [place, array] : leaves_) leaf_->addItem(place + " " + shapeText(array.shape()));
  leaf_->setVisible(leaves_.size() > 1);
  const ValueSummary all = overDevices(*value);
  figures_->setText(
      QString("<b>%1</b> %2<br>min %3, max %4, mean %5<br>%6 elements, %7 zero, %8 NaN, %9 Inf%10")
          .arg(qs(value->name).toHtmlEscaped(), qs(value->shape).toHtmlEscaped(), figureText(all, all.least),
               figureText(all, all.most), figureText(all, all.mean), countText(all.elements),
               countText(all.zero), countText(all.nan), countText(all.inf))
          .arg(all.firstNonfinite.empty() ? QString() : "<br>first " + qs(all.firstNonfinite)));
  showLeaf();
}

void ValueDetails::showLeaf() {
  const auto at = static_cast<size_t>(std::max(0, leaf_->currentIndex()));
  if (at >= leaves_.size()) {
    elementsModel_.setLiteral({});
    histogram_->setBars({});
    return;
  }
  elementsModel_.setLiteral(leaves_[at].second);
  cut_->setText(elementsModel_.leftOut());
  cut_->setVisible(!cut_->text().isEmpty());
  jobs_.submit(
      "values.histogram", "Count values",
      [array = leaves_[at].second](JobContext&) -> Result<HistogramBars> { return barsOf(array); },
      [this](Result<HistogramBars> bars) {
        if (bars) histogram_->setBars(std::move(*bars));
      },
      &scope_);
}

}  // namespace hilo
