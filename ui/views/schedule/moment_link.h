// Joins the timeline with what all views along time show: the pointer and clicks here go to the window's time
// cursor, and the cursor's moments are lines over the timeline. It keeps none of them. UI thread.
#pragma once

#include <QObject>

#include "ui/models/time_cursor.h"
#include "ui/models/view_context.h"
#include "ui/views/schedule/order_moment.h"

namespace hilo {

class ScheduleCanvas;
class ScheduleExperiment;

class MomentLink : public QObject {
  Q_OBJECT

 public:
  MomentLink(const ViewContext& context, ScheduleCanvas& canvas, const ScheduleExperiment& experiment,
             QObject* parent);
  // Of which module the orders on the canvas are; draws the moments anew.
  void setSnapshot(SnapshotId snapshot);

 private:
  void show();
  Moment momentOf(const std::optional<OrderMoment>& moment) const;
  std::optional<OrderMoment> studied(const Moment& moment) const;

  const ViewContext& context_;
  ScheduleCanvas& canvas_;
  const ScheduleExperiment& experiment_;
  SnapshotId snapshot_;
};

}  // namespace hilo
