// What is to be run: the engine with its flags, arguments, how often, what it may take, and what it is run
// against; of the module or the saved program that the session shows.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>
#include <QWidget>

#include "core/workspace/run/runs.h"
#include "core/workspace/session/session.h"

namespace hilo {

class RunForm : public QWidget {
  Q_OBJECT

 public:
  // The session must outlive it.
  explicit RunForm(const Session& session, QWidget* parent = nullptr);

  // nullopt where nothing is shown that can run.
  std::optional<RunRequest> request() const;
  // What is run, made in the job: the request, or what XLA made of its module, read from the dump.
  std::function<Result<RunRequest>(const JobContext&)> firstSide(const RunRequest& request) const;
  bool isCompared() const;
  std::optional<std::string> otherEngine() const;  // it is compared with
  // What the second of two runs taken in turns is, of the first one, made in the job: a module may have to be
  // read. Empty: there is none.
  std::function<Result<RunRequest>(RunRequest first)> otherSide() const;
  // Kind "unknown-engine".
  Status compareWith(const QString& engine);
  // The engine of the module that is shown, unless the user has chosen one; true: it is another one now.
  bool offerEngine(const QString& name);
  // With its flags: "cpu:fast-math".
  QString engine() const;
  // Of the dump whose kernels are run; "": they are not.
  QString dumpPath() const;
  // " --engine cpu --seed 0 ..." of `hilo run`.
  QString optionsOfCommand() const;

  // What can be chosen for what is shown, and what its arguments are called, in the field's tip.
  void followShown();
  // Engines and modules a run may be compared with.
  void fillAgainst();

  QCheckBox& checks() { return *checks_; }
  QCheckBox& asCompiled() { return *asCompiled_; }
  QToolButton& flagsButton() { return *flags_; }
  QSpinBox& repeat() { return *repeat_; }
  QLineEdit& arguments() { return *arguments_; }
  QDoubleSpinBox& memoryLimit() { return *memoryLimit_; }
  QToolButton& limitsButton() { return *limits_; }
  QComboBox& against() { return *against_; }
  QPushButton& runButton() { return *runButton_; }
  QPushButton& compareButton() { return *compareButton_; }
  QPushButton& nonfiniteButton() { return *nonfiniteButton_; }

 Q_SIGNALS:
  void runAsked();

 private:
  void buildEngines();
  void buildChecks();
  void buildArguments();
  void buildLimits();
  void buildButtons();
  // Of the chosen engine, none chosen.
  void fillFlags();
  // What the chosen engine can do with what is shown.
  void offerChecks();
  // The dump that the shown module is the last stage of, and the module's number there; null: none with PTX.
  std::pair<std::shared_ptr<const OpenedDump>, size_t> dumped() const;
  bool runsDumped() const;
  void sayFlags();
  // On the button that folds them.
  void sayLimits();
  QStringList chosenFlags() const;

  const Session& session_;
  QComboBox* engine_;
  bool isChosen_ = false;  // the engine, by hand
  QToolButton* flags_;     // a menu of what the engine can be told
  QCheckBox* checks_;      // of engines that check accesses
  QCheckBox* asCompiled_;  // of modules that came with XLA's kernels
  QLineEdit* arguments_;
  QSpinBox* repeat_;
  QToolButton* limits_;  // folds the two
  QSpinBox* timeLimit_;
  QDoubleSpinBox* memoryLimit_;  // GB
  QLineEdit* label_;
  QComboBox* against_;
  std::vector<std::pair<std::string, SeriesStep>> others_;  // the modules of the last entries of against_
  QPushButton* runButton_;
  QPushButton* compareButton_;
  QPushButton* nonfiniteButton_;
};

}  // namespace hilo
