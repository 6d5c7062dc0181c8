// What the command palette finds besides names: everything that can be done or opened from here.
#include <QFileInfo>
#include <QRegularExpression>

#include "ui/models/text_of.h"
#include "ui/shell/main_window.h"
#include "ui/shell/welcome_page.h"

namespace hilo {
namespace {

// Files of a dump beyond these are found in the tree.
constexpr size_t kFilesListed = 2000;

void addActions(MainWindow& window, std::vector<PaletteCommand>& commands) {
  for (QAction* action : window.findChildren<QAction*>(QRegularExpression("^[a-z]"))) {
    // Views have lines of their own below: to show one is not to hide it when it is there.
    const bool toggles = action->objectName().startsWith("view.dock.");
    if (!action->isEnabled() || action->text().isEmpty() || toggles) continue;
    commands.push_back(
        {action->text().remove('&'), action->shortcut().toString(), [action] { action->trigger(); }});
  }
}

void addFiles(MainWindow& window, const QStringList& paths, const QString& kind,
              std::vector<PaletteCommand>& commands) {
  for (const QString& path : paths) {
    const QFileInfo info(path);
    commands.push_back({"Open " + info.fileName(), kind + ", " + info.path(),
                        [&window, path] { window.files().open(path); }});
  }
}

// Stages and files of the dumps that are open, and the documents themselves.
void addDumpCommands(MainWindow& window, std::vector<PaletteCommand>& commands) {
  Session& session = window.session();
  for (const auto& document : session.documents()) {
    if (document->file && session.documents().size() > 1) {
      commands.push_back({"Go to " + qs(document->title), "document",
                          [&session, id = document->stages[0][0]] { session.setCurrent(id); }});
    }
    for (size_t m = 0; document->dump && m < document->dump->modules.size(); ++m) {
      const DumpModuleInfo& module = document->dump->modules[m];
      for (size_t s = 0; s < module.stages.size() && commands.size() < kFilesListed; ++s) {
        commands.push_back({"Stage " + qs(module.stages[s].name), qs(module.name),
                            [&session, id = document->id, m, s] { session.showStage(id, m, s); }});
      }
      for (const DumpFileInfo& file : module.files) {
        if (file.kind == "module" || commands.size() >= kFilesListed) continue;
        commands.push_back({"File " + qs(file.name), qs(file.kind),
                            [&window, path = qs(file.path)] { window.bus().ask(ShowFile{path, {}}); }});
      }
    }
  }
}

}  // namespace

std::vector<PaletteCommand> paletteCommands(MainWindow& window, const StudioSettings& settings) {
  std::vector<PaletteCommand> commands;
  addActions(window, commands);
  for (const View* view : window.places().views()) {
    commands.push_back({"Show " + titleOfView(view->name()), "view",
                        [&window, name = view->name()] { window.showView(name); }});
  }
  addFiles(window, settings.recent(), "recent", commands);
  addFiles(window, bundledSamples(), "sample", commands);
  addDumpCommands(window, commands);
  for (View* view : window.places().views())
    std::ranges::move(view->paletteCommands(), std::back_inserter(commands));
  return commands;
}

}  // namespace hilo
