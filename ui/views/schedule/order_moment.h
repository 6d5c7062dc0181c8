// A moment of an order, one of its instructions while it runs, and where it lies on the axes of the chart.
#pragma once

#include <optional>

#include "ui/views/schedule/shown_order.h"

namespace hilo {

struct OrderMoment {
  InstructionId instruction;  // of the order's module
  double part = 0;            // how much of it has run, from 0 to 1
  friend bool operator==(const OrderMoment&, const OrderMoment&) = default;
};

// What the compute lane is at; nullopt of a chart without events. Where it waits, the done it waits at.
std::optional<OrderMoment> momentAt(const ShownOrder& order, ChartAxis axis, double at);
// On the axis. What has no place of its own lies where what runs it begins, a loop by itself at its end;
// nullopt where the order has neither.
std::optional<double> placeOf(const ShownOrder& order, ChartAxis axis, const OrderMoment& moment);

}  // namespace hilo
