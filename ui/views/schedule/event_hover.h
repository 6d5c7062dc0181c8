// What the pointer rests on in a timeline: the instruction under it, and after a moment a card about its
// event. UI thread.
#pragma once

#include <QObject>
#include <QTimer>

#include "ui/views/schedule/placed_charts.h"

class QWidget;

namespace hilo {

class HoverCard;

class EventHover : public QObject {
  Q_OBJECT

 public:
  // The charts are drawn in `viewport`; both outlive it.
  EventHover(const PlacedCharts& placed, QWidget& viewport);

  InstructionId instruction() const { return instruction_; }
  void moveTo(QPointF place);
  void hideCard();
  // The charts are others: nothing is hovered, and nobody is told.
  void forget();

 Q_SIGNALS:
  void changed(hilo::InstructionId instruction);  // invalid: the pointer has left

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void set(InstructionId instruction);
  void showCard();

  const PlacedCharts& placed_;
  HoverCard* card_;
  QTimer timer_;
  QPointF place_;
  InstructionId instruction_;
};

// The card's text: name, shape, times, what is wrong with it. Empty for an event of no instruction.
QString eventCard(const ShownOrder& order, uint32_t event);

}  // namespace hilo
