// What the command palette finds besides names: everything that can be done or opened from here.
#include <QAction>
#include <QFileInfo>
#include <QRegularExpression>

#include "core/workspace/passes/optimize.h"
#include "ui/models/text_of.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/main_window.h"
#include "ui/shell/welcome_page.h"
#include "ui/views/bookmarks/bookmarks_view.h"
#include "ui/views/passes/passes_view.h"
#include "ui/views/search/search_view.h"

namespace hilo {
namespace {

// Files of a dump beyond these are found in the tree.
constexpr size_t kFilesListed = 2000;

QString titleOfView(const QString& name) {
  QString title = name;
  title[0] = title[0].toUpper();
  return title;
}

}  // namespace

std::vector<PaletteCommand> MainWindow::paletteCommands() {
  std::vector<PaletteCommand> commands;
  for (QAction* action : findChildren<QAction*>(QRegularExpression("^[a-z]"))) {
    // Views have lines of their own below: to show one is not to hide it when it is there.
    const bool toggles = action->objectName().startsWith("view.dock.");
    if (!action->isEnabled() || action->text().isEmpty() || toggles) continue;
    commands.push_back(
        {action->text().remove('&'), action->shortcut().toString(), [action] { action->trigger(); }});
  }
  for (const QString& name : viewNames()) {
    if (name != "window")
      commands.push_back({"Show " + titleOfView(name), "view", [this, name] { showView(name); }});
  }
  const auto addFiles = [&](const QStringList& paths, const QString& kind) {
    for (const QString& path : paths) {
      const QFileInfo info(path);
      commands.push_back(
          {"Open " + info.fileName(), kind + ", " + info.path(), [this, path] { openPath(path); }});
    }
  };
  addFiles(setup_.settings.recent(), "opened lately");
  addFiles(bundledSamples(), "sample");
  addDumpCommands(commands);
  const Snapshot* snapshot = setup_.session.current();
  if (snapshot == nullptr) return commands;
  const auto runOver = [this](OptimizeRequest request) {
    request.module = setup_.session.current()->module;
    showView("passes");
    passes_->run(std::move(request));
  };
  for (const Pipeline& pipeline : listPipelines()) {
    commands.push_back({"Run pipeline " + qs(pipeline.name), qs(pipeline.summary),
                        [runOver, name = std::string(pipeline.name)] { runOver({.pipeline = name}); }});
  }
  for (const Pass& pass : listPasses()) {
    commands.push_back({"Run pass " + qs(pass.name), qs(pass.summary),
                        [runOver, name = std::string(pass.name)] { runOver({.passes = {name}}); }});
  }
  for (const BookmarkRow& row : bookmarks_->model().rows()) {
    const QString name = qs(row.bookmark.name);
    commands.push_back({"Bookmark " + name, qs(row.bookmark.note), [this, name] { goToName(name); }});
  }
  return commands;
}

// Stages and files of the dumps that are open, and the documents themselves.
void MainWindow::addDumpCommands(std::vector<PaletteCommand>& commands) {
  for (const auto& document : setup_.session.documents()) {
    if (document->file && setup_.session.documents().size() > 1) {
      commands.push_back({"Go to " + document->title, "document",
                          [this, id = document->stages[0][0]] { setup_.session.setCurrent(id); }});
    }
    for (size_t m = 0; document->dump && m < document->dump->modules.size(); ++m) {
      const DumpModuleInfo& module = document->dump->modules[m];
      for (size_t s = 0; s < module.stages.size() && commands.size() < kFilesListed; ++s) {
        commands.push_back({"Stage " + qs(module.stages[s].name), qs(module.name),
                            [this, id = document->id, m, s] { setup_.session.showStage(id, m, s); }});
      }
      for (const DumpFileInfo& file : module.files) {
        if (file.kind == "module" || commands.size() >= kFilesListed) continue;
        commands.push_back(
            {"File " + qs(file.name), qs(file.kind), [this, path = qs(file.path)] { showFile(path); }});
      }
    }
  }
}

}  // namespace hilo
