#include "ui/views/schedule/shown_axis.h"

#include <QScrollBar>
#include <algorithm>

namespace hilo {
namespace {

constexpr int kBarSteps = 10'000;
// The room on each side of what there is, a part of its length.
constexpr double kRoom = 0.01;

}  // namespace

ShownAxis::ShownAxis(PlacedCharts& placed, QScrollBar& bar) : placed_(placed), bar_(bar) {
  connect(&bar, &QScrollBar::valueChanged, this, &ShownAxis::followBar);
}

void ShownAxis::set(ChartAxis axis) {
  if (axis == view().axis) return;
  AxisView other = view();
  other.axis = axis;
  placed_.setView(other);
  fit();
}

void ShownAxis::fit() {
  fitted_ = true;
  setView(AxisView::fitting(axis(), placed_.length(), placed_.plot().width()));
}

void ShownAxis::follow() {
  if (fitted_) return fit();
  setView(view().panned(0, placed_.length(), placed_.plot().width()));
}

const ChartSpan* ShownAxis::spanOf(InstructionId instruction) const {
  const ShownOrder* order = placed_.activeOrder();
  const uint32_t event = order == nullptr ? kNoEvent : order->chart().eventOf(instruction);
  return event == kNoEvent ? nullptr : &order->chart().events[event].on(axis());
}

void ShownAxis::zoomAt(double x, double factor) {
  move(view().zoomedAt(x, factor, placed_.length(), placed_.plot().width()));
}

void ShownAxis::zoomAround(InstructionId instruction, double factor) {
  if (placed_.empty()) return;
  const double width = placed_.plot().width();
  double x = width / 2;
  if (const ChartSpan* span = spanOf(instruction)) {
    const double middle = view().toX((span->begin + span->end) / 2);
    if (middle >= 0 && middle <= width) x = middle;
  }
  zoomAt(x, factor);
}

void ShownAxis::zoomTo(InstructionId instruction) {
  if (const ChartSpan* span = spanOf(instruction))
    move(view().around(*span, placed_.length(), placed_.plot().width()));
}

void ShownAxis::reveal(InstructionId instruction) {
  const ChartSpan* span = spanOf(instruction);
  if (span != nullptr && !fitted_) setView(view().revealing(*span, placed_.length(), placed_.plot().width()));
}

void ShownAxis::show(ChartSpan span) {
  move({.axis = axis(), .begin = span.begin, .perPixel = span.width() / placed_.plot().width()});
}

void ShownAxis::panFrom(const AxisView& from, double pixels) {
  move(from.panned(pixels, placed_.length(), placed_.plot().width()));
}

// By somebody's wish.
void ShownAxis::move(const AxisView& view) {
  fitted_ = false;
  setView(view);
}

void ShownAxis::setView(const AxisView& view) {
  placed_.setView(view);
  showInBar();
  Q_EMIT changed();
}

void ShownAxis::showInBar() {
  showing_ = true;
  const double length = placed_.length(), all = length * (1 + 2 * kRoom);
  const double shown = view().perPixel * placed_.plot().width(), share = std::min(1.0, shown / all);
  bar_.setRange(0, share >= 1 ? 0 : kBarSteps);
  bar_.setPageStep(
      std::max(1, static_cast<int>(kBarSteps * share / std::max(1e-9, 1 - std::min(share, 0.999)))));
  bar_.setSingleStep(std::max(1, bar_.pageStep() / 10));
  if (share < 1)
    bar_.setValue(
        static_cast<int>((view().begin + length * kRoom) / std::max(1e-9, all - shown) * kBarSteps));
  showing_ = false;
}

void ShownAxis::followBar(int value) {
  if (showing_ || placed_.empty()) return;
  const double room = placed_.length() * kRoom;
  const double hidden = placed_.length() + 2 * room - view().perPixel * placed_.plot().width();
  AxisView next = view();
  next.begin = -room + hidden * value / kBarSteps;
  move(next);
}

}  // namespace hilo
