#include "ui/models/time_cursor.h"

namespace hilo {

void TimeCursor::point(const Moment& moment) {
  if (moment == pointed_) return;
  pointed_ = moment;
  Q_EMIT pointedChanged();
}

void TimeCursor::place(const Moment& moment) {
  if (moment == placed_) return;
  placed_ = moment;
  Q_EMIT placedChanged();
}

}  // namespace hilo
