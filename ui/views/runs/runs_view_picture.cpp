// The runs view as a picture and as a command.
#include <QComboBox>

#include "core/workspace/run/run_estimate.h"
#include "ui/models/text_of.h"
#include "ui/views/runs/runs_view.h"

namespace hilo {

Status RunsView::prepare(const RenderRequest& request, const RenderSteps& steps) {
  const bool isModule = context_.session.shownCompiled() == nullptr;
  if (isModule && !request.run) {
    const std::optional<RunRequest> asked = requestOfShown();
    const RunEstimate estimate = asked ? estimateRuns({&*asked, 1}) : RunEstimate();
    if (estimate.isLarge()) {
      const QString why = "Not run for this picture: it would take " + qs(estimateText(estimate)) + ".";
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
    if (question_->isVisibleTo(this)) question_->goButton().click();
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
