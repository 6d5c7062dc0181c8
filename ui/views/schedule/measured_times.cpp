#include "ui/views/schedule/measured_times.h"

#include <QMenu>

#include "core/workspace/open/convert.h"
#include "core/workspace/open/read_bytes.h"
#include "core/workspace/overlays/overlays.h"
#include "core/workspace/schedule/schedule.h"
#include "ui/models/text_of.h"
#include "ui/widgets/ask_file.h"

namespace hilo {

MeasuredTimes::MeasuredTimes(const ViewContext& context, QWidget* parent)
    : QObject(parent), context_(context), over_(parent) {}

void MeasuredTimes::fillMenu(QMenu& menu, const ScheduleScenario& shown) {
  menu.clear();
  menu.addAction("Measured times from a &file…", this, [this] {
    askFile(*over_, {"Measured times", "Profiles (*.csv *.pbtxt *.txtpb *.textproto);;All files (*)"},
            [this](const QString& path) { takeFile(path); });
  });
  QAction* ofRun = menu.addAction(
      run_ == nullptr ? QString("Measured times of the selected &run")
                      : QString("Measured times of &run %1 (%2)").arg(run_->id.value).arg(qs(run_->engine)),
      this, &MeasuredTimes::takeRun);
  ofRun->setEnabled(hasTimes());
  if (!hasTimes()) ofRun->setToolTip("Select a run that kept the times of its thunks in the view Runs");
  menu.setToolTipsVisible(true);
  menu.addSeparator();
  QAction* fitting = menu.addAction("Fit the &device to these times…", this, [this, shown] {
    askFile(*over_, {"The fitted device", "Devices (*.json)", /*saves=*/true},
            [this, shown](const QString& path) { fit(shown, path); });
  });
  fitting->setEnabled(!shown.profileText.empty());
  if (shown.profileText.empty()) fitting->setToolTip("Take measured times first");
}

void MeasuredTimes::takeFile(const QString& path) {
  context_.jobs.submit(
      "", "Read " + toStd(path), [path = toStd(path)](JobContext&) { return readBytes(path); },
      [this, path](Result<std::string> text) {
        if (!text) return Q_EMIT said(qs(text.error().message), true);
        Q_EMIT taken(path, *text);
      },
      &scope_);
}

void MeasuredTimes::takeRun() {
  if (!hasTimes() || module_ == nullptr) return;
  const auto profile = profileOfRun(*run_, *module_);
  if (!profile) return Q_EMIT said(qs(profile.error().message), true);
  Q_EMIT taken(QString("run %1").arg(run_->id.value), *profile);
}

void MeasuredTimes::fit(const ScheduleScenario& shown, const QString& path) {
  context_.jobs.submit(
      "", "Fit " + shown.device,
      [module = module_, shown, path = toStd(path)](JobContext&) -> Result<DeviceFit> {
        TRY(auto fit, fittedDevice(*module, shown.device, shown.profileText, shown.profileName));
        TRY_STATUS(writeOutput(path, deviceJson(fit.device)));
        return fit;
      },
      [this, path](Result<DeviceFit> fit) {
        if (!fit) return Q_EMIT said(qs(fit.error().message), true);
        Q_EMIT fitted(path);
        Q_EMIT said(QString("Fitted to %1: estimates are off by a factor of %2 in the median, %3 before")
                        .arg(countOf(static_cast<size_t>(fit->measured), "measured instruction"))
                        .arg(fit->errorAfter, 0, 'f', 2)
                        .arg(fit->errorBefore, 0, 'f', 2),
                    false);
      },
      &scope_);
}

}  // namespace hilo
