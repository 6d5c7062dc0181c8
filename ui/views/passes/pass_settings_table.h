// The settings of one pass, with a field each to change them in.
#pragma once

#include <QTableWidget>
#include <optional>

#include "core/compiler/pass/pass.h"

namespace hilo {

class PassSettingsTable : public QTableWidget {
  Q_OBJECT

 public:
  explicit PassSettingsTable(QWidget* parent = nullptr);
  // Defaults are those for `module`, which must outlive this.
  void setPass(const ConfiguredPass& configured, const Module& module);
  void setNoPass();
  // What a person writes in the field of a setting; refused() is told when it may not be.
  void take(const QString& name, const QString& value);

 Q_SIGNALS:
  // The pass as it is set now: "while-loop-unroller{trip_count_threshold=16}".
  void passChanged(const QString& passText);
  void refused(const QString& why);

 private:
  QWidget* makeField(const PassSetting& setting, const EffectiveSetting& effective);
  void showValues();

  std::optional<ConfiguredPass> configured_;
  const Module* module_ = nullptr;
};

}  // namespace hilo
