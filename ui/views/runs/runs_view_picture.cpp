// The runs view as a picture and as a command.
#include <QComboBox>

#include "core/analysis/cost_facts.h"
#include "core/hlo/ir/device_grid.h"
#include "ui/models/text_of.h"
#include "ui/views/runs/runs_view.h"

namespace hilo {
namespace {

// About a minute of the reference engine.
constexpr double kRunnableFlops = 20e9, kRunnableBytes = 4e9;

bool isQuickToRun(const Module& module, const ModuleCost& cost) {
  const auto devices = static_cast<double>(gridOf(module).count());
  return devices * static_cast<double>(cost.total().flops) <= kRunnableFlops &&
         devices * static_cast<double>(cost.total().bytesAccessed) <= kRunnableBytes;
}

}  // namespace

Status RunsView::prepare(const RenderRequest& request, const RenderSteps& steps) {
  const bool isModule = context_.session.shownCompiled() == nullptr;
  if (isModule && !request.run) {
    const Snapshot& shown = *context_.session.current();
    context_.session.request(shown.id, ResultKind::Cost);
    TRY_STATUS(steps.wait());
    if (!isQuickToRun(*shown.module, *context_.session.result<ResultKind::Cost>(shown.id))) {
      const QString why = "Not run for this picture: it would take the reference engine minutes.";
      say(why);
      context_.bus.ask(RunFailed{why});
      return {};
    }
  }
  const bool isCompared = request.view == "compare", hasOther = isCompared && !request.query.isEmpty();
  if (hasOther) {
    const int other = against_->findText("against " + request.query);
    if (other < 0) return fail("unknown-engine", fmt::format("no engine '{}'", toStd(request.query)));
    against_->setCurrentIndex(other);
  }
  for (int i = 0; i < (isCompared && !hasOther ? 2 : 1); ++i) {
    run();
    TRY_STATUS(steps.wait());
  }
  if (isCompared && !hasOther) {
    table_->selectAll();
    compareSelected();
  }
  return steps.wait();
}

QString RunsView::commandLine(ShownState state) const {
  const Document* compiled = context_.session.shownCompiled();
  if (compiled != nullptr && !compiled->program) return View::commandLine(std::move(state));
  const ModuleInput input =
      compiled != nullptr ? ModuleInput{{}, shellWord(qs(compiled->path))} : pipedModule(context_.session);
  if (input.file.isEmpty()) return {};
  const QString arguments = arguments_->text().trimmed();
  QString line = "hilo run";
  // There is one engine for a saved program.
  if (compiled == nullptr && !engine().isEmpty()) line += " --engine " + shellWord(engine());
  if (arguments.startsWith("seed")) {
    line += " --seed " + arguments.mid(4).trimmed();
  } else if (arguments != "snapshot") {
    line += " --args " + shellWord(arguments);
  }
  line += QString(" --repeat %1").arg(repeat_->value());
  if (timeLimit_->value() > 0) line += QString(" --time-limit %1").arg(timeLimit_->value());
  if (memoryLimit_->value() > 0) line += QString(" --memory-limit %1").arg(memoryLimit_->value());
  return input.before + line + " " + input.file;
}

}  // namespace hilo
