// Somebody who presses everything: random clicks, keys, texts, menus and dialogs in the studio's windows.
//
//   studio_fuzzer [--seed 1] [--actions 2000] [--hilo PROGRAM] [--trace] FILE|DUMP...
//
// The same seed presses in the same order; how far the window's work is by then may differ from run to run.
// Files are copied into a folder of its own, in which alone dialogs for files save. It prints the actions
// that held up the window longest. A signal, a failed CHECK or an action that takes longer than a minute ends
// it with the last actions. Exit status: 0 nothing of these, 2 wrong usage.
#include <execinfo.h>
#include <pthread.h>
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <QAction>
#include <QApplication>
#include <QContextMenuEvent>
#include <QDir>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QMenu>
#include <QPointer>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QWheelEvent>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "core/workspace/run/worker.h"
#include "ui/shell/studio_window.h"

namespace hilo {
namespace {

using Random = std::mt19937_64;

size_t below(Random& random, size_t count) { return count == 0 ? 0 : random() % count; }
template <typename T>
const T& oneOf(Random& random, const std::vector<T>& all) {
  return all[below(random, all.size())];
}

// What was done last, for whoever looks for the reason of a crash.
class Trace {
 public:
  void add(QString what) {
    ++count_;
    if (isPrinted) fmt::print(stderr, "{} {}\n", count_.load(), what.toStdString());
    last_.push_back(std::move(what));
    if (last_.size() > 40) last_.pop_front();
  }
  void print() const {
    for (const QString& what : last_) fmt::print(stderr, "  {}\n", what.toStdString());
    fmt::print(stderr, "that was action {}\n", count_.load());
  }
  int64_t count() const { return count_; }
  bool isPrinted = false;

 private:
  std::atomic<int64_t> count_ = 0;
  std::deque<QString> last_;
};
Trace trace;

// Of whichever thread; `addr2line -f -e` names the functions.
void printStack() {
  std::array<void*, 64> frames{};
  backtrace_symbols_fd(frames.data(), backtrace(frames.data(), static_cast<int>(frames.size())),
                       STDERR_FILENO);
}

void endWithTrace(int signal) {
  std::signal(signal, SIG_DFL);
  printStack();
  trace.print();
  std::raise(signal);
}

// What Qt complains of, once each, but for what its platform without a screen cannot do.
void complainOnce(QtMsgType type, const QMessageLogContext&, const QString& message) {
  static std::set<QString> told;
  if (type == QtDebugMsg || message.startsWith("This plugin does not support") ||
      !told.insert(message).second)
    return;
  fmt::print(stderr, "Qt, after action {}: {}\n", trace.count(), message.toStdString());
}

// Ends the program where the window, of this thread, answers nothing for a minute.
void watch(const std::stop_token& stop, pthread_t thread) {
  int64_t last = -1;
  for (int seconds = 0; !stop.stop_requested(); ++seconds) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    if (trace.count() != last) seconds = 0;
    last = trace.count();
    if (seconds < 60) continue;
    fmt::print(stderr, "the window has not answered for a minute\n");
    pthread_kill(thread, SIGABRT);
    std::this_thread::sleep_for(std::chrono::seconds(10));
  }
}

// "hilo::ScheduleView > QPushButton Compare".
QString nameOf(const QWidget& widget) {
  QString name = widget.metaObject()->className();
  if (!widget.objectName().isEmpty()) name += "#" + widget.objectName();
  for (const QString& said : {widget.accessibleName(), widget.property("text").toString()})
    if (!said.isEmpty()) name += " " + said.left(30);
  for (const QWidget* in = widget.parentWidget(); in != nullptr; in = in->parentWidget()) {
    if (!QString(in->metaObject()->className()).startsWith("hilo::") || in->isWindow()) continue;
    return QString(in->metaObject()->className()) + " > " + name;
  }
  return name;
}

class Fingers {
 public:
  Fingers(StudioWindows& windows, QStringList files, uint64_t seed, int64_t actions)
      : windows_(windows), files_(std::move(files)), random_(seed), left_(actions) {}

  // Opens the first file and begins.
  void start() {
    windows_.at(0).window()->files().open(files_.front());
    QTimer::singleShot(1000, [this] { next(); });
  }
  // Each action asks for the next before it begins: it may open a dialog, and end when that is closed.
  void next() {
    if (left_-- <= 0) return QApplication::exit(0);
    QTimer::singleShot(static_cast<int>(below(random_, 8) == 0 ? below(random_, 400) : below(random_, 10)),
                       [this] { next(); });
    act();
  }
  void printSlowest() const {
    for (const auto& [ms, what] : slowest_) fmt::print("{:6} ms  {}\n", ms, what.toStdString());
  }

