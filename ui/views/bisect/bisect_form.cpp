#include "ui/views/bisect/bisect_form.h"

#include <QLineEdit>

#include "core/workspace/passes/optimize.h"
#include "core/workspace/run/engines.h"
#include "core/workspace/watch/pass_process.h"
#include "ui/models/argument_text.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/widgets/wrapping_row.h"

namespace hilo {
namespace {

constexpr const char* kStages = "stages of the dump";
constexpr const char* kChosen = "chosen passes";
constexpr const char* kPipeline = "pipeline ";

// What could follow a watcher's colon.
QStringList offeredFor(std::string_view argument) {
  if (argument == "LIMIT") return {"1.5x", "1.2x", "2x"};
  if (argument != "ENGINE") return {};
  QStringList engines;
  for (const EngineInfo& engine : listEngines()) engines << qs(engine.name);
  return engines;
}

}  // namespace

BisectForm::BisectForm(QWidget* parent) : QWidget(parent) {
  auto* row = new WrappingRow(kSpaceSmall);
  row->setContentsMargins(0, 0, 0, 0);
  setLayout(row);
  watch_ = new QComboBox(this);
  watch_->setAccessibleName("Watch");
  for (const WatcherInfo& info : listWatchers()) {
    watch_->addItem(qs(info.name));
    watch_->setItemData(watch_->count() - 1, qs(info.summary), Qt::ToolTipRole);
  }
  watched_ = addText("Watched value", {}, "");
  over_ = new QComboBox(this);
  over_->setAccessibleName("Search over");
  for (const Pipeline& pipeline : listPipelines()) {
    over_->addItem(kPipeline + qs(pipeline.name));
    over_->setItemData(over_->count() - 1, qs(pipeline.summary), Qt::ToolTipRole);
  }
  over_->addItem(kChosen);
  over_->setCurrentText(kPipeline + qs(defaultEngine()));
  passes_ = addText("Passes", {"dce,call-inliner,algebraic-simplifier,cse,dce"},
                    "Passes with commas between, in this order, as hilo opt takes them");
  QStringList engines = offeredFor("ENGINE");
  engines << qs(defaultEngine() + ":no-passes");
  engine_ = addText("Engine", engines, "What runs the module that the passes made");
  arguments_ = addText("Arguments", {"seed 0", "snapshot"}, kArgumentsTip);
  bad_ = addNumber("Bad looks", 100, "A result that changes: bad is what is bad in so many looks");
  looks_ = addNumber("Looks", 100, "How often each module is looked at");
  samples_ = addNumber("Samples", 1000, "Runs that a time is the median of");
  samples_->setValue(9);
  bad_->setPrefix("bad in ");
  looks_->setPrefix("of ");
  looks_->setSuffix(" looks");
  samples_->setSuffix(" runs");
  const auto add = [&](const char* label, QWidget* box) {
    auto* text = new QLabel(label, this);
    text->setBuddy(box);
    row->add(text);
    row->add(box);
  };
  add("Watch", watch_);
  row->add(watched_);
  row->add(samples_);
  add("over", over_);
  row->add(passes_);
  add("run by", engine_);
  add("on", arguments_);
  row->add(bad_);
  row->add(looks_);
  connect(watch_, &QComboBox::currentIndexChanged, this, &BisectForm::showWatcher);
  connect(over_, &QComboBox::currentIndexChanged, this, &BisectForm::showOver);
  watch_->setCurrentText("differs");
  showWatcher();
  showOver();
}

QComboBox* BisectForm::addText(const char* name, const QStringList& offered, const char* tip) {
  auto* box = new QComboBox(this);
  box->setEditable(true);
  box->setInsertPolicy(QComboBox::NoInsert);
  box->setAccessibleName(name);
  box->lineEdit()->setAccessibleName(name);
  box->addItems(offered);
  box->setToolTip(tip);
  box->setMinimumContentsLength(12);
  connect(box, &QComboBox::editTextChanged, this, &BisectForm::changed);
  return box;
}

QSpinBox* BisectForm::addNumber(const char* name, int most, const char* tip) {
  auto* box = new QSpinBox(this);
  box->setAccessibleName(name);
  box->setRange(1, most);
  box->setToolTip(tip);
  connect(box, &QSpinBox::valueChanged, this, &BisectForm::changed);
  return box;
}

// What is asked for besides depends on what is watched.
void BisectForm::showWatcher() {
  const WatcherInfo& info = listWatchers()[static_cast<size_t>(std::max(0, watch_->currentIndex()))];
  watch_->setToolTip(qs(info.summary));
  watched_->clear();
  watched_->addItems(offeredFor(info.argument));
  watched_->setVisible(!info.argument.empty());
  watched_->setToolTip(qs(info.argument) + ": " + qs(info.summary));
  watched_->lineEdit()->setPlaceholderText(qs(info.argument));
  samples_->setVisible(info.name == "time");
  updateGeometry();
  Q_EMIT changed();
}

void BisectForm::showOver() {
  passes_->setVisible(over_->currentText() == kChosen);
  updateGeometry();
  Q_EMIT changed();
}

void BisectForm::setHasStages(bool has) {
  const int at = over_->findText(kStages);
  if (has && at < 0) {
    over_->insertItem(0, kStages);
    over_->setCurrentIndex(0);
  } else if (!has && at >= 0) {
    over_->removeItem(at);
  }
}

BisectSettings BisectForm::settings() const {
  BisectSettings settings{.engine = engine_->currentText().trimmed(),
                          .arguments = arguments_->currentText().trimmed(),
                          .bad = bad_->value(),
                          .looks = looks_->value(),
                          .samples = samples_->value()};
  const QString value = watched_->currentText().trimmed();
  settings.watch = watch_->currentText();
  if (!value.isEmpty() && watched_->isVisibleTo(this)) settings.watch += ":" + value;
  const QString over = over_->currentText();
  settings.over = over == kStages ? "stages" : over == kChosen ? passes_->currentText().trimmed() : over;
  return settings;
}

void BisectForm::setSettings(const BisectSettings& settings) {
  watch_->setCurrentText(settings.watch.section(':', 0, 0));
  watched_->setEditText(settings.watch.section(':', 1));
  engine_->setEditText(settings.engine);
  arguments_->setEditText(settings.arguments);
  bad_->setValue(settings.bad);
  looks_->setValue(settings.looks);
  samples_->setValue(settings.samples);
  const int known = settings.over == "stages" ? over_->findText(kStages) : over_->findText(settings.over);
  over_->setCurrentIndex(known >= 0 ? known : over_->findText(kChosen));
  if (known < 0) passes_->setEditText(settings.over);
}

WatchOptions watchOptionsOf(const BisectSettings& settings, const WorkerOptions& worker) {
  return {.engine = toStd(settings.engine),
          .worker = worker,
          .passWorker = ownPassWorker(),
          .samples = settings.samples,
          .looks = settings.looks,
          .leastBad = settings.bad};
}

std::optional<size_t> dumpModuleOf(const Session& session) {
  const Snapshot* snapshot = session.current();
  const Document* document = snapshot == nullptr ? nullptr : session.document(snapshot->document);
  if (document == nullptr || document->dump == nullptr) return std::nullopt;
  for (size_t module = 0; module < document->stages.size(); ++module) {
    const auto& stages = document->stages[module];
    if (stages.size() > 1 && std::ranges::find(stages, snapshot->id) != stages.end()) return module;
  }
  return std::nullopt;
}

Result<BisectSubject> subjectOf(const BisectSettings& settings, const Session& session) {
  const Snapshot* snapshot = session.current();
  if (snapshot == nullptr) return fail("nothing-open", "open a module, or a dump, to search in");
  BisectSubject subject{.arguments = argumentSourceOf(settings.arguments, snapshot->file.get()),
                        .worker = session.runs().worker()};
  if (settings.over == "stages") {
    subject.dump = session.document(snapshot->document)->dump;
    subject.dumpModule = dumpModuleOf(session).value_or(0);
    return subject;
  }
  OptimizeRequest request;
  if (settings.over.startsWith(kPipeline)) {
    request.pipeline = toStd(settings.over.mid(static_cast<int>(std::string_view(kPipeline).size())));
  } else {
    request.passes = {toStd(settings.over)};
  }
  TRY(subject.passes, passesToRun(request));
  subject.module = snapshot->module;
  return subject;
}

}  // namespace hilo
