// A line for an expression of the query language: completes what is typed, underlines what cannot be read. Up
// and Down go through what was asked before. UI thread.
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
  // Keeps what the box holds, for Up; the same twice in a row is kept once.
  void remember();
  // It shows one of those that were kept.
  bool isRecalling() const { return recalled_ < asked_.size(); }

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void complete();
  void accept(const QString& word);
  void recall(qsizetype place);

  std::function<std::shared_ptr<const Module>()> source_;
  QCompleter* completer_;
  QStringListModel completions_;
  QStringList asked_;       // the latest last
  qsizetype recalled_ = 0;  // of asked_; its size for what is being typed
  QString typed_;           // kept while others are shown
};

}  // namespace hilo