 private:
  struct Choice {
    size_t weight;
    void (Fingers::*act)(QWidget&);
  };

  void act() {
    QWidget* window = target();
    if (window == nullptr) return openFile();
    if (auto* files = qobject_cast<QFileDialog*>(window)) return answer(*files);
    if (window->isModal() && below(random_, 12) == 0) return press(*window, Qt::Key_Escape, Qt::NoModifier);
    static constexpr Choice kChoices[] = {{40, &Fingers::click},     {8, &Fingers::doubleClick},
                                          {6, &Fingers::askForMenu}, {6, &Fingers::drag},
                                          {8, &Fingers::turnWheel},  {20, &Fingers::pressKey},
                                          {6, &Fingers::type},       {8, &Fingers::trigger},
                                          {2, &Fingers::resize},     {1, &Fingers::openOne}};
    size_t all = 0;
    for (const Choice& choice : kChoices) all += choice.weight;
    size_t at = below(random_, all);
    for (const Choice& choice : kChoices) {
      if (at < choice.weight) return (this->*choice.act)(*window);
      at -= choice.weight;
    }
  }

  // What a person could reach now.
  QWidget* target() {
    if (QWidget* popup = QApplication::activePopupWidget()) return popup;
    if (QWidget* modal = QApplication::activeModalWidget()) return modal;
    std::vector<QWidget*> shown;
    for (QWidget* each : QApplication::topLevelWidgets()) {
      if (each->isVisible() && each->isEnabled()) shown.push_back(each);
    }
    return shown.empty() ? nullptr : oneOf(random_, shown);
  }

  // Widgets that can be seen, each as likely as any other.
  QWidget& anyWithin(QWidget& window) {
    std::vector<QWidget*> shown = {&window};
    for (QWidget* each : window.findChildren<QWidget*>()) {
      if (!each->isWindow() && each->isVisibleTo(&window) && each->isEnabled() && each->width() > 1 &&
          each->height() > 1)
        shown.push_back(each);
    }
    return *oneOf(random_, shown);
  }
  QPoint placeIn(const QWidget& widget) {
    return {static_cast<int>(below(random_, static_cast<size_t>(widget.width()))),
            static_cast<int>(below(random_, static_cast<size_t>(widget.height())))};
  }
  Qt::KeyboardModifiers modifiers() {
    static const std::vector<Qt::KeyboardModifiers> kAll = {
        Qt::NoModifier,    Qt::NoModifier,      Qt::NoModifier,
        Qt::ShiftModifier, Qt::ControlModifier, Qt::ControlModifier | Qt::ShiftModifier};
    return oneOf(random_, kAll);
  }

  // Does what may take long, and keeps the time.
  template <typename F>
  void timed(const QString& what, const F& f) {
    trace.add(what);
    QElapsedTimer timer;
    timer.start();
    const int64_t number = trace.count();
    f();
    if (trace.count() != number) return;  // it opened a dialog, in which others were done
    slowest_.emplace(timer.elapsed(), what);
    if (slowest_.size() > 12) slowest_.erase(std::prev(slowest_.end()));
  }

  // Any of these may close what the widget is in.
  static void send(const QPointer<QWidget>& widget, QEvent::Type type, QPoint at,
                   Qt::KeyboardModifiers with) {
    if (widget == nullptr) return;
    const auto button = type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton;
    const auto held = type == QEvent::MouseButtonRelease ? Qt::NoButton : Qt::LeftButton;
    QMouseEvent event(type, at, widget->mapToGlobal(at), button, held, with);
    QApplication::sendEvent(widget, &event);
  }
  static QString text(const QWidget& widget, QPoint at) {
    return QString("%1 at %2, %3").arg(nameOf(widget)).arg(at.x()).arg(at.y());
  }

