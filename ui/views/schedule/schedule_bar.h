// The tool bar of the schedule: sides, order, device, axis and zoom of the chart, undo, menus. It shows what
// it is told and asks for changes by signals. UI thread.
#pragma once

#include <QComboBox>
#include <QToolBar>

#include "core/workspace/schedule/schedule_export.h"
#include "core/workspace/schedule/schedule_scenario.h"

class QMenu;

namespace hilo {

class ScheduleCanvas;

enum class ScheduleSides : uint8_t { A, B, Both };

// What the controls show: those of the edited side.
struct ScheduleControls {
  ScheduleSides sides = ScheduleSides::A;
  const ScheduleScenario& scenario;
  bool canUndo = false, canRedo = false;
};

class ScheduleBar : public QToolBar {
  Q_OBJECT

 public:
  // `canvas`: what axis and zoom are of.
  explicit ScheduleBar(ScheduleCanvas& canvas, QWidget* parent = nullptr);

  void show(const ScheduleControls& controls);
  QComboBox& deviceBox() { return *device_; }
  // Empty; filled by whoever knows the kept scenarios, when it is about to be shown.
  QMenu& scenarioMenu() { return *scenarios_; }
  QMenu& measuredMenu() { return *measured_; }

 Q_SIGNALS:
  void sidesAsked(hilo::ScheduleSides sides);
  void presetAsked(const QString& preset);
  void deviceAsked(const QString& device);  // An id, or the path of a description.
  void deviceFileAsked();
  void undoAsked();
  void redoAsked();
  void exportAsked(hilo::ScheduleExport form);

 private:
  QAction* addCommand(const QString& text, const QString& tip, const QKeySequence& keys,
                      std::function<void()> run);
  QAction* addSide(const char* text, const char* tip, ScheduleSides sides);
  QMenu* addMenuButton(const QString& text, const QString& tip);
  void buildPresets();
  void buildDevices();
  void buildAxis();
  void buildUndo();
  void buildExports();
  void showDevice(const QString& device);
  void showAxis();

  ScheduleCanvas& canvas_;
  QAction *sideA_, *sideB_, *both_, *slots_, *undo_, *redo_;
  QComboBox *preset_, *device_;
  QMenu* scenarios_;
  QMenu* measured_;
};

}  // namespace hilo
