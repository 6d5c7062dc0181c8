#include "ui/views/schedule/event_hover.h"

#include <QEvent>
#include <QWidget>

#include "core/workspace/schedule/schedule_why.h"
#include "ui/canvas/hover_card.h"
#include "ui/models/text_of.h"

namespace hilo {
namespace {

constexpr int kCardMs = 350;

}  // namespace

EventHover::EventHover(const PlacedCharts& placed, QWidget& viewport)
    : placed_(placed), card_(new HoverCard(&viewport)) {
  timer_.setSingleShot(true);
  timer_.setInterval(kCardMs);
  connect(&timer_, &QTimer::timeout, this, &EventHover::showCard);
  viewport.installEventFilter(this);
}

void EventHover::moveTo(QPointF place) {
  place_ = place;
  const Instruction* under = placed_.instructionAt(place);
  const InstructionId id = under == nullptr ? InstructionId{} : under->id();
  if (id != instruction_) {
    card_->hide();
    set(id);
  }
  if (id.valid() && !card_->isVisible()) timer_.start();
}

void EventHover::set(InstructionId instruction) {
  instruction_ = instruction;
  Q_EMIT changed(instruction);
}

void EventHover::hideCard() {
  timer_.stop();
  card_->hide();
}

void EventHover::forget() {
  instruction_ = {};
  hideCard();
}

void EventHover::showCard() {
  const auto [chart, event] = placed_.eventAt(place_);
  if (chart >= 0 && event != kNoEvent)
    card_->showAt(place_.toPoint(), eventCard(*placed_.orderOf(chart), event));
}

bool EventHover::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Leave) {
    hideCard();
    if (instruction_.valid()) set({});
  }
  return QObject::eventFilter(watched, event);
}

QString eventCard(const ShownOrder& order, uint32_t index) {
  const Instruction* instruction = order.instructionAt(index);
  if (instruction == nullptr) return {};
  const ChartEvent& event = order.chart().events[index];
  QString html = QString("<b>%1</b><br>%2 %3<br>%4")
                     .arg(qs(instruction->name()).toHtmlEscaped(), qs(instruction->opcodeText()),
                          shapeText(instruction->shape(), 60).toHtmlEscaped(),
                          qs(placeText(order.outcome, event)).toHtmlEscaped());
  html += QString("<br>at %1, position %2")
              .arg(timeText(order, order.chart().elapsedNs(event.time.begin)))
              .arg(static_cast<qint64>(event.slots.begin) + 1);
  if (event.critical) html += "<br>on the critical path";
  if (!instruction->opName().empty()) html += "<br>" + qs(instruction->opName()).toHtmlEscaped();
  for (const ScheduleFault& fault : order.outcome.faults) {
    if (fault.instruction == instruction->id())
      html += "<br><b>" + qs(fault.message).toHtmlEscaped() + "</b>";
  }
  return html;
}

}  // namespace hilo
