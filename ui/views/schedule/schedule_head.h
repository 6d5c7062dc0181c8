// The lines above the schedule: the figures of the edited order, its most exposed collectives, and the device
// that its times are estimated for. UI thread.
#pragma once

#include <QLabel>

#include "ui/views/schedule/shown_order.h"
#include "ui/widgets/message_line.h"

namespace hilo {

// What the lines are about. Titles: "A: the module's own order, 1 edit".
struct ScheduleHeading {
  const ShownOrder* order = nullptr;
  QString title;
  const ShownOrder* other = nullptr;  // The other side's, null while it is not there.
  QString otherTitle;
  const Module* module = nullptr;  // What the study was made of.
};

class ScheduleHead : public QWidget {
  Q_OBJECT

 public:
  explicit ScheduleHead(QWidget* parent = nullptr);

  // Needs an order.
  void show(const ScheduleHeading& heading);
  // A sentence in place of figures.
  void showText(const QString& text);
  // "" where nothing has to be said.
  void showTarget(const QString& text) { target_->say(text); }

  QString figures() const { return figures_->text(); }
  QString worst() const { return worst_->text(); }
  QString target() const { return target_->text(); }

 Q_SIGNALS:
  void nameClicked(const QString& name);
  void otherSideClicked();
  void partitionClicked();

 private:
  void showFaults(const ScheduleHeading& heading);
  void showFigures(const ScheduleHeading& heading);
  QString worstText(const ScheduleHeading& heading) const;
  QString otherSideText(const ScheduleHeading& heading) const;

  QLabel *figures_, *worst_;
  MessageLine* target_;
};

}  // namespace hilo
