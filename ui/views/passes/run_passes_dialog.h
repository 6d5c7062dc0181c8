// Asks which pipeline, or which passes in which order and with which settings, to run over a module.
#pragma once

#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>

#include "core/workspace/passes/optimize.h"
#include "ui/views/passes/pass_settings_table.h"

class QDialogButtonBox;
class QVBoxLayout;

namespace hilo {

class RunPassesDialog : public QDialog {
  Q_OBJECT

 public:
  explicit RunPassesDialog(std::shared_ptr<const Module> module, QWidget* parent = nullptr);
  OptimizeRequest request() const;
  QComboBox& pipeline() { return *pipeline_; }
  // Each with what is set of it: "while-loop-unroller{trip_count_threshold=16}".
  QListWidget& passes() { return *chosen_; }
  QLineEdit& filter() { return *filter_; }
  PassSettingsTable& settings() { return *settings_; }
  QString note() const { return note_->text(); }
  // The ticked passes as a file, and those of one ticked, before all others
  // (core/workspace/passes/pass_file.h).
  void saveFile(const QString& path);
  void openFile(const QString& path);

 private:
  void addSettings(QWidget& parent);
  void addFilter(QVBoxLayout& column);
  void addFiles(QDialogButtonBox& buttons);
  void addPass(const ConfiguredPass& configured, Qt::CheckState state);
  std::vector<std::string> tickedPasses() const;
  void showPipeline(int index);
  void showMatching(const QString& words);
  void runAgain();
  void showSettings(int row);
  const Pipeline* chosenPipeline() const;  // null: passes chosen one by one

  std::shared_ptr<const Module> module_;
  QComboBox* pipeline_;
  QLineEdit* filter_;
  QListWidget* chosen_;
  PassSettingsTable* settings_;
  QLabel* note_;
};

}  // namespace hilo
