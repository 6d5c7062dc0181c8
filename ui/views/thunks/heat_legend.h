// What the colours of thunks say: the ramp between the least and the most time. Hidden while no
// time is known.
#pragma once

#include <QTabWidget>

#include "ui/views/thunks/heat_scale.h"

namespace hilo {

class HeatLegend : public QWidget {
 public:
  explicit HeatLegend(QTabWidget* tabs);
  void setScale(const HeatScale& scale);
  // "measured time, log scale: ≤ 1.20 µs to ≥ 12.0 ms"
  QString text() const { return accessibleDescription(); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void place();

  QTabWidget* tabs_;
  bool isKnown_ = false;
  QString title_, low_, high_;
};

}  // namespace hilo
