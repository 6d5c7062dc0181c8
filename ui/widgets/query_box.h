// A line for an expression of the query language: completes what is typed, underlines what cannot be read.
// UI thread.
#pragma once

#include <functional>
#include <memory>

#include <QCompleter>
#include <QLineEdit>
#include <QStringListModel>

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

class QueryBox : public QLineEdit {
  Q_OBJECT

 public:
  explicit QueryBox(QWidget* parent = nullptr);

  // Whose names are offered; may answer null.
  void setModuleSource(std::function<std::shared_ptr<const Module>()> source) { source_ = std::move(source); }
  bool isCompleting() const { return completer_->popup()->isVisible(); }
  void hideCompletions() { completer_->popup()->hide(); }
  // Underlines from why.place.column on.
  void showError(const Diagnostic& why);
  void clearError();

 private:
  void complete();
  void accept(const QString& word);

  std::function<std::shared_ptr<const Module>()> source_;
  QCompleter* completer_;
  QStringListModel completions_;
};

}  // namespace hilo
