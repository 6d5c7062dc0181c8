// What one thunk reads and writes, and what it must wait for: its buffer slices as a table, and beside them
// the thunks before and after it, each with the hazard, and its data races.
#pragma once

#include <QSplitter>

#include "core/workspace/thunks/thunk_study.h"
#include "ui/models/table_model.h"
#include "ui/widgets/table_view.h"

class QPlainTextEdit;

namespace hilo {

class ThunkDependencies : public QSplitter {
  Q_OBJECT

 public:
  explicit ThunkDependencies(QWidget* parent = nullptr);
  // `origin`: the instructions that the thunk comes of.
  void showThunk(const ThunkStudy& study, uint32_t thunk, const QString& origin);
  void clear();
  const TableModel<ThunkUse>& uses() const { return uses_; }
  QString text() const;

 Q_SIGNALS:
  // A slice was activated: what lies there, "fusion.3" of "fusion.3{1}".
  void valueActivated(const QString& name);

 private:
  TableModel<ThunkUse> uses_;
  TableView* usesTable_;
  QPlainTextEdit* text_;
};

}  // namespace hilo
