// What the form asks for: the request, what it is run against, and the same as a command.
#include "core/workspace/compiled/compiled_by_xla.h"
#include "core/workspace/session/comparable.h"
#include "ui/models/argument_text.h"
#include "ui/models/command_line.h"
#include "ui/models/text_of.h"
#include "ui/views/runs/run_form.h"

namespace hilo {

std::pair<std::shared_ptr<const OpenedDump>, size_t> RunForm::dumped() const {
  const Snapshot* snapshot = session_.current();
  const Document* document = snapshot == nullptr ? nullptr : session_.document(snapshot->document);
  if (document == nullptr || document->dump == nullptr) return {};
  for (size_t i = 0; i < document->stages.size(); ++i) {
    const auto& stages = document->stages[i];
    if (!stages.empty() && stages.back() == snapshot->id && hasPtx(document->dump->modules[i]))
      return {document->dump, i};
  }
  return {};
}

bool RunForm::runsDumped() const { return asCompiled_->isVisibleTo(this) && asCompiled_->isChecked(); }

QString RunForm::dumpPath() const { return runsDumped() ? qs(dumped().first->path) : QString(); }

std::optional<RunRequest> RunForm::request() const {
  const Document* compiled = session_.shownCompiled();
  const Snapshot* snapshot = compiled != nullptr ? nullptr : session_.current();
  const bool isRunnable = compiled != nullptr ? compiled->program != nullptr : snapshot != nullptr;
  if (!isRunnable) return std::nullopt;
  RunRequest request{
      .engine = toStd(engine()),
      .arguments = argumentSourceOf(arguments_->text(), snapshot == nullptr ? nullptr : snapshot->file.get()),
      .repeat = repeat_->value(),
      .label = toStd(label_->text()),
      .worker = session_.runs().worker(),
      .timesThunks = true};
  if (compiled != nullptr) {
    request.program = compiled->program;
    request.engine = "program";
  } else {
    request.module = snapshot->module;
    if (snapshot->file != nullptr) request.source = snapshot->file->path;
  }
  request.worker->timeLimitNs = int64_t{timeLimit_->value()} * 1'000'000'000;
  if (memoryLimit_->value() > 0)
    request.worker->memoryLimitBytes = static_cast<int64_t>(memoryLimit_->value() * 1e9);
  request.checks.isChecked = checks_->isVisibleTo(this) && checks_->isChecked();
  if (request.label.empty()) request.label = compiled != nullptr ? compiled->title : snapshot->title;
  return request;
}

bool RunForm::isCompared() const { return against_->currentIndex() > 0; }

std::optional<std::string> RunForm::otherEngine() const {
  const auto engines = listEngines();
  const auto at = static_cast<size_t>(std::max(0, against_->currentIndex()));
  return at > 0 && at <= engines.size() ? std::optional(engines[at - 1].name) : std::nullopt;
}

Status RunForm::compareWith(const QString& engine) {
  const int other = against_->findText("compare with " + engine);
  if (other < 0) return fail("unknown-engine", fmt::format("no engine '{}'", toStd(engine)));
  against_->setCurrentIndex(other);
  return {};
}

std::function<Result<RunRequest>(const JobContext&)> RunForm::firstSide(const RunRequest& request) const {
  if (!runsDumped()) return [request](const JobContext&) -> Result<RunRequest> { return request; };
  return [request, dumped = dumped()](const JobContext& job) {
    return asCompiledByXla(request, *dumped.first, dumped.second, job);
  };
}

std::function<Result<RunRequest>(RunRequest)> RunForm::otherSide() const {
  if (!isCompared()) return nullptr;
  if (const auto engine = otherEngine()) {
    return [engine = *engine](RunRequest other) -> Result<RunRequest> {
      other.engine = engine;
      other.program = nullptr;
      other.compileNotes.clear();
      if (!engineChecks(engine)) other.checks = {};
      return other;
    };
  }
  const auto at = static_cast<size_t>(against_->currentIndex());
  const auto& [title, step] = others_[at - 1 - listEngines().size()];
  return [title = title, step = step](RunRequest other) -> Result<RunRequest> {
    other.label = title;
    other.source.clear();
    other.program = nullptr;
    other.compileNotes.clear();
    TRY(other.module, step.module());
    return other;
  };
}

QString RunForm::optionsOfCommand() const {
  const QString arguments = arguments_->text().trimmed();
  QString options;
  // There is one engine for a saved program.
  if (session_.shownCompiled() == nullptr && !engine().isEmpty())
    options += " --engine " + shellWord(engine());
  if (arguments.startsWith("seed")) {
    options += " --seed " + arguments.mid(4).trimmed();
  } else if (arguments != "snapshot") {
    options += " --args " + shellWord(arguments);
  }
  if (checks_->isVisibleTo(this) && checks_->isChecked()) options += " --check";
  if (runsDumped()) {
    const auto [dump, module] = dumped();
    options += " --as-compiled --module " + shellWord(qs(dump->modules[module].name));
  }
  options += QString(" --repeat %1").arg(repeat_->value());
  if (timeLimit_->value() > 0) options += QString(" --time-limit %1").arg(timeLimit_->value());
  if (memoryLimit_->value() > 0) options += QString(" --memory-limit %1").arg(memoryLimit_->value());
  return options;
}

}  // namespace hilo
