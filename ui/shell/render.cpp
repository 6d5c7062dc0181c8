#include "ui/shell/render.h"

#include <fmt/format.h>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QPixmap>
#include <QThread>

#include "ui/models/text_of.h"
#include "ui/shell/main_window.h"
#include "ui/widgets/view_controls.h"

namespace hilo {
namespace {

constexpr qint64 kLimitMs = 300'000;
constexpr int kQuietRounds = 8;
constexpr int kRoundMs = 25;

// What is waited for: "Run m on reference: run 1 of 1".
std::vector<std::string> underWay(const JobQueue& jobs) {
  std::vector<std::string> texts;
  for (const JobInfo& job : jobs.jobs()) {
    if (job.state == JobState::Queued || job.state == JobState::Running)
      texts.push_back(fmt::format("under way: {}{}{}", job.title, job.text.empty() ? "" : ": ", job.text));
  }
  return texts;
}

// Until nothing has been under way for a while: the timers that gather changes run out in between.
Status waitUntilQuiet(MainWindow& window) {
  QElapsedTimer timer;
  timer.start();
  for (int quiet = 0; quiet < kQuietRounds;) {
    QCoreApplication::processEvents(QEventLoop::AllEvents, kRoundMs);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    quiet = window.idle() ? quiet + 1 : 0;
    if (timer.elapsed() > kLimitMs)
      return fail("timeout", "the view was not ready in five minutes", {}, underWay(window.context().jobs));
    QThread::msleep(kRoundMs);
  }
  return {};
}

Status nothingCalled(MainWindow& window, const std::string& name) {
  const Session& session = window.session();
  if (session.shownCompiled() != nullptr)
    return fail("no-such-name", fmt::format("no thunk is called {}, and the file has no instructions", name));
  if (session.current() == nullptr)
    return fail("nothing-open", fmt::format("no module is open that could have {}", name));
  return fail("no-such-name", fmt::format("the module has no instruction or computation {}", name));
}

// What there is to see of compiled code without a module.
QString viewsWithContent(MainWindow& window) {
  QStringList names;
  for (const View* view : window.places().views()) {
    if (view->hasContent()) names << view->name();
  }
  return names.join(", ");
}

Status checkContent(MainWindow& window, const View& view) {
  if (view.hasContent()) return {};
  if (window.session().shownCompiled() == nullptr) return fail("nothing-open", "no module is open");
  return fail(
      "nothing-open",
      fmt::format("thunks alone are open, and no module: what there is to see of them are the views {}",
                  toStd(viewsWithContent(window))));
}

RenderSteps stepsOf(MainWindow& window, const RenderRequest& request) {
  RenderSteps steps;
  steps.wait = [&window] { return waitUntilQuiet(window); };
  steps.show = [&window](const QString& name) {
    window.showView(name);
    return waitUntilQuiet(window);
  };
  steps.prepare = [&window, &request](const QString& name) -> Status {
    window.showView(name);
    TRY_STATUS(waitUntilQuiet(window));
    return window.view(name)->prepare(request, stepsOf(window, request));
  };
  return steps;
}

// What the request says of the window and all its views.
Status arrange(MainWindow& window, const RenderRequest& request, const RenderSteps& steps) {
  if (!request.select.isEmpty() && !window.goToName(request.select))
    return nothingCalled(window, request.select.toStdString());
  for (View* view : window.places().views()) TRY_STATUS(view->arrange(request, steps));
  return {};
}

Status makeContent(MainWindow& window, const RenderRequest& request, const RenderSteps& steps) {
  const View* view = window.view(request.view);
  if (view != nullptr) {
    TRY_STATUS(checkContent(window, *view));
    TRY_STATUS(steps.prepare(request.view));
  }
  window.showView(request.view);
  if (!request.controls.isEmpty()) TRY_STATUS(steps.wait());
  for (const QString& control : request.controls) {
    TRY_STATUS(setControl(*window.drawn(request.view), control));
    TRY_STATUS(steps.wait());
  }
  return {};
}

// A view alone, at the size asked for.
Status draw(MainWindow& window, const RenderRequest& request) {
  QWidget* drawn = window.drawn(request.view);
  if (drawn != &window) {
    drawn->setParent(nullptr);
    drawn->resize(request.size);
    drawn->show();
  }
  TRY_STATUS(waitUntilQuiet(window));
  TRY_STATUS(waitUntilQuiet(window));
  const bool written = drawn->grab().save(request.output, "PNG");
  if (drawn != &window) drawn->setParent(&window, Qt::Widget);
  if (written) return {};
  return fail("file-not-written", fmt::format("{} could not be written", request.output.toStdString()), {},
              {"check that the folder exists and may be written to"});
}

}  // namespace

Status renderView(MainWindow& window, const RenderRequest& request) {
  if (window.drawn(request.view) == nullptr) {
    return fail("unknown-view", fmt::format("no view is called {}", request.view.toStdString()), {},
                {"the views are " + viewNames().join(", ").toStdString()});
  }
  for (View* view : window.places().views()) view->stopAnimations();
  window.resize(request.size);
  window.show();
  TRY_STATUS(waitUntilQuiet(window));
  // A tool bar that was never laid out asks for the room of all its buttons.
  window.resize(request.size);
  const RenderSteps steps = stepsOf(window, request);
  TRY_STATUS(arrange(window, request, steps));
  TRY_STATUS(makeContent(window, request, steps));
  return draw(window, request);
}

}  // namespace hilo
