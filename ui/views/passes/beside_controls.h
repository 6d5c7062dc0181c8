// XLA's stages of a dump and our own pipeline on one strip: what runs ours beside them, and what a step that
// has one of the other side is compared with. UI thread.
#pragma once

#include <optional>

#include <QComboBox>
#include <QPushButton>

#include "core/workspace/passes/beside.h"

namespace hilo {

class WrappingRow;

class BesideControls : public QObject {
  Q_OBJECT

 public:
  // Both are in the bar, hidden until a series has use for them.
  BesideControls(WrappingRow& bar, QWidget* parent);

  void show(const PassSeries& series);
  // Ours can be run beside the series that is shown.
  bool offersRun() const { return !run_->isHidden(); }
  // The step of the other side after the same pass, if that is chosen and exists, else the one before.
  std::optional<size_t> comparedWith(const PassSeries& series, size_t step) const;

 Q_SIGNALS:
  void runAsked();
  void chosen();

 private:
  QPushButton* run_;
  QComboBox* compareWith_;
};

}  // namespace hilo
