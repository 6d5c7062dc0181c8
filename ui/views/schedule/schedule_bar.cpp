#include "ui/views/schedule/schedule_bar.h"

#include <QFileInfo>
#include <QMenu>
#include <QToolButton>

#include "core/workspace/schedule/schedule.h"
#include "ui/models/text_of.h"
#include "ui/views/schedule/schedule_canvas.h"

namespace hilo {

ScheduleBar::ScheduleBar(ScheduleCanvas& canvas, QWidget* parent) : QToolBar(parent), canvas_(canvas) {
  setToolButtonStyle(Qt::ToolButtonTextOnly);
  sideA_ = addSide("A", "Show side A", ScheduleSides::A);
  sideB_ = addSide("B", "Show side B", ScheduleSides::B);
  both_ = addSide("Compare A/B", "Both, one below the other, and what moved", ScheduleSides::Both);
  sideA_->setChecked(true);
  addSeparator();
  buildPresets();
  buildDevices();
  addSeparator();
  buildAxis();
  addSeparator();
  buildUndo();
  scenarios_ = addMenuButton("Scenarios", "Settings and edits kept with this module");
  measured_ =
      addMenuButton("Measured", "Measured times below the estimated ones, and a device fitted to them");
  buildExports();
}

// `run` is called when the user triggers it, never by what the bar is told to show.
QAction* ScheduleBar::addCommand(const QString& text, const QString& tip, const QKeySequence& keys,
                                 std::function<void()> run) {
  QAction* action = addAction(text);
  action->setToolTip(keys.isEmpty() ? tip : QString("%1 (%2)").arg(tip, keys.toString()));
  connect(action, &QAction::triggered, this, std::move(run));
  return action;
}

QAction* ScheduleBar::addSide(const char* text, const char* tip, ScheduleSides sides) {
  QAction* action = addCommand(text, tip, {}, [this, sides] { Q_EMIT sidesAsked(sides); });
  action->setCheckable(true);
  return action;
}

QMenu* ScheduleBar::addMenuButton(const QString& text, const QString& tip) {
  auto* button = new QToolButton(this);
  button->setText(text);
  button->setToolTip(tip);
  button->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(button);
  button->setMenu(menu);
  addWidget(button);
  return menu;
}

void ScheduleBar::buildPresets() {
  preset_ = new QComboBox(this);
  for (const SchedulePreset& preset : schedulePresets()) {
    preset_->addItem(qs(preset.name), qs(preset.name));
    preset_->setItemData(preset_->count() - 1, qs(preset.summary), Qt::ToolTipRole);
  }
  preset_->setToolTip("The scheduler settings that make the schedule shown");
  preset_->setAccessibleName("Order of the shown side");
  addWidget(preset_);
  connect(preset_, &QComboBox::activated, this,
          [this](int index) { Q_EMIT presetAsked(preset_->itemData(index).toString()); });
}

void ScheduleBar::buildDevices() {
  device_ = new QComboBox(this);
  device_->addItem("uniform", "uniform");
  for (const std::string& device : deviceNames()) device_->addItem(qs(device), qs(device));
  device_->addItem("from a file…");
  device_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  device_->setMinimumContentsLength(10);
  device_->setToolTip("What the times are estimated for");
  device_->setAccessibleName("Device");
  addWidget(device_);
  connect(device_, &QComboBox::activated, this, [this](int index) {
    const QVariant device = device_->itemData(index);
    if (device.isValid()) return Q_EMIT deviceAsked(device.toString());
    Q_EMIT deviceFileAsked();
  });
}

void ScheduleBar::buildAxis() {
  slots_ =
      addCommand("Program order", "Every instruction as wide as the next, instead of by its time (X)", {},
                 [this] { canvas_.axis().set(slots_->isChecked() ? ChartAxis::Slots : ChartAxis::Time); });
  slots_->setCheckable(true);
  connect(&canvas_.axis(), &ShownAxis::changed, this, &ScheduleBar::showAxis);
  addCommand("Fit", "The whole step (F)", {}, [this] { canvas_.axis().fit(); });
  addCommand("−", "Zoom out (-)", {}, [this] {
    canvas_.axis().zoomAround(canvas_.selected(), 1 / 1.5);
  })->setIconText("−");
  addCommand("+", "Zoom in (+)", {}, [this] { canvas_.axis().zoomAround(canvas_.selected(), 1.5); });
}

void ScheduleBar::buildUndo() {
  undo_ = addCommand("Undo", "Take the last change back", QKeySequence::Undo, [this] { Q_EMIT undoAsked(); });
  redo_ = addCommand("Redo", "Make it again", QKeySequence::Redo, [this] { Q_EMIT redoAsked(); });
  undo_->setEnabled(false);
  redo_->setEnabled(false);
}

void ScheduleBar::buildExports() {
  QMenu* menu = addMenuButton("Export", "Take the order out of the studio");
  const auto form = [&](const QString& text, ScheduleExport form) {
    menu->addAction(text, this, [this, form] { Q_EMIT exportAsked(form); });
  };
  form("As a &module in this order…", ScheduleExport::Module);
  form("As &control dependencies of the edits…", ScheduleExport::Control);
  form("As scheduling &annotations…", ScheduleExport::Annotations);
}

void ScheduleBar::show(const ScheduleControls& controls) {
  preset_->setCurrentIndex(preset_->findData(qs(controls.scenario.preset)));
  showDevice(qs(controls.scenario.device));
  undo_->setEnabled(controls.canUndo);
  redo_->setEnabled(controls.canRedo);
  sideA_->setChecked(controls.sides == ScheduleSides::A);
  sideB_->setChecked(controls.sides == ScheduleSides::B);
  both_->setChecked(controls.sides == ScheduleSides::Both);
  showAxis();
}

// By its id or, where it is a file, by the file's name.
void ScheduleBar::showDevice(const QString& device) {
  if (device_->findData(device) < 0) {
    device_->insertItem(0, QFileInfo(device).fileName(), device);
    device_->setItemData(0, device, Qt::ToolTipRole);
  }
  device_->setCurrentIndex(device_->findData(device));
}

void ScheduleBar::showAxis() { slots_->setChecked(canvas_.axis().axis() == ChartAxis::Slots); }

}  // namespace hilo
