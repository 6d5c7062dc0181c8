// The passes view in the menus and the command palette, as a picture and as a command.
#include <QInputDialog>
#include <QListView>

#include "core/workspace/passes/beside.h"
#include "core/workspace/session/comparable.h"
#include "ui/models/text_of.h"
#include "ui/views/passes/passes_view.h"

namespace hilo {

void PassesView::addActions() {
  addMenuAction("Module", "module.passes", "Run &passes...", QKeySequence("Ctrl+Shift+R"), [this] {
    comeToFront();
    askAndRun();
  });
  addMenuAction("Module", "module.nextChange", "&Next change", QKeySequence("Alt+Down"),
                [this] { step(+1); });
  addMenuAction("Module", "module.previousChange", "P&revious change", QKeySequence("Alt+Up"),
                [this] { step(-1); });
  addMenuAction("Module", "module.diff", "Compare with &another module...", QKeySequence("Ctrl+Shift+C"),
                [this] { askWhatToCompare(); });
}

void PassesView::askWhatToCompare() {
  auto choices = comparable(context_.session);
  if (choices.empty()) {
    Q_EMIT said("There is nothing to compare with: open another module, or run passes.");
    return;
  }
  QStringList names;
  for (const auto& [name, step] : choices) names << qs(name);
  auto* dialog = new QInputDialog(window());
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setOption(QInputDialog::UseListViewForComboBoxItems);
  dialog->setWindowTitle("Compare with another module");
  dialog->setLabelText("The module before; what is shown is the module after");
  dialog->setComboBoxItems(names);
  connect(dialog, &QInputDialog::textValueSelected, this,
          [this, choices = std::move(choices)](const QString& name) {
            const auto chosen =
                std::ranges::find(choices, toStd(name), [](const auto& choice) { return choice.first; });
            if (chosen == choices.end()) return;
            compareWithCurrent(context_.session, chosen->second);
            comeToFront();
          });
  dialog->open();
  if (auto* list = dialog->findChild<QListView*>()) list->setAccessibleName("Modules");
}

std::vector<PaletteCommand> PassesView::paletteCommands() {
  std::vector<PaletteCommand> commands;
  if (context_.session.current() == nullptr) return commands;
  const auto runOver = [this](OptimizeRequest request) {
    request.module = context_.session.current()->module;
    comeToFront();
    run(std::move(request));
  };
  for (const Pipeline& pipeline : listPipelines()) {
    commands.push_back({"Run pipeline " + qs(pipeline.name), qs(pipeline.summary),
                        [runOver, name = std::string(pipeline.name)] { runOver({.pipeline = name}); }});
  }
  for (const Pass& pass : listPasses()) {
    commands.push_back({"Run pass " + qs(pass.name), qs(pass.summary),
                        [runOver, name = std::string(pass.name)] { runOver({.passes = {name}}); }});
  }
  return commands;
}

Result<OptimizeRequest> PassesView::passesAsked(const RenderRequest& request) const {
  OptimizeRequest asked{.module = context_.session.current()->module};
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

Status PassesView::compareInputs(const RenderRequest& request, const RenderSteps& steps) {
  Session& session = context_.session;
  SnapshotId sides[2];
  for (const auto& document : session.documents()) {
    if (!document->file) return fail("is-a-directory", "of two inputs to compare, each must be a module");
    sides[qs(document->path) == request.inputs[0] ? 0 : 1] = document->stages[0][0];
  }
  session.setCurrent(sides[1]);
  compareWithCurrent(session, stepOf(session, sides[0]));
  return steps.wait();
}

Status PassesView::makeSeries(const RenderRequest& request, const RenderSteps& steps) {
  if (request.inputs.size() == 2) return compareInputs(request, steps);
  if (!context_.session.series().empty() && request.passes.isEmpty()) return {};
  if (request.passes == "gpu" && beside_->offersRun()) {
    runBeside();
    return steps.wait();
  }
  TRY(OptimizeRequest asked, passesAsked(request));
  run(std::move(asked));
  return steps.wait();
}

Status PassesView::prepare(const RenderRequest& request, const RenderSteps& steps) {
  TRY_STATUS(makeSeries(request, steps));
  if (request.step < 0) return {};
  const auto count = static_cast<int>(strip_->steps().size());
  if (request.step >= count)
    return fail("no-such-step",
                fmt::format("there are {} steps, and none is number {}", count, request.step));
  strip_->setCurrent(static_cast<size_t>(request.step));
  return {};
}

QString PassesView::commandLine(ShownState state) const {
  const SeriesEntry* shown = context_.session.series(shownSeries());
  if (shown == nullptr) return View::commandLine(std::move(state));
  // The command makes this one series.
  state.controls = changedControls();
  state.controls.removeIf([](const QString& control) { return control.startsWith("Pass series="); });
  return seriesCommand(context_.session, *shown, static_cast<int>(strip_->current()), state);
}

void PassesView::runBeside() {
  if (series_ == nullptr || series_->hasBoth) return;
  message_->say({});
  caption_->setText("Running ...");
  context_.jobs.submit(
      "optimize", "Run gpu beside the stages of " + series_->title,
      [stages = series_](JobContext& job) { return oursBesideStages(*stages, {}, job); },
      [this](Result<PassSeries> both) {
        if (!both) {
          caption_->clear();
          message_->sayWhy(both.error());
          Q_EMIT context_.changes.failed("Passes could not be run", both.error());
          return;
        }
        context_.session.addSeries(*std::move(both));
      },
      &scope_);
}

}  // namespace hilo
