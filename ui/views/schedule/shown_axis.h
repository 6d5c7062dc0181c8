// Which part of the axis of a timeline is in sight: all of it until somebody zooms or pans, also in another
// size of the window. It moves the scroll bar below and follows it. UI thread.
#pragma once

#include <QObject>

#include "ui/canvas/timeline_keys.h"
#include "ui/views/schedule/placed_charts.h"

class QScrollBar;

namespace hilo {

class ShownAxis : public QObject {
  Q_OBJECT

 public:
  // Shows it in `placed`; both outlive it.
  ShownAxis(PlacedCharts& placed, QScrollBar& bar);

  const AxisView& view() const { return placed_.view(); }
  ChartAxis axis() const { return view().axis; }
  // All of the other axis.
  void set(ChartAxis axis);
  void fit();
  bool isFitted() const { return fitted_; }
  // The charts or the window are others: all of it again, or the same part as far as there is one.
  void follow();

  // What is at `x`, counted from the left edge of the plot, stays there.
  void zoomAt(double x, double factor);
  // Around the instruction where it is in sight, else around the middle.
  void zoomAround(InstructionId instruction, double factor);
  void zoomTo(InstructionId instruction);
  // Moves as little as needed to show it.
  void reveal(InstructionId instruction);
  void show(ChartSpan span);
  // Positive shows what is earlier.
  void pan(double pixels) { panFrom(view(), pixels); }
  void panFrom(const AxisView& from, double pixels);
  // By a part of the width shown.
  void panBy(double part) { pan(part * placed_.plot().width()); }

 Q_SIGNALS:
  void changed();

 private:
  // Null where the active chart has none.
  const ChartSpan* spanOf(InstructionId instruction) const;
  void move(const AxisView& view);
  void setView(const AxisView& view);
  void showInBar();
  void followBar(int value);

  PlacedCharts& placed_;
  QScrollBar& bar_;
  bool fitted_ = true;
  bool showing_ = false;  // in the bar, which need not be followed then
};

}  // namespace hilo
