#include "ui/views/passes/pass_settings_table.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>

#include "ui/models/text_of.h"

namespace hilo {
namespace {

enum Column { kName, kValue, kSummary, kColumnCount };

QStringList choicesOf(const PassSetting& setting) {
  if (std::holds_alternative<bool>(setting.fallback)) return {"true", "false"};
  QStringList choices;
  for (const std::string_view name : setting.choices) choices << qs(name);
  return choices;
}

}  // namespace

PassSettingsTable::PassSettingsTable(QWidget* parent) : QTableWidget(0, kColumnCount, parent) {
  setAccessibleName("Settings of the pass");
  setHorizontalHeaderLabels({"setting", "value", "what it is"});
  horizontalHeader()->setStretchLastSection(true);
  horizontalHeader()->setSectionResizeMode(kName, QHeaderView::ResizeToContents);
  verticalHeader()->hide();
  setSelectionMode(QAbstractItemView::NoSelection);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
}

void PassSettingsTable::setNoPass() {
  configured_.reset();
  setRowCount(0);
}

void PassSettingsTable::setPass(const ConfiguredPass& configured, const Module& module) {
  configured_ = configured;
  module_ = &module;
  const std::vector<PassSetting>& settings = configured.pass->settings;
  const auto effective = effectiveSettings(configured, module);
  setRowCount(static_cast<int>(settings.size()));
  for (size_t i = 0; i < settings.size(); ++i) {
    const int row = static_cast<int>(i);
    setItem(row, kName, new QTableWidgetItem(qs(settings[i].name)));
    setItem(row, kSummary, new QTableWidgetItem(qs(settings[i].summary)));
    item(row, kName)->setToolTip(qs(allowedText(settings[i])));
    setCellWidget(row, kValue, makeField(settings[i], effective[i]));
  }
}

QWidget* PassSettingsTable::makeField(const PassSetting& setting, const EffectiveSetting& effective) {
  const QString name = qs(setting.name);
  const QStringList choices = choicesOf(setting);
  if (choices.isEmpty()) {
    auto* field = new QLineEdit(qs(effective.value), this);
    field->setAccessibleName(name);
    connect(field, &QLineEdit::editingFinished, this, [this, name, field] { take(name, field->text()); });
    return field;
  }
  auto* field = new QComboBox(this);
  field->setAccessibleName(name);
  field->addItems(choices);
  field->setCurrentText(qs(effective.value));
  connect(field, &QComboBox::textActivated, this, [this, name](const QString& value) { take(name, value); });
  return field;
}

void PassSettingsTable::take(const QString& name, const QString& value) {
  if (!configured_) return;
  auto change = parseSetting(configured_->pass->settings, configured_->pass->name, toStd(name), toStd(value));
  if (!change) {
    showValues();
    Q_EMIT refused(qs(change.error().message));
    return;
  }
  configured_->set(*std::move(change));
  showValues();
  Q_EMIT passChanged(qs(passText(configured_->pass->name, effectiveSettings(*configured_, *module_))));
}

void PassSettingsTable::showValues() {
  const auto effective = effectiveSettings(*configured_, *module_);
  for (int row = 0; row < rowCount(); ++row) {
    const QString value = qs(effective[static_cast<size_t>(row)].value);
    if (auto* text = qobject_cast<QLineEdit*>(cellWidget(row, kValue))) text->setText(value);
    if (auto* choice = qobject_cast<QComboBox*>(cellWidget(row, kValue))) choice->setCurrentText(value);
  }
}

}  // namespace hilo
