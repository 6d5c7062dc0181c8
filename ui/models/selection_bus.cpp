#include "ui/models/selection_bus.h"

#include "ui/models/time_cursor.h"

namespace hilo {

SelectionBus::SelectionBus(QObject* parent) : QObject(parent), time_(*new TimeCursor(this)) {}

void SelectionBus::hover(const Selection& selection) {
  if (selection == hovered_) return;
  hovered_ = selection;
  Q_EMIT hoverChanged(hovered_);
}

void SelectionBus::select(const Selection& selection) {
  if (selection == selected_ && looked_.empty()) return;
  looked_ = {};
  selected_ = selection;
  Q_EMIT selectionChanged(selected_);
}

void SelectionBus::look(const Selection& selection) {
  if (selection == looked_) return;
  looked_ = selection;
  Q_EMIT lookedAt(looked_);
}

void SelectionBus::activate(const Selection& selection) {
  select(selection);
  // A listener of selectionChanged may have moved on; what was asked for is still where to go.
  Q_EMIT activated(selection);
}

}  // namespace hilo
