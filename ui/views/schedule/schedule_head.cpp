#include "ui/views/schedule/schedule_head.h"

#include <QVBoxLayout>

#include "core/analysis/unpartitioned.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/style/theme.h"

namespace hilo {
namespace {

constexpr size_t kWorst = 3;
constexpr double kLeastShare = 1e-7;  // of the step; less exposed time is that of rounding

QString percent(double part, double whole) {
  return whole > 0 ? QString::number(100 * part / whole, 'f', part > 0.1 * whole ? 0 : 1) + "%"
                   : QString("0%");
}

}  // namespace

ScheduleHead::ScheduleHead(QWidget* parent) : QWidget(parent) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kSpace, kSpaceSmall, kSpace, kSpaceTiny);
  layout->setSpacing(kSpaceTiny);
  const auto line = [&](const char* name, Qt::TextInteractionFlags interaction) {
    auto* label = new QLabel(this);
    label->setTextFormat(Qt::RichText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(interaction);
    label->setAccessibleName(name);
    layout->addWidget(label);
    return label;
  };
  figures_ = line("Figures of the schedule", Qt::TextSelectableByMouse);
  worst_ = line("The most exposed collectives", Qt::TextBrowserInteraction);
  connect(worst_, &QLabel::linkActivated, this, [this](const QString& link) {
    if (link.startsWith("name:")) return Q_EMIT nameClicked(link.mid(5));
    if (link.startsWith("partition:")) return Q_EMIT partitionClicked();
    Q_EMIT otherSideClicked();
  });
  target_ = new MessageLine(ColourRole::kTextDim, this);
  target_->setContentsMargins(0, 0, 0, 0);
  target_->setAccessibleName("The device that times are estimated for");
  layout->addWidget(target_);
}

void ScheduleHead::showText(const QString& text) {
  figures_->setText(text);
  worst_->clear();
}

void ScheduleHead::show(const ScheduleHeading& heading) {
  if (!heading.order->outcome.faults.empty()) return showFaults(heading);
  showFigures(heading);
  worst_->setText(worstText(heading));
}

void ScheduleHead::showFaults(const ScheduleHeading& heading) {
  QStringList messages;
  for (const ScheduleFault& fault : heading.order->outcome.faults)
    messages << qs(fault.message).toHtmlEscaped();
  const qsizetype count = messages.size();
  messages = messages.mid(0, static_cast<qsizetype>(kWorst));
  figures_->setText(
      QString("<b>%1</b> &nbsp; <span style=\"color:%2\"><b>Not a legal order.</b> %3%4</span>")
          .arg(heading.title.toHtmlEscaped(), themeOf(*this).colour(ColourRole::kError).name(),
               messages.join("; "),
               count > messages.size() ? QString("; and %1 more").arg(count - messages.size()) : QString()));
  worst_->setText(
      "No module runs in this order. The nearest legal order is drawn, with what is wrong crossed.");
}

void ScheduleHead::showFigures(const ScheduleHeading& heading) {
  const ShownOrder& order = *heading.order;
  const ScheduleMetrics& m = order.outcome.metrics;
  // That nothing is exposed is no success where nothing communicates yet.
  const bool isOpen = heading.module != nullptr && m.communicationNs <= 0 && isUnpartitioned(*heading.module);
  const ColourRole verdict = m.exposedNs > 0 ? ColourRole::kMarkRemoved
                             : isOpen        ? ColourRole::kTextDim
                                             : ColourRole::kSuccess;
  const QString exposedColour = themeOf(*this).colour(verdict).name();
  figures_->setText(
      QString(
          "<b>%1</b> &nbsp; step <b>%2</b> &nbsp;·&nbsp; <span style=\"color:%3\">exposed <b>%4</b></span> "
          "(%5 of the step, %6 of %7 communication) &nbsp;·&nbsp; peak <b>%8</b> &nbsp;·&nbsp; lower bound "
          "%9")
          .arg(heading.title.toHtmlEscaped(), timeText(order, m.makespanNs), exposedColour,
               timeText(order, m.exposedNs), percent(m.exposedNs, m.makespanNs),
               percent(m.exposedNs, m.communicationNs), timeText(order, m.communicationNs),
               bytesText(m.peakBytes))
          .arg(timeText(order, m.boundNs)));
}

QString ScheduleHead::worstText(const ScheduleHeading& heading) const {
  const ShownOrder& order = *heading.order;
  const QString link = themeOf(*this).colour(ColourRole::kAccent).name();
  if (order.outcome.metrics.communicationNs <= 0) {
    if (heading.module == nullptr || !isUnpartitioned(*heading.module))
      return "This module does not communicate: there is nothing to hide.";
    return "This module is " + qs(unpartitionedText(*heading.module)) +
           QString(". <a style=\"color:%1\" href=\"partition:\">Partition first</a>").arg(link);
  }
  QStringList worst;
  for (size_t i = 0; i < std::min(kWorst, order.overlaps.size()); ++i) {
    const OverlapRow& row = order.overlaps[i];
    if (row.exposedNs <= 0 || row.totalExposedNs() < kLeastShare * order.outcome.metrics.makespanNs) break;
    worst << QString("<a style=\"color:%1\" href=\"name:%2\">%2</a> %3%4")
                 .arg(link, qs(row.name).toHtmlEscaped(), timeText(order, row.totalExposedNs()),
                      row.times > 1 ? QString(" (×%1)").arg(row.times) : QString());
  }
  return (worst.isEmpty() ? QString("All communication overlaps with compute.")
                          : "Most exposed: " + worst.join(" &nbsp;·&nbsp; ")) +
         otherSideText(heading);
}

// What the other side would cost, as a link to it.
QString ScheduleHead::otherSideText(const ScheduleHeading& heading) const {
  if (heading.other == nullptr || !heading.other->outcome.faults.empty()) return {};
  const ScheduleMetrics& m = heading.other->outcome.metrics;
  return QString(" &nbsp;·&nbsp; <a style=\"color:%1\" href=\"side:\">%2</a> exposes %3, step %4")
      .arg(themeOf(*this).colour(ColourRole::kAccent).name(), heading.otherTitle.toHtmlEscaped(),
           timeText(*heading.other, m.exposedNs), timeText(*heading.other, m.makespanNs));
}

}  // namespace hilo
