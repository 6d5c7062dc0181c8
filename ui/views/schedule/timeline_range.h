// What happens in a part of a schedule: how long it is, how much of it computes, how much waits for
// communication, what is written, how much memory is live at most.
#pragma once

#include <QString>

#include "ui/views/schedule/shown_order.h"

namespace hilo {

struct RangeFigures {
  double durationNs = 0;  // all iterations of the loops in it
  double busyNs = 0;      // of the compute lane
  double exposedNs = 0;   // the compute lane waits, or runs a collective it cannot leave
  int64_t peakBytes = 0;  // 0 where the memory is not known
};

// `time` is on the time axis. Events of loops that lie in it whole count as often as the loops run.
RangeFigures rangeFigures(const ScheduleChart& chart, ChartSpan time);
// The stretch of the time axis that a part of either axis stands for.
ChartSpan timeOf(const ScheduleChart& chart, ChartAxis axis, ChartSpan part);
// Results of the instructions that begin there.
int64_t resultBytes(const ShownOrder& order, ChartSpan time);
// "1.20 ms · busy 80% · exposed 0.1 ms · results 3 MiB · peak 12 MiB".
QString rangeText(const ShownOrder& order, ChartSpan time);
// What is live at a place of the time axis; 0 where it is not known.
int64_t liveBytesAt(const ScheduleChart& chart, double timeNs);

}  // namespace hilo
