#include "ui/widgets/view_controls.h"

#include <QAbstractSpinBox>
#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QRegularExpression>
#include <QSpinBox>
#include <QTabWidget>
#include <functional>
#include <vector>

namespace hilo {
namespace {

constexpr const char* kOn = "on";
constexpr const char* kOff = "off";

struct Control {
  QString name;
  QString value;
  QStringList choices;  // empty: any text
  std::function<void(const QString&)> set;
};

QString withoutCount(QString title) {
  static const QRegularExpression count(QStringLiteral(" \\([0-9][^)]*\\)$"));
  return title.remove(count).remove('&');
}

void addBoxes(QWidget& view, std::vector<Control>& controls) {
  for (QComboBox* box : view.findChildren<QComboBox*>()) {
    if (box->isEditable()) {
      controls.push_back({box->accessibleName(), box->currentText(), {}, [box](const QString& value) {
                            box->setEditText(value);
                          }});
      continue;
    }
    QStringList choices;
    for (int n = 0; n < box->count(); ++n) choices << box->itemText(n);
    controls.push_back({box->accessibleName(), box->currentText(), choices, [box](const QString& value) {
                          box->setCurrentIndex(box->findText(value));
                          Q_EMIT box->activated(box->currentIndex());
                        }});
  }
  for (QTabWidget* tabs : view.findChildren<QTabWidget*>()) {
    QStringList choices;
    for (int n = 0; n < tabs->count(); ++n) choices << withoutCount(tabs->tabText(n));
    controls.push_back({tabs->accessibleName(), choices.value(tabs->currentIndex()), choices,
                        [tabs, choices](const QString& value) {
                          tabs->setCurrentIndex(static_cast<int>(choices.indexOf(value)));
                        }});
  }
}

void addNumbers(QWidget& view, std::vector<Control>& controls) {
  for (QSpinBox* box : view.findChildren<QSpinBox*>())
    controls.push_back(
        {box->accessibleName(), QString::number(box->value()), {}, [box](const QString& value) {
           box->setValue(value.toInt());
         }});
  for (QDoubleSpinBox* box : view.findChildren<QDoubleSpinBox*>())
    controls.push_back(
        {box->accessibleName(), QString::number(box->value()), {}, [box](const QString& value) {
           box->setValue(value.toDouble());
         }});
}

void addSwitches(QWidget& view, std::vector<Control>& controls) {
  const QStringList choices = {kOn, kOff};
  for (QAbstractButton* box : view.findChildren<QAbstractButton*>()) {
    if (!box->isCheckable() || qobject_cast<QCheckBox*>(box) == nullptr) continue;
    const QString name = box->accessibleName().isEmpty() ? box->text().remove('&') : box->accessibleName();
    controls.push_back({name, box->isChecked() ? kOn : kOff, choices, [box](const QString& value) {
                          if (box->isChecked() != (value == kOn)) box->click();
                        }});
  }
  for (QAction* action : view.findChildren<QAction*>()) {
    if (!action->isCheckable()) continue;
    controls.push_back({action->text().remove('&').remove("…").remove("..."),
                        action->isChecked() ? kOn : kOff, choices, [action](const QString& value) {
                          if (action->isChecked() != (value == kOn)) action->trigger();
                        }});
  }
}

// Named, and by a name that one control has.
std::vector<Control> controlsOf(QWidget& view) {
  std::vector<Control> all, named;
  addBoxes(view, all);
  addNumbers(view, all);
  addSwitches(view, all);
  for (const Control& control : all) {
    const auto sameName = [&](const Control& other) { return other.name == control.name; };
    if (!control.name.isEmpty() && std::ranges::count_if(all, sameName) == 1) named.push_back(control);
  }
  return named;
}

}  // namespace

QStringList controlValues(const QWidget& view) {
  QStringList values;
  // Looked at alone; the view is as it was.
  for (const Control& control : controlsOf(const_cast<QWidget&>(view)))
    values << control.name + "=" + control.value;
  return values;
}

Status setControl(QWidget& view, const QString& setting) {
  const QString name = setting.section('=', 0, 0), value = setting.section('=', 1);
  for (const Control& control : controlsOf(view)) {
    if (control.name != name) continue;
    if (!control.choices.isEmpty() && !control.choices.contains(value))
      return fail("no-such-choice", fmt::format("{} has no {}", name.toStdString(), value.toStdString()), {},
                  {"it has " + control.choices.join(", ").toStdString()});
    control.set(value);
    return {};
  }
  QStringList names;
  for (const Control& control : controlsOf(view)) names << control.name;
  return fail("no-such-control", fmt::format("the view has no control {}", name.toStdString()), {},
              {"it has " + names.join(", ").toStdString()});
}

}  // namespace hilo
