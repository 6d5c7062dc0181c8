#include "ui/views/runs/run_form.h"

#include <QMenu>

#include "core/workspace/run/engines.h"
#include "core/workspace/run/run_limits.h"
#include "core/workspace/session/comparable.h"
#include "ui/models/argument_text.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/widgets/wrapping_row.h"

namespace hilo {
namespace {

constexpr int kSamples = 20;  // enough for an interval, and for the slow ones to be seen

}  // namespace

RunForm::RunForm(const Session& session, QWidget* parent) : QWidget(parent), session_(session) {
  buildChecks();
  buildEngines();
  buildArguments();
  buildLimits();
  buildButtons();
  auto* row = new WrappingRow(kSpaceSmall);
  row->setContentsMargins(kSpaceSmall, kSpaceSmall, kSpaceSmall, kSpaceSmall);
  setLayout(row);
  for (QWidget* widget : std::initializer_list<QWidget*>{
           engine_, flags_, asCompiled_, checks_, against_, arguments_, repeat_, limits_, timeLimit_,
           memoryLimit_, label_, runButton_, compareButton_, nonfiniteButton_})
    row->add(widget, widget == arguments_ || widget == label_ ? 1 : 0);
}

// What runs the module, and what it is run against.
void RunForm::buildEngines() {
  engine_ = new QComboBox(this);
  engine_->setAccessibleName("Engine");
  for (const EngineInfo& engine : listEngines()) {
    engine_->addItem(qs(engine.name));
    engine_->setItemData(engine_->count() - 1, qs(engine.description), Qt::ToolTipRole);
  }
  engine_->setCurrentText(qs(defaultEngine()));
  engine_->setToolTip("Engine that runs the module");
  flags_ = new QToolButton(this);
  flags_->setAccessibleName("Flags of the engine");
  flags_->setPopupMode(QToolButton::InstantPopup);
  flags_->setMenu(new QMenu(flags_));
  flags_->menu()->setToolTipsVisible(true);
  connect(engine_, &QComboBox::currentIndexChanged, this, &RunForm::fillFlags);
  connect(engine_, &QComboBox::currentIndexChanged, this, &RunForm::offerChecks);
  connect(engine_, &QComboBox::activated, this, [this] { isChosen_ = true; });
  fillFlags();
  offerChecks();
  against_ = new QComboBox(this);
  against_->setAccessibleName("Compared with");
  against_->setToolTip(
      "Runs another engine, or another module, on the same arguments: one sample of each in turn, so that "
      "what slows the machine for a while slows both");
  against_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  against_->setMinimumContentsLength(14);
  fillAgainst();
}

// Hidden where the engine can do neither.
void RunForm::buildChecks() {
  asCompiled_ = new QCheckBox("As XLA compiled it", this);
  asCompiled_->setToolTip(
      "Run the kernels of the dump's PTX, with the arrays that XLA gave them, in the order of its schedule");
  checks_ = new QCheckBox("Check accesses", this);
  checks_->setToolTip(
      "Look at each access to memory: races, what is out of bounds or was never written, waits between "
      "streams that are missing. What is found is listed under Problems");
}

void RunForm::offerChecks() {
  const std::string engine = toStd(engine_->currentText());
  checks_->setVisible(engine_->isEnabled() && engineChecks(engine));
  asCompiled_->setVisible(engine_->isEnabled() && runsDumpedKernels(engine) && dumped().first != nullptr);
}

// What it runs on, how often, and what the run is called.
void RunForm::buildArguments() {
  arguments_ = new QLineEdit("seed 0", this);
  arguments_->setAccessibleName("Arguments");
  arguments_->setToolTip(kArgumentsTip);
  arguments_->setPlaceholderText("seed N, snapshot, or a .npz file");
  repeat_ = new QSpinBox(this);
  repeat_->setAccessibleName("Repeat");
  repeat_->setRange(1, 10000);
  repeat_->setValue(kSamples);
  repeat_->setSuffix(" iterations");
  label_ = new QLineEdit(this);
  label_->setAccessibleName("Label");
  label_->setPlaceholderText("label (optional)");
  connect(arguments_, &QLineEdit::returnPressed, this, &RunForm::runAsked);
}

// What it may take; folded, for few runs have any.
void RunForm::buildLimits() {
  timeLimit_ = new QSpinBox(this);
  timeLimit_->setAccessibleName("Time limit");
  timeLimit_->setRange(0, 24 * 3600);
  timeLimit_->setSpecialValueText("no time limit");
  timeLimit_->setSuffix(" s");
  timeLimit_->setValue(kRunLimitSeconds);
  timeLimit_->setToolTip("End a run that takes longer, and say what it was at");
  memoryLimit_ = new QDoubleSpinBox(this);
  memoryLimit_->setAccessibleName("Memory limit");
  memoryLimit_->setRange(0, 1'000'000);
  memoryLimit_->setDecimals(3);
  memoryLimit_->setSpecialValueText("no memory limit");
  memoryLimit_->setSuffix(" GB");
  memoryLimit_->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
  memoryLimit_->setToolTip(
      "Refuse a run of compiled code whose buffers and exchanges take more; without one as much as the "
      "machine has");
  limits_ = new QToolButton(this);
  limits_->setAccessibleName("Limits of the run");
  limits_->setCheckable(true);
  limits_->setToolTip("The time and the memory that a run may take");
  for (QWidget* box : std::initializer_list<QWidget*>{timeLimit_, memoryLimit_}) {
    box->hide();
    connect(limits_, &QToolButton::toggled, box, &QWidget::setVisible);
  }
  connect(timeLimit_, &QSpinBox::valueChanged, this, &RunForm::sayLimits);
  connect(memoryLimit_, &QDoubleSpinBox::valueChanged, this, &RunForm::sayLimits);
  sayLimits();
}

void RunForm::sayLimits() {
  QStringList set;
  if (timeLimit_->value() > 0) set << timeLimit_->text();
  if (memoryLimit_->value() > 0) set << memoryLimit_->text();
  limits_->setText(set.isEmpty() ? QStringLiteral("Limits") : QStringLiteral("at most ") + set.join(", "));
}

void RunForm::buildButtons() {
  runButton_ = new QPushButton("Run", this);
  runButton_->setToolTip("Run the module that is shown and keep the result");
  compareButton_ = new QPushButton("Compare", this);
  compareButton_->setToolTip("Compare the two selected runs");
  compareButton_->setEnabled(false);
  nonfiniteButton_ = new QPushButton("First NaN or Inf", this);
  nonfiniteButton_->setToolTip(
      "Go to the first instruction that makes a NaN or an infinity of finite operands");
  connect(runButton_, &QPushButton::clicked, this, &RunForm::runAsked);
}

void RunForm::fillFlags() {
  flags_->menu()->clear();
  const auto engines = listEngines();
  const auto at = static_cast<size_t>(std::max(0, engine_->currentIndex()));
  for (const auto& [name, description] : engines[at].flags) {
    QAction* action = flags_->menu()->addAction(qs(name));
    action->setCheckable(true);
    action->setToolTip(qs(description));
    connect(action, &QAction::toggled, this, &RunForm::sayFlags);
  }
  flags_->setEnabled(engine_->isEnabled() && !engines[at].flags.empty());
  sayFlags();
}

QStringList RunForm::chosenFlags() const {
  QStringList chosen;
  for (const QAction* action : flags_->menu()->actions()) {
    if (action->isChecked()) chosen << action->text();
  }
  return chosen;
}

void RunForm::sayFlags() {
  const QStringList chosen = chosenFlags();
  flags_->setText(chosen.size() == 1 ? chosen[0]
                  : chosen.isEmpty() ? QStringLiteral("Flags")
                                     : QStringLiteral("%1 flags").arg(chosen.size()));
  flags_->setToolTip(chosen.isEmpty()
                         ? QStringLiteral("How the engine compiles: what it can be told")
                         : QStringLiteral("The engine is told: ") + chosen.join(QStringLiteral(", ")));
}

bool RunForm::offerEngine(const QString& name) {
  if (isChosen_ || engine_->currentText() == name) return false;
  engine_->setCurrentText(name);
  return true;
}

QString RunForm::engine() const {
  const QStringList chosen = chosenFlags();
  return engine_->currentText() + (chosen.isEmpty() ? QString() : u':' + chosen.join(u'+'));
}

// A program is compiled already: there is no engine to choose, and no module to look into.
void RunForm::followShown() {
  const bool isModule = session_.shownCompiled() == nullptr;
  for (QWidget* widget : std::initializer_list<QWidget*>{engine_, against_, nonfiniteButton_})
    widget->setEnabled(isModule);
  offerChecks();
  flags_->setEnabled(isModule && !flags_->menu()->isEmpty());
  const auto shown = request();
  if (shown) arguments_->setToolTip(argumentsTip(parametersOf(*shown)));
}

void RunForm::fillAgainst() {
  const QString before = against_->currentText();
  others_ = comparable(session_);
  against_->clear();
  against_->addItem("no comparison");
  for (const EngineInfo& engine : listEngines()) against_->addItem("compare with " + qs(engine.name));
  for (const auto& [title, step] : others_) against_->addItem("compare with " + qs(title));
  against_->setCurrentIndex(std::max(0, against_->findText(before)));
}

}  // namespace hilo
