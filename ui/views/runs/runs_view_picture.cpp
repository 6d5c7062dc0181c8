// The runs view as a picture and as a command.
#include "core/workspace/run/run_estimate.h"
#include "ui/models/text_of.h"
#include "ui/views/runs/runs_view.h"
#include "ui/widgets/view_controls.h"

namespace hilo {

Status RunsView::prepare(const RenderRequest& request, const RenderSteps& steps) {
  // They say how it is run.
  for (const QString& control : request.controls) {
    if (request.run && request.view == name()) TRY_STATUS(setControl(*this, control));
  }
  const bool isModule = context_.session.shownCompiled() == nullptr;
  if (isModule && !request.run) {
    const std::optional<RunRequest> asked = form_->request();
    const RunEstimate estimate = asked ? estimateRuns({&*asked, 1}) : RunEstimate();
    if (estimate.isLarge()) {
      const QString why = "Not run for this picture: it would take " + qs(estimateText(estimate)) + ".";
      say(why);
      context_.bus.ask(RunFailed{why});
      return {};
    }
  }
  const bool isCompared = request.view == "compare", hasOther = isCompared && !request.query.isEmpty();
  if (hasOther) TRY_STATUS(form_->compareWith(request.query));
  for (int i = 0; i < (isCompared && !hasOther ? 2 : 1); ++i) {
    run();
    TRY_STATUS(steps.wait());
    if (question_->isVisibleTo(this)) question_->goButton().click();
    TRY_STATUS(steps.wait());
  }
  if (isCompared && !hasOther) {
    list_->table().selectAll();
    list_->compareSelected();
  }
  return steps.wait();
}

QString RunsView::commandLine(ShownState state) const {
  const Document* compiled = context_.session.shownCompiled();
  if (compiled != nullptr && !compiled->program) return View::commandLine(std::move(state));
  const ModuleInput input =
      compiled != nullptr ? ModuleInput{{}, shellWord(qs(compiled->path))} : pipedModule(context_.session);
  if (input.file.isEmpty()) return {};
  if (const QString dump = form_->dumpPath(); !dump.isEmpty())
    return "hilo run" + form_->optionsOfCommand() + " " + shellWord(dump);
  return input.before + "hilo run" + form_->optionsOfCommand() + " " + input.file;
}

}  // namespace hilo
