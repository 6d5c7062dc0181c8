// What is watched, over what, on which values: the settings of a search as a person fills them in.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QWidget>

#include "core/workspace/bisect/subject.h"
#include "core/workspace/watch/watch.h"
#include "ui/models/view_context.h"

namespace hilo {

// As text, to be kept: a watcher as makeWatcher takes it; passes with commas between.
struct BisectSettings {
  QString watch = "differs:reference";
  QString engine = "reference";
  QString over;  // "stages", "pipeline NAME", or a list of passes
  QString arguments = "seed 0";
  int bad = 1, looks = 1, samples = 9;
};

class BisectForm : public QWidget {
  Q_OBJECT

 public:
  explicit BisectForm(QWidget* parent = nullptr);

  // Offers the stages of a dump where the module is one of them.
  void setHasStages(bool has);
  BisectSettings settings() const;
  void setSettings(const BisectSettings& settings);
  QComboBox& watch() { return *watch_; }
  QComboBox& watched() { return *watched_; }
  QComboBox& over() { return *over_; }
  QComboBox& passes() { return *passes_; }
  QComboBox& engine() { return *engine_; }
  QComboBox& arguments() { return *arguments_; }
  QSpinBox& bad() { return *bad_; }
  QSpinBox& looks() { return *looks_; }

 Q_SIGNALS:
  void changed();

 private:
  QComboBox* addText(const char* name, const QStringList& offered, const char* tip);
  QSpinBox* addNumber(const char* name, int most, const char* tip);
  void showWatcher();
  void showOver();

  QComboBox* watch_;
  QComboBox* watched_;  // what follows the watcher's colon
  QComboBox* over_;
  QComboBox* passes_;
  QComboBox* engine_;
  QComboBox* arguments_;
  QSpinBox* bad_;
  QSpinBox* looks_;
  QSpinBox* samples_;
};

WatchOptions watchOptionsOf(const BisectSettings& settings, const WorkerOptions& worker);
// Of the current module. Kinds: those of passesToRun(), and "nothing-open".
Result<BisectSubject> subjectOf(const BisectSettings& settings, const Session& session);
// The module of the dump that the current snapshot is a stage of; nullopt where it is none of several.
std::optional<size_t> dumpModuleOf(const Session& session);

}  // namespace hilo