  void click(QWidget& window) {
    const QPointer<QWidget> widget = &anyWithin(window);
    const QPoint at = placeIn(*widget);
    const auto with = modifiers();
    timed("click " + text(*widget, at), [&] {
      send(widget, QEvent::MouseButtonPress, at, with);
      send(widget, QEvent::MouseButtonRelease, at, with);
    });
  }
  void doubleClick(QWidget& window) {
    const QPointer<QWidget> widget = &anyWithin(window);
    const QPoint at = placeIn(*widget);
    timed("double click " + text(*widget, at), [&] {
      for (const auto type : {QEvent::MouseButtonPress, QEvent::MouseButtonRelease,
                              QEvent::MouseButtonDblClick, QEvent::MouseButtonRelease})
        send(widget, type, at, Qt::NoModifier);
    });
  }
  void askForMenu(QWidget& window) {
    QWidget& widget = anyWithin(window);
    const QPoint at = placeIn(widget);
    timed("menu of " + text(widget, at), [&] {
      QContextMenuEvent event(QContextMenuEvent::Mouse, at, widget.mapToGlobal(at));
      QApplication::sendEvent(&widget, &event);
    });
  }
  void drag(QWidget& window) {
    const QPointer<QWidget> widget = &anyWithin(window);
    const QPoint from = placeIn(*widget), to = placeIn(*widget);
    const auto with = modifiers();
    timed(QString("drag %1 to %2, %3").arg(text(*widget, from)).arg(to.x()).arg(to.y()), [&] {
      send(widget, QEvent::MouseButtonPress, from, with);
      send(widget, QEvent::MouseMove, (from + to) / 2, with);
      send(widget, QEvent::MouseMove, to, with);
      send(widget, QEvent::MouseButtonRelease, to, with);
    });
  }
  void turnWheel(QWidget& window) {
    QWidget& widget = anyWithin(window);
    const QPointF at = placeIn(widget);
    const auto with = modifiers();
    const int steps = 120 * (static_cast<int>(below(random_, 9)) - 4);
    timed(QString("wheel %1 on %2").arg(steps).arg(nameOf(widget)), [&] {
      QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, steps}, Qt::NoButton, with, Qt::NoScrollPhase,
                        false);
      QApplication::sendEvent(&widget, &event);
    });
  }
  void pressKey(QWidget& window) {
    static const std::vector<int> kKeys = [] {
      std::vector<int> keys = {
          Qt::Key_Left,      Qt::Key_Right,    Qt::Key_Up,     Qt::Key_Down,  Qt::Key_Home,  Qt::Key_End,
          Qt::Key_PageUp,    Qt::Key_PageDown, Qt::Key_Return, Qt::Key_Space, Qt::Key_Tab,   Qt::Key_Backtab,
          Qt::Key_Backspace, Qt::Key_Delete,   Qt::Key_Escape, Qt::Key_Plus,  Qt::Key_Minus, Qt::Key_Question,
          Qt::Key_Slash,     Qt::Key_F1,       Qt::Key_F3,     Qt::Key_F6,    Qt::Key_F7};
      for (int key = Qt::Key_A; key <= Qt::Key_Z; ++key) keys.push_back(key);
      for (int key = Qt::Key_0; key <= Qt::Key_9; ++key) keys.push_back(key);
      return keys;
    }();
    const int key = oneOf(random_, kKeys);
    const auto with = modifiers();
    // Ends the program, or a window.
    if (with.testFlag(Qt::ControlModifier) && (key == Qt::Key_Q || key == Qt::Key_W)) return;
    press(window, key, with);
  }
  static QWidget* focusOf(QWidget& window) {
    return window.focusWidget() != nullptr ? window.focusWidget() : &window;
  }
  void press(QWidget& window, int key, Qt::KeyboardModifiers with) {
    const QPointer<QWidget> focus = focusOf(window);
    timed(QString("key %1 to %2").arg(QKeySequence(key | with.toInt()).toString(), nameOf(*focus)), [&] {
      QTest::keyPress(focus.data(), static_cast<Qt::Key>(key), with);
      if (focus != nullptr) QTest::keyRelease(focus.data(), static_cast<Qt::Key>(key), with);
    });
  }
  void type(QWidget& window) {
    static const QStringList kTexts = {"",
                                       "0",
                                       "-1",
                                       "1e99",
                                       "9223372036854775807",
                                       "%dot.1",
                                       "add",
                                       "opcode:dot",
                                       "bytes>1",
                                       "(",
                                       "users=0 or",
                                       "<=[2,4]",
                                       "x,y",
                                       "{replicated}",
                                       "\u00e4\u6f22",
                                       "a*",
                                       "priority-fusion",
                                       "h100"};
    const QString text = kTexts[static_cast<qsizetype>(below(random_, static_cast<size_t>(kTexts.size())))];
    const QPointer<QWidget> focus = focusOf(window);
    timed(QString("type %1 into %2").arg(text, nameOf(*focus)), [&] {
      for (const QChar character : text) {
        if (focus == nullptr) return;
        QKeyEvent press(QEvent::KeyPress, 0, Qt::NoModifier, character);
        QApplication::sendEvent(focus, &press);
      }
    });
  }
  void trigger(QWidget& window) {
    std::vector<QAction*> all;
    for (QAction* each : window.findChildren<QAction*>()) {
      const bool isEnd = each->objectName() == "file.quit" || each->objectName() == "file.close" ||
                         (each->objectName() == "file.newWindow" && windows_.count() > 2);
      if (each->isEnabled() && !each->isSeparator() && each->menu() == nullptr && !isEnd) all.push_back(each);
    }
    if (all.empty()) return click(window);
    QAction* action = oneOf(random_, all);
    timed(QString("action %1 \"%2\"").arg(action->objectName(), action->text()), [&] { action->trigger(); });
  }
  void resize(QWidget& window) {
    const QSize size(400 + static_cast<int>(below(random_, 1600)),
                     300 + static_cast<int>(below(random_, 900)));
    if (qobject_cast<QMenu*>(&window) != nullptr) return;
    timed(QString("resize %1 to %2 x %3").arg(nameOf(window)).arg(size.width()).arg(size.height()),
          [&] { window.resize(size); });
  }
  void openOne(QWidget&) { openFile(); }
  void openFile() {
    const QString file = files_[static_cast<qsizetype>(below(random_, static_cast<size_t>(files_.size())))];
    StudioWindow& window = windows_.at(below(random_, windows_.count()));
    timed("open " + file, [&] { window.window()->files().open(file); });
  }
  // Saves under a new name of the folder, opens a file of it, or takes neither.
  void answer(QFileDialog& dialog) {
    const bool isSaving = dialog.acceptMode() == QFileDialog::AcceptSave;
    const QString file =
        isSaving ? QDir::current().filePath(QString("saved%1").arg(below(random_, 5)))
                 : files_[static_cast<qsizetype>(below(random_, static_cast<size_t>(files_.size())))];
    const bool takes = below(random_, 3) != 0 && (isSaving || dialog.fileMode() != QFileDialog::Directory);
    timed(QString("%1 with %2").arg(dialog.windowTitle(), takes ? file : "nothing"), [&] {
      if (takes) dialog.selectFile(file);
      auto& any = static_cast<QDialog&>(dialog);
      takes ? any.accept() : any.reject();
    });
  }

  StudioWindows& windows_;
  QStringList files_;
  Random random_;
  int64_t left_;
  std::multimap<qint64, QString, std::greater<>> slowest_;
};

