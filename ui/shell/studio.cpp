#include "ui/shell/studio.h"

#include <QApplication>
#include <QDir>
#include <QStandardPaths>
#include <QTimer>

#include <cstdio>

#include "core/workspace/job_queue.h"
#include "core/workspace/session/session.h"
#include "ui/shell/main_window.h"
#include "ui/shell/render.h"
#include "ui/shell/startup_timing.h"
#include "ui/shell/studio_settings.h"
#include "ui/shell/studio_window.h"
#include "ui/views/graph/graph_area.h"

namespace hilo {
namespace {

constexpr int kInputFault = 1;
constexpr int kUsage = 2;

void complain(const Diagnostic& why) { fmt::print(stderr, "{}\n", toString(why)); }

// Without a display Qt draws into memory. A window that nobody can see is no use, a picture is.
bool choosePlatform(const StudioOptions& options) {
  if (qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) return true;
  const bool display = qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY");
  const bool picture = !options.render.empty();
  if (picture || (!display && options.startupTiming)) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    return true;
  }
#if defined(__linux__)
  return display;
#else
  return true;
#endif
}

// Qt's offscreen platform says of each window what it cannot do; nobody who asks for a picture has
// use for that.
void dropPlatformChatter() {
  static QtMessageHandler next = nullptr;
  next =
      qInstallMessageHandler([](QtMsgType type, const QMessageLogContext& context, const QString& message) {
        if (!message.startsWith("This plugin does not support")) next(type, context, message);
      });
}

// Says what could not be opened; pictures and timings end with it.
void watchFailures(const SessionChanges& changes, bool& failed, bool end) {
  QObject::connect(&changes, &SessionChanges::failed,
                   [&failed, end](const QString& what, const Diagnostic& why) {
                     Diagnostic full = why;
                     full.message = what.toStdString() + ": " + full.message;
                     complain(full);
                     failed = true;
                     if (end) QCoreApplication::exit(kInputFault);
                   });
}

int drawPicture(MainWindow& window, const StudioOptions& options, const bool& failed) {
  QStringList inputs, controls;
  for (const std::string& input : options.inputs) inputs << QDir::cleanPath(QString::fromStdString(input));
  for (const std::string& control : options.controls) controls << QString::fromStdString(control);
  const RenderRequest request{QString::fromStdString(options.render),
                              QString::fromStdString(options.output),
                              QSize(options.width, options.height),
                              QString::fromStdString(options.select),
                              QString::fromStdString(options.query),
                              inputs,
                              QString::fromStdString(options.graph),
                              QString::fromStdString(options.schedule),
                              controls,
                              QString::fromStdString(options.passes),
                              options.step,
                              options.run};
  const Status drawn = renderView(window, request);
  // What could not be opened has been told already, and is why there is nothing to draw.
  if (!drawn && !failed) complain(drawn.error());
  return failed || !drawn ? kInputFault : 0;
}

void timeTheStart(MainWindow& window, StartupTiming& timing) {
  QObject::connect(&window.view<GraphArea>(), &GraphArea::painted, &window, [&timing] {
    timing.reached("graph painted");
    fmt::print("{}", timing.report());
    std::fflush(stdout);
    QCoreApplication::exit(0);
  });
}

}  // namespace

std::vector<std::string> studioViewNames() {
  std::vector<std::string> names;
  for (const QString& name : viewNames()) names.push_back(name.toStdString());
  return names;
}

int runStudio(int argc, char** argv, const StudioOptions& options) {
  StartupTiming timing;
  timing.reached("main");
  if (!choosePlatform(options)) {
    complain({.kind = "no-display",
              .message = "there is no display to open a window on",
              .notes = {"draw a view into a file instead: hilo-studio --render window -o studio.png INPUT"}});
    return kUsage;
  }
  // Reading starts before anything of Qt is set up; what comes back waits for the event loop.
  UiPoster poster;
  const bool quiet = !options.render.empty() || !options.settings;
  const std::string storePath = quiet ? ":memory:" : "";
  auto first = std::make_unique<StudioWindow>(poster, storePath);
  Session& session = first->session();
  for (const std::string& input : options.inputs) session.open(input);

  if (qgetenv("QT_QPA_PLATFORM") == "offscreen") dropPlatformChatter();
  if (options.scale > 0) qputenv("QT_SCALE_FACTOR", QByteArray::number(options.scale));
  QApplication application(argc, argv);
  QApplication::setApplicationName("hilo-studio");
  timing.reached("application made");
  StudioSettings settings = quiet ? StudioSettings(QString()) : StudioSettings::user();
  const QString cache = QStandardPaths::writableLocation(QStandardPaths::CacheLocation);
  auto windows =
      std::make_unique<StudioWindows>(poster, settings, storePath, quiet ? QString() : cache + "/layouts");
  MainWindow& window = windows->adopt(std::move(first), &timing);
  bool failed = false;
  watchFailures(window.context().changes, failed, options.startupTiming);
  if (!options.theme.empty()) window.setTheme(options.theme == "dark");
  if (!options.sourceRoots.empty()) {
    QStringList roots;
    for (const std::string& root : options.sourceRoots) roots << QString::fromStdString(root);
    window.files().setSourceRoots(roots);
  }
  if (options.xlaColours) window.action("view.xlaColours")->setChecked(true);
  timing.reached("window made");
  poster.attach();

  int code = 0;
  if (!options.render.empty()) {
    code = drawPicture(window, options, failed);
  } else {
    if (options.startupTiming) timeTheStart(window, timing);
    if (!options.select.empty()) {
      const auto select = [&window, &options] { window.goToName(QString::fromStdString(options.select)); };
      QObject::connect(&window.context().changes, &SessionChanges::currentChanged, &window, select);
      QObject::connect(&window.context().changes, &SessionChanges::compiledShown, &window, select);
    }
    showOnScreen(window);
    timing.reached("window shown");
    code = QApplication::exec();
  }
  poster.detach();
  windows.reset();
  return code;
}

}  // namespace hilo
