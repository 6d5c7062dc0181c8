#include "ui/views/problems/problems_view.h"

#include <QVBoxLayout>

#include "core/workspace/open/lint_file.h"
#include "core/workspace/open/verify_file.h"
#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

QString severityText(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return {};
}

QString placeText(const Place& place) {
  QStringList parts;
  if (!place.instruction.empty()) parts << qs(place.instruction);
  if (place.instruction.empty() && !place.computation.empty()) parts << qs(place.computation);
  if (place.line > 0 && place.column > 0) parts << QString("line %1:%2").arg(place.line).arg(place.column);
  if (place.line > 0 && place.column == 0) parts << QString("%1:%2").arg(qs(place.file)).arg(place.line);
  if (parts.isEmpty()) parts << qs(place.file);
  return parts.join(", ");
}

QString fullText(const Diagnostic& d) { return qs(toString(d)); }

std::vector<TableColumn<Diagnostic>> problemColumns() {
  return {
      {"severity", [](const Diagnostic& d) { return severityText(d.severity); }, nullptr, fullText},
      {"message",
       [](const Diagnostic& d) {
         return qs(d.message) + (d.notes.empty() ? QString() : "  (" + qs(d.notes.front()) + ")");
       },
       nullptr, fullText},
      {"where", [](const Diagnostic& d) { return placeText(d.place); }, nullptr, fullText},
      {"kind", [](const Diagnostic& d) { return qs(d.kind); }, nullptr, fullText},
  };
}

// What must be mended comes first.
Diagnostics errorsFirst(Diagnostics problems) {
  Diagnostics ordered;
  for (const bool isError : {true, false}) {
    for (Diagnostic& problem : problems) {
      if ((problem.severity == Severity::kError) == isError) ordered.push_back(std::move(problem));
    }
  }
  return ordered;
}

}  // namespace

ProblemsView::ProblemsView(const ViewContext& context, QWidget* parent)
    : View(context, parent), model_(problemColumns()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  summary_ = new QLabel("No module is open.", this);
  summary_->setMargin(kSpaceSmall);
  table_ = new TableView(this);
  table_->setAccessibleName("Problems");
  table_->setModel(&model_);
  table_->setColumnWidths({10, 80, 30, 20});
  table_->setEmptyText(
      "No problems.\nWhat the parser and the verifier find in the current module is listed here, sums "
      "accumulated in fewer than 32 bits, and what check mode finds in a run of it (Runs).");
  model_.setForeground([this](const Diagnostic& d) -> QVariant {
    if (d.severity == Severity::kError) return themeOf(*this).colour(ColourRole::kError);
    if (d.severity == Severity::kWarning) return themeOf(*this).colour(ColourRole::kWarning);
    return {};
  });
  layout->addWidget(summary_);
  layout->addWidget(table_, 1);
  connect(table_, &TableView::currentRowChanged, this, [this](const QModelIndex& i) { go(i, false); });
  connect(table_, &QAbstractItemView::activated, this, [this](const QModelIndex& i) { go(i, true); });
  connect(&context_.changes, &SessionChanges::currentChanged, this, [this] {
    if (context_.session.current() == nullptr) verify();
  });
  connect(&context_.changes, &SessionChanges::currentShown, this, &ProblemsView::verify);
  connect(&context_.changes, &SessionChanges::failed, this, &ProblemsView::addFailure);
  connect(&context_.changes, &SessionChanges::documentOpened, this, [this] { failures_.clear(); });
  if (context_.session.current() != nullptr) verify();
}

void ProblemsView::verify() {
  const Snapshot* snapshot = context_.session.current();
  if (snapshot == nullptr) {
    show(failures_);
    return;
  }
  summary_->setText("Verifying ...");
  context_.jobs.submit(
      "verify", "Verify " + snapshot->title,
      [file = snapshot->file, module = snapshot->module](JobContext&) -> Result<Diagnostics> {
        Diagnostics found = file ? verifyFile(*file) : verifyModule(*module);
        if (hasErrors(found)) return found;
        for (Diagnostic& warning : file ? lintFile(*file) : lintModule(*module))
          found.push_back(std::move(warning));
        return found;
      },
      [this, id = snapshot->id](Result<Diagnostics> found) {
        if (!found) return;
        verified_ = id;
        verdict_ = *std::move(found);
        list();
      },
      &scope_);
}

void ProblemsView::list() {
  Diagnostics all = failures_;
  if (checked_.of == verified_) std::ranges::copy(checked_.findings, std::back_inserter(all));
  std::ranges::copy(verdict_, std::back_inserter(all));
  show(std::move(all));
}

void ProblemsView::take(const ViewAsk& what) {
  const auto* checked = std::get_if<RunChecked>(&what);
  if (checked == nullptr) return;
  checked_ = *checked;
  if (context_.session.snapshot(verified_) != nullptr) list();
}

void ProblemsView::show(Diagnostics problems) {
  problems = errorsFirst(std::move(problems));
  const auto errors = std::ranges::count(problems, Severity::kError, &Diagnostic::severity);
  const auto warnings = std::ranges::count(problems, Severity::kWarning, &Diagnostic::severity);
  const Snapshot* snapshot = context_.session.current();
  if (snapshot == nullptr && problems.empty()) {
    summary_->setText("No module is open.");
  } else {
    const QString of = snapshot == nullptr ? QString() : " in " + qs(snapshot->title);
    summary_->setText(countOf(static_cast<size_t>(errors), "error") + ", " +
                      countOf(static_cast<size_t>(warnings), "warning") + of);
  }
  model_.setRows(std::move(problems));
  Q_EMIT statusChanged(errors + warnings == 0
                           ? QString()
                           : QString("%1, %2").arg(countOf(static_cast<size_t>(errors), "error"),
                                                   countOf(static_cast<size_t>(warnings), "warning")));
}

void ProblemsView::addFailure(const QString& what, Diagnostic why) {
  why.message = toStd(what) + ": " + why.message;
  failures_.push_back(why);
  Diagnostics all = model_.rows();
  all.insert(all.begin(), std::move(why));
  show(std::move(all));
}

void ProblemsView::go(const QModelIndex& index, bool activate) {
  const Diagnostic* problem = model_.rowAt(index);
  if (problem == nullptr || context_.session.snapshot(verified_) == nullptr) return;
  const std::string& name =
      problem->place.instruction.empty() ? problem->place.computation : problem->place.instruction;
  const Selection selection = name.empty() ? Selection() : findByName(context_.session, qs(name));
  const QString file = activate ? fileOf(problem->place) : QString();
  if (!file.isEmpty()) {
    context_.bus.select(selection);
    return context_.bus.ask(ShowFile{.path = file, .word = {}, .line = problem->place.line});
  }
  if (selection.empty()) return;
  activate ? context_.bus.activate(selection) : context_.bus.select(selection);
}

QString ProblemsView::fileOf(const Place& place) const {
  const Snapshot* snapshot = context_.session.snapshot(verified_);
  const Document* document = snapshot == nullptr ? nullptr : context_.session.document(snapshot->document);
  if (document == nullptr || document->dump == nullptr) return {};
  for (const DumpModuleInfo& module : document->dump->modules) {
    const auto file = std::ranges::find(module.files, place.file, &DumpFileInfo::name);
    if (file != module.files.end() && file->kind != "module") return qs(file->path);
  }
  return {};
}

View* makeProblemsView(const ViewContext& context) { return new ProblemsView(context); }

}  // namespace hilo