struct Options {
  uint64_t seed = 1;
  int64_t actions = 2000;
  std::string hilo;
  std::vector<std::string> files;
};

int run(int argc, char** argv, const Options& options) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QTemporaryDir folder;
  for (const char* variable : {"HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"})
    qputenv(variable, folder.path().toUtf8());
  QStringList files;
  for (const std::string& given : options.files) {
    const QFileInfo file(QString::fromStdString(given));
    files << (file.isDir() ? file.filePath()
                           : folder.filePath(QString("%1-%2").arg(files.size()).arg(file.fileName())));
    if (file.isDir() || QFile::copy(file.filePath(), files.back())) continue;
    fmt::print(stderr, "{} cannot be read\n", given);
    return 2;
  }
  QDir::setCurrent(folder.path());

  QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
  qInstallMessageHandler(complainOnce);
  QApplication application(argc, argv);
  QApplication::setApplicationName("hilo-studio");
  QApplication::setQuitOnLastWindowClosed(false);
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL}) std::signal(signal, endWithTrace);
  const std::jthread watchdog(watch, pthread_self());
  UiPoster poster;
  auto first = std::make_unique<StudioWindow>(poster, ":memory:");
  if (!options.hilo.empty()) first->session().runs().setWorker({.command = {options.hilo, "worker"}});
  StudioSettings settings{QString()};
  StudioWindows windows(poster, settings, ":memory:", QString());
  windows.adopt(std::move(first), nullptr);
  poster.attach();
  showOnScreen(*windows.at(0).window());
  Fingers fingers(windows, files, options.seed, options.actions);
  QTimer::singleShot(0, [&] { fingers.start(); });
  QApplication::exec();
  poster.detach();
  fmt::print("{} actions of seed {}; the longest:\n", trace.count(), options.seed);
  fingers.printSlowest();
  return 0;
}

}  // namespace
}  // namespace hilo

int main(int argc, char** argv) {
  if (const auto status = hilo::serveIfWorker(argc, argv)) return *status;
  hilo::Options options;
  CLI::App app("Presses everything in the studio, by chance.");
  app.add_option("FILE", options.files, "modules and dump directories to open")
      ->required()
      ->check(CLI::ExistingPath);
  app.add_option("--seed", options.seed)->capture_default_str();
  app.add_option("--actions", options.actions)->capture_default_str();
  app.add_option("--hilo", options.hilo, "the program that runs compiled code");
  app.add_flag("--trace", hilo::trace.isPrinted, "print each action");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  for (std::string& file : options.files) file = std::filesystem::absolute(file);
  return hilo::run(argc, argv, options);
}
