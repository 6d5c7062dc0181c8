#include "ui/views/schedule/schedule_files.h"

#include <QInputDialog>
#include <QMenu>

#include "core/workspace/open/convert.h"
#include "core/workspace/open/read_bytes.h"
#include "ui/models/text_of.h"
#include "ui/views/schedule/scenario_shelf.h"
#include "ui/widgets/ask_file.h"

namespace hilo {

ScheduleFiles::ScheduleFiles(const ViewContext& context, const ScheduleExperiment& experiment,
                             const EditedSide& edited, QWidget* parent)
    : QObject(parent),
      context_(context),
      experiment_(experiment),
      edited_(edited),
      over_(parent),
      shelf_(new ScenarioShelf(context, this)) {
  connect(shelf_, &ScenarioShelf::failed, this,
          [this](const Diagnostic& why) { Q_EMIT said(qs(why.message), true); });
}

void ScheduleFiles::setModule(std::shared_ptr<const Module> module) { shelf_->setModule(std::move(module)); }

void ScheduleFiles::fillMenu(QMenu& menu) {
  menu.clear();
  const std::vector<ScheduleScenario>& scenarios = shelf_->scenarios();
  for (const ScheduleScenario& kept : scenarios)
    menu.addAction(qs(kept.name), this, [this, kept] { Q_EMIT scenarioTaken(kept); });
  if (!scenarios.empty()) menu.addSeparator();
  menu.addAction("&Keep this one…", this, &ScheduleFiles::askName);
  QMenu* removal = menu.addMenu("&Remove");
  removal->setEnabled(!scenarios.empty());
  for (const ScheduleScenario& kept : scenarios)
    removal->addAction(qs(kept.name), this, [this, name = kept.name] { shelf_->remove(name); });
  menu.addSeparator();
  addFileActions(menu);
}

void ScheduleFiles::addFileActions(QMenu& menu) {
  const QString json = "JSON (*.json);;All files (*)";
  menu.addAction("&Open a scenario…", this, [this, json] {
    askFile(*over_, {"A scenario", json}, [this](const QString& path) { loadScenario(path); });
  });
  menu.addAction("&Save this one as…", this, [this, json] {
    askFile(*over_, {"A scenario", json, /*saves=*/true},
            [this](const QString& path) { saveScenario(path); });
  });
  menu.addAction("&Take an order from a file…", this, [this] {
    askFile(*over_, {"An order: names one a line, or HLO text", "All files (*)"},
            [this](const QString& path) { takeOrder(path); });
  });
}

void ScheduleFiles::askName() {
  bool taken = false;
  ScheduleScenario kept = edited_.scenario();
  const QString name =
      QInputDialog::getText(over_, "Keep a scenario", "Name", QLineEdit::Normal, qs(kept.name), &taken);
  if (!taken || name.trimmed().isEmpty()) return;
  kept.name = toStd(name.trimmed());
  shelf_->keep(kept);
}

void ScheduleFiles::askExport(ScheduleExport form) {
  askFile(*over_,
          {"Export the schedule", "HLO text (*.hlo *.txt);;HloProto (*.pb);;All files (*)", /*saves=*/true},
          [this, form](const QString& path) { exportTo(path, form); });
}

void ScheduleFiles::askDevice() {
  askFile(*over_,
          {"A description of a device", "Devices (*.json *.pbtxt *.txtpb *.textproto);;All files (*)"},
          [this](const QString& path) { Q_EMIT deviceTaken(path); });
}

void ScheduleFiles::sayWritten(const QString& told, const Result<void>& written) {
  Q_EMIT said(written ? told : qs(written.error().message), !written);
}

void ScheduleFiles::exportTo(const QString& path, ScheduleExport form) {
  auto exported = experiment_.exported(edited_.side(), form);
  if (!exported) return Q_EMIT said(qs(exported.error().message), true);
  QString told = "Written: " + path;
  if (form == ScheduleExport::Control)
    told += ", " + countOf(exported->added, "control dependency", "control dependencies");
  if (form == ScheduleExport::Annotations) told += ", " + countOf(exported->added, "group");
  for (const std::string& note : exported->notes) told += " · " + qs(note);
  context_.jobs.submit(
      "", "Write " + toStd(path),
      [module = exported->module, path = toStd(path)](JobContext&) -> Result<void> {
        TRY(const OutputKind kind, outputKindFromPath(path));
        TRY(const std::string bytes, convertModule(*module, ConvertOptions{.kind = kind}));
        return writeOutput(path, bytes);
      },
      [this, told](Result<void> written) { sayWritten(told, written); }, &scope_);
}

void ScheduleFiles::saveScenario(const QString& path) {
  context_.jobs.submit(
      "", "Write " + toStd(path),
      [text = scenarioText(edited_.scenario()) + "\n", path = toStd(path)](JobContext&) -> Result<void> {
        return writeOutput(path, text);
      },
      [this, path](Result<void> written) { sayWritten("Written: " + path, written); }, &scope_);
}

void ScheduleFiles::loadScenario(const QString& path) {
  context_.jobs.submit(
      "", "Read " + toStd(path),
      [path = toStd(path)](JobContext&) -> Result<ScheduleScenario> {
        TRY(const std::string text, readBytes(path));
        return parseScenario(text, path);
      },
      [this](Result<ScheduleScenario> scenario) {
        if (!scenario) return Q_EMIT said(qs(scenario.error().message), true);
        Q_EMIT scenarioTaken(*scenario);
      },
      &scope_);
}

void ScheduleFiles::takeOrder(const QString& path) {
  context_.jobs.submit(
      "", "Read " + toStd(path), [path = toStd(path)](JobContext&) { return readBytes(path); },
      [this](Result<std::string> text) {
        if (!text) return Q_EMIT said(qs(text.error().message), true);
        Q_EMIT orderTaken(*text);
      },
      &scope_);
}

}  // namespace hilo
