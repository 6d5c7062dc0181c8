#include "ui/views/file/file_view.h"

#include <QFileInfo>
#include <QVBoxLayout>

#include "core/workspace/kernels/found_kernels.h"
#include "core/workspace/open/read_bytes.h"
#include "core/workspace/thunks/instruction_buffers.h"
#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/widgets/code_lexer.h"
#include "ui/widgets/elided_label.h"

namespace hilo {

FileView::FileView(const ViewContext& context, QWidget* parent) : View(context, parent) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  head_ = new ElidedLabel("Files of a dump open here: choose one in the module tree.", this);
  head_->setMargin(kSpaceSmall);
  head_->setForegroundRole(QPalette::PlaceholderText);
  head_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  head_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  text_ = new TextView(this);
  text_->setAccessibleName("Text of the file");
  text_->shown().setTailsFolded(true);
  find_ = new FindBar(text_, context_.jobs, this);
  layout->addWidget(head_);
  layout->addWidget(text_, 1);
  layout->addWidget(find_);
  find_->hide();
  setFocusProxy(text_);
  connect(text_, &TextView::findAsked, this, &FileView::openFind);
  connect(text_, &TextView::nameActivated, this, [this](const QString& name) { activateName(name); });
}

namespace {

// Reads what `path` is: a file, one of a dump's files, or the kernel that an instruction
// of the module carries.
Result<std::string> textAt(const std::string& path, const OpenedDump* dump, const Module* module,
                           const CancelToken& cancel) {
  if (path.starts_with(kKernelPath) && module != nullptr) {
    const Instruction* carrier = module->findInstruction(path.substr(kKernelPath.size()));
    if (carrier != nullptr) return kernelTextOf(*carrier, cancel);
  }
  return dump == nullptr ? readText(path, cancel) : readDumpText(*dump, path, cancel);
}

}  // namespace

void FileView::show(const ShowFile& asked) {
  const QString& path = asked.path;
  const bool isKernel = path.startsWith(qs(kKernelPath));
  if (path == path_ && !isKernel) return goToPlace(asked);
  const Snapshot* snapshot = context_.session.current();
  const auto module = isKernel && snapshot != nullptr ? snapshot->module : nullptr;
  context_.jobs.submit(
      "file", "Read " + toStd(QFileInfo(path).fileName()),
      [path = toStd(path), dump = dumpOf(path), module](JobContext& job) -> Result<TextContent> {
        TRY(std::string text, textAt(path, dump.get(), module.get(), job.cancel()));
        return TextContent(std::make_shared<const std::string>(std::move(text)));
      },
      [this, asked](Result<TextContent> text) {
        if (!text) {
          Q_EMIT context_.changes.failed("The file could not be shown", text.error());
          return;
        }
        const QString& path = asked.path;
        path_ = path;
        text_->shown().setLexer(lexerForFile(path.startsWith(qs(kKernelPath)) ? "kernel.mlir" : toStd(path)));
        text_->setText(*std::move(text));
        head_->setText(QString("%1, %2").arg(path, countOf(text_->lines().count(), "line")));
        goToPlace(asked);
      },
      &scope_);
}

// The dump whose files lie in no folder but in one file, where `path` is one of them.
std::shared_ptr<const OpenedDump> FileView::dumpOf(const QString& path) const {
  for (const auto& document : context_.session.documents()) {
    const auto& dump = document->dump;
    if (dump && dump->framed != nullptr && path.startsWith(qs(dump->path) + "/")) return dump;
  }
  return nullptr;
}

void FileView::goToPlace(const ShowFile& asked) {
  text_->additions().setHighlightedWord(asked.word);
  if (asked.line > 0) return text_->goTo({std::min(asked.line, text_->lines().count()) - 1, 0});
  if (asked.word.isEmpty()) return;
  const size_t at = text_->lines().text().find(toStd(asked.word));
  if (at != std::string::npos) text_->goTo({text_->lines().lineOfOffset(at), 0});
}

// Kernels are named after instructions, with '_' for what a kernel's name cannot hold.
void FileView::activateName(const QString& name) {
  Selection found = findByName(context_.session, name);
  const Snapshot* snapshot = context_.session.current();
  const auto buffers =
      snapshot == nullptr ? nullptr : context_.session.result<ResultKind::Buffers>(snapshot->id);
  if (found.empty() && buffers) {
    for (const ThunkFacts& thunk : buffers->thunks) {
      if (qs(thunk.kernel) != name || thunk.instructions.empty()) continue;
      if (const Instruction* i = snapshot->module->instruction(thunk.instructions.front()))
        found = selectionOf(*snapshot, *i);
    }
  }
  if (!found.empty()) context_.bus.activate(found);
}

bool FileView::openFind() {
  find_->open();
  return true;
}

void FileView::take(const ViewAsk& what) {
  const auto* asked = std::get_if<ShowFile>(&what);
  if (asked == nullptr) return;
  show(*asked);
  comeToFront();
}

// Without a dump the view says, as in the window, what it is for.
Status FileView::prepare(const RenderRequest& request, const RenderSteps& steps) {
  const QString place = request.query.section(':', 1);
  const std::string wanted = toStd(request.query.section(':', 0, 0));
  for (const auto& document : context_.session.documents()) {
    if (!document->dump) continue;
    for (const DumpModuleInfo& module : document->dump->modules) {
      for (const DumpFileInfo& file : module.files) {
        if (file.kind == "module" || (file.name + " " + file.kind).find(wanted) == std::string::npos)
          continue;
        show({.path = qs(file.path), .word = {}, .line = place.toUInt()});
        return steps.wait();
      }
    }
  }
  if (wanted.empty()) return {};
  return fail("no-such-file", fmt::format("no dump file matches '{}'", wanted), {},
              {"--query is a part of the file's name or kind, and a line behind a colon"});
}

QString FileView::commandLine(ShownState state) const {
  state.controls = changedControls();
  state.wholeDump = true;
  const size_t line = text_->caret().place().line;
  const QString at = line == 0 ? QString() : QString(":%1").arg(line + 1);
  if (!path_.isEmpty()) state.options = "--query " + shellWord(QFileInfo(path_).fileName() + at);
  return pictureCommand(context_.session, state);
}

View* makeFileView(const ViewContext& context) { return new FileView(context); }

}  // namespace hilo
