#include "ui/shell/render.h"

#include <fmt/format.h>
#include <QAbstractItemView>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QPixmap>
#include <QThread>

#include "core/hlo/ir/device_grid.h"
#include "core/workspace/passes/optimize.h"
#include "ui/models/text_of.h"
#include "ui/shell/graph_area.h"
#include "ui/shell/main_window.h"
#include "ui/views/compare/compare_view.h"
#include "ui/views/file/file_view.h"
#include "ui/views/memory/memory_view.h"
#include "ui/views/passes/passes_view.h"
#include "ui/views/runs/runs_view.h"
#include "ui/views/schedule/schedule_view.h"
#include "ui/views/search/search_view.h"
#include "ui/views/thunks/thunks_view.h"
#include "ui/views/tune/tune_view.h"
#include "ui/views/values/values_view.h"
#include "ui/widgets/view_controls.h"

namespace hilo {
namespace {

constexpr qint64 kLimitMs = 300'000;
constexpr int kQuietRounds = 8;
// About a minute of the reference engine.
constexpr double kRunnableFlops = 20e9, kRunnableBytes = 4e9;
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
Status waitUntilQuiet(MainWindow& window, const QWidget& view) {
  QElapsedTimer timer;
  timer.start();
  for (int quiet = 0; quiet < kQuietRounds;) {
    QCoreApplication::processEvents(QEventLoop::AllEvents, kRoundMs);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    quiet = window.idle() && graphsSettled(view) ? quiet + 1 : 0;
    if (timer.elapsed() > kLimitMs)
      return fail("timeout", "the view was not ready in five minutes", {}, underWay(window.session().jobs()));
    QThread::msleep(kRoundMs);
  }
  return {};
}

Status compareInputs(MainWindow& window, const RenderRequest& request) {
  Session& session = window.session();
  SnapshotId sides[2];
  for (const auto& document : session.documents()) {
    if (!document->file) return fail("is-a-directory", "of two inputs to compare, each must be a module");
    sides[document->path == request.inputs[0] ? 0 : 1] = document->stages[0][0];
  }
  session.setCurrent(sides[1]);
  session.compareWithCurrent(session.stepOf(sides[0]));
  return waitUntilQuiet(window, *window.view("passes"));
}

// The first file of the dump that holds no module; with --query, the first whose name or kind has it. Without
// either the view says, as in the window, what it is for.
Status showDumpFile(MainWindow& window, const RenderRequest& request) {
  const std::string wanted = request.query.toStdString();
  for (const auto& document : window.session().documents()) {
    if (!document->dump) continue;
    for (const DumpModuleInfo& module : document->dump->modules) {
      for (const DumpFileInfo& file : module.files) {
        if (file.kind == "module" || (file.name + " " + file.kind).find(wanted) == std::string::npos)
          continue;
        window.file().show(qs(file.path));
        return waitUntilQuiet(window, *window.view("file"));
      }
    }
  }
  if (wanted.empty()) return {};
  return fail("no-such-file", fmt::format("no file of the dump fits '{}'", wanted), {},
              {"--query is a part of the file's name or kind"});
}

Result<OptimizeRequest> passesAsked(MainWindow& window, const RenderRequest& request) {
  OptimizeRequest asked{.module = window.session().current()->module};
  const auto pipelines = listPipelines();
  const auto named = [&](const auto& pipeline) { return qs(pipeline.name) == request.passes; };
  if (request.passes.isEmpty()) {
    if (pipelines.empty()) return fail("nothing-open", "no pipeline is built in");
    asked.pipeline = pipelines.front().name;
  } else if (std::ranges::any_of(pipelines, named)) {
    asked.pipeline = toStd(request.passes);
  } else {
    asked.passes = {toStd(request.passes)};
  }
  return asked;
}

// A dump's own thunks are read once the view is looked at.
Status makeThunks(MainWindow& window, const RenderRequest& request) {
  ThunksView& thunks = window.thunks();
  window.showView("thunks");
  TRY_STATUS(waitUntilQuiet(window, thunks));
  if (thunks.rows().rowCount() == 0) thunks.compile();
  TRY_STATUS(waitUntilQuiet(window, thunks));
  const bool isProgram = window.session().shownCompiled() != nullptr;
  if (isProgram && !request.select.isEmpty() && !thunks.goTo(request.select))
    return fail("no-such-name", fmt::format("no thunk is called {}", request.select.toStdString()));
  if (request.run) thunks.measure();
  return waitUntilQuiet(window, thunks);
}

// With --query nan or divergence what is looked for.
Status makeValues(MainWindow& window, const RenderRequest& request) {
  ValuesView& values = window.values();
  window.showView("values");
  if (request.run) values.ask();
  TRY_STATUS(waitUntilQuiet(window, values));
  if (request.query == "nan") values.findNonfinite();
  if (request.query == "divergence") values.findDivergence("reference", "cpu");
  return waitUntilQuiet(window, values);
}

bool isQuickToRun(const Module& module) {
  const ModuleCost cost(module);
  const auto devices = static_cast<double>(gridOf(module).count());
  return devices * static_cast<double>(cost.total().flops) <= kRunnableFlops &&
         devices * static_cast<double>(cost.total().bytesAccessed) <= kRunnableBytes;
}

// One run, or for a comparison two: of the reference engine or, with --query, one of it against that engine;
// with --run however long that takes, and whether rounding explains where they differ.
Status makeRuns(MainWindow& window, const RenderRequest& request) {
  RunsView& runs = window.runs();
  const QWidget& view = *window.view(request.view);
  const bool isCompared = request.view == "compare", hasOther = isCompared && !request.query.isEmpty();
  if (hasOther) {
    const int other = runs.against().findText("against " + request.query);
    if (other < 0) return fail("unknown-engine", fmt::format("no engine '{}'", toStd(request.query)));
    runs.against().setCurrentIndex(other);
  }
  for (int i = 0; i < (isCompared && !hasOther ? 2 : 1); ++i) {
    runs.run();
    TRY_STATUS(waitUntilQuiet(window, view));
  }
  if (isCompared && !hasOther) {
    runs.table().selectAll();
    runs.compareSelected();
    TRY_STATUS(waitUntilQuiet(window, view));
  }
  if (isCompared && request.run) window.compare().rounding().measure();
  return waitUntilQuiet(window, view);
}

Status makeResults(MainWindow& window, const RenderRequest& request) {
  const QWidget& view = *window.view(request.view);
  if (request.view == "passes" && request.inputs.size() == 2) return compareInputs(window, request);
  if (request.view == "passes" && (window.session().series().empty() || !request.passes.isEmpty())) {
    TRY(OptimizeRequest asked, passesAsked(window, request));
    window.passes().run(std::move(asked));
    return waitUntilQuiet(window, view);
  }
  if (request.view == "search") {
    window.search().search(request.query.isEmpty() ? QString("opcode:dot") : request.query);
    return waitUntilQuiet(window, view);
  }
  if (request.view == "file") return showDumpFile(window, request);
  if (request.view == "memory" && !request.query.isEmpty()) return window.memory().showTable(request.query);
  if (request.view == "thunks") return makeThunks(window, request);
  const bool looksFor = request.query == "nan" || request.query == "divergence";
  if (request.view == "values" || (request.view == "graph" && looksFor)) return makeValues(window, request);
  if (request.view == "tune" && request.run) {
    window.tune().tune();
    return waitUntilQuiet(window, view);
  }
  if (request.view != "runs" && request.view != "compare") return {};
  const bool isModule = window.session().shownCompiled() == nullptr;
  if (isModule && !request.run && !isQuickToRun(*window.session().current()->module)) {
    const QString why = "Not run for this picture: it would take the reference engine minutes.";
    window.runs().say(why);
    Q_EMIT window.runs().runFailed(why);
    return {};
  }
  return makeRuns(window, request);
}

Status nothingCalled(MainWindow& window, const std::string& name) {
  const Session& session = window.session();
  if (session.shownCompiled() != nullptr)
    return fail("no-such-name", fmt::format("no thunk is called {}, and the file has no instructions", name));
  if (session.current() == nullptr)
    return fail("nothing-open", fmt::format("no module is open that could have {}", name));
  return fail("no-such-name", fmt::format("the module has no instruction or computation {}", name));
}

}  // namespace

Status renderView(MainWindow& window, const RenderRequest& request) {
  QWidget* view = window.view(request.view);
  if (view == nullptr) {
    return fail("unknown-view", fmt::format("no view is called {}", request.view.toStdString()), {},
                {"the views are " + MainWindow::viewNames().join(", ").toStdString()});
  }
  window.graph().setAnimated(false);
  window.resize(request.size);
  window.show();
  TRY_STATUS(waitUntilQuiet(window, *view));
  // A tool bar that was never laid out asks for the room of all its buttons.
  window.resize(request.size);
  if (!request.select.isEmpty() && !window.goToName(request.select))
    return nothingCalled(window, request.select.toStdString());
  if (!request.graph.isEmpty()) TRY_STATUS(window.graph().arrange(request.graph));
  if (!request.schedule.isEmpty()) {
    window.showView("schedule");
    TRY_STATUS(waitUntilQuiet(window, *view));
    TRY_STATUS(window.schedule().arrange(request.schedule));
  }
  const auto isOneOf = [&](std::initializer_list<const char*> views) {
    return std::ranges::any_of(views, [&](const char* view) { return request.view == view; });
  };
  const bool hasAll = window.session().current() != nullptr || isOneOf({"window", "problems", "jobs"}) ||
                      (window.session().shownCompiled() != nullptr && isOneOf({"thunks", "runs", "tree"}));
  if (!hasAll)
    return fail("nothing-open",
                window.session().shownCompiled() == nullptr
                    ? "no module is open"
                    : "thunks alone are open, and no module: what there is to see of them are "
                      "the views thunks, runs and tree");
  TRY_STATUS(makeResults(window, request));
  if (request.view == "passes" && request.step >= 0) {
    const auto steps = static_cast<int>(window.passes().strip().steps().size());
    if (request.step >= steps)
      return fail("no-such-step",
                  fmt::format("there are {} steps, and none is number {}", steps, request.step));
    window.passes().strip().setCurrent(static_cast<size_t>(request.step));
  }
  window.showView(request.view);
  if (!request.controls.isEmpty()) TRY_STATUS(waitUntilQuiet(window, *view));
  for (const QString& control : request.controls) {
    TRY_STATUS(setControl(*view, control));
    TRY_STATUS(waitUntilQuiet(window, *view));
  }
  if (view != &window) {
    // Alone, at the size asked for.
    view->setParent(nullptr);
    view->resize(request.size);
    view->show();
  }
  TRY_STATUS(waitUntilQuiet(window, *view));
  TRY_STATUS(waitUntilQuiet(window, *view));
  const bool written = view->grab().save(request.output, "PNG");
  if (view != &window) view->setParent(&window, Qt::Widget);
  if (!written) {
    return fail("file-not-written", fmt::format("{} could not be written", request.output.toStdString()), {},
                {"check that the folder exists and may be written to"});
  }
  return {};
}

}  // namespace hilo
