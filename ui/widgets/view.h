// All the window knows of a view. ui/shell/views.def lists them: the window makes, places, shows and draws
// each by what stands here, and knows none of them by its class.
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QWidget>
#include <functional>
#include <vector>

#include "core/workspace/caveats/caveats.h"
#include "core/workspace/document/document.h"
#include "ui/models/command_line.h"
#include "ui/models/view_context.h"
#include "ui/widgets/render_request.h"

namespace hilo {

// An action of a view in a menu of the window.
struct MenuAction {
  QString menu;  // "Go"; "View/Text form" is a menu in a menu
  QAction* action = nullptr;
  bool isRemembered = false;  // whether it is checked is kept in the settings
};

// Something the command palette finds besides actions and names.
struct PaletteCommand {
  QString text;
  QString detail;  // what kind of thing it is, and its keys
  std::function<void()> run;
};

class View : public QWidget {
  Q_OBJECT

 public:
  explicit View(const ViewContext& context, QWidget* parent = nullptr) : QWidget(parent), context_(context) {}

  // Its name in views.def; given once, after it is made.
  const QString& name() const { return name_; }
  void setName(const QString& name);

  // There is something to see of what is open.
  virtual bool hasContent() const { return context_.session.current() != nullptr; }
  // Nothing is being laid out. What runs in the queue of jobs need not be said.
  virtual bool isSettled() const { return true; }
  // What it shows means less where this holds; the window says so while the view is seen.
  virtual bool heeds(CaveatKind kind) const { return kind == CaveatKind::Incomplete; }
  // What another view asks for; one that answers comes to the front.
  virtual void take(const ViewAsk& /*what*/) {}
  // Selects what has this name and is no instruction; false where there is none.
  virtual bool goTo(const QString& /*name*/) { return false; }
  // Opens its bar for finding text; false where it has none.
  virtual bool openFind() { return false; }
  // It has a word in the window's status bar (statusChanged).
  virtual bool hasStatus() const { return false; }
  virtual std::vector<PaletteCommand> paletteCommands() { return {}; }
  const std::vector<MenuAction>& menuActions() const { return menuActions_; }

  // What is kept in a .hilo file of what the view shows, by keys no other view has; and shown again.
  virtual void addState(ViewState& /*state*/) const {}
  virtual void showState(const ViewState& /*state*/) {}

  // For pictures. Changes are shown at once.
  virtual void stopAnimations() {}
  // Sets what a request says of this view, whichever view it draws.
  virtual Status arrange(const RenderRequest& /*request*/, const RenderSteps& /*steps*/) { return {}; }
  // Makes what its picture shows; the view is in front.
  virtual Status prepare(const RenderRequest& /*request*/, const RenderSteps& /*steps*/) { return {}; }

  // The command that shows the same: a picture of the view, unless there is a command of `hilo` for it.
  virtual QString commandLine(ShownState state) const;
  // What hilo-studio needs for that picture besides what holds for any view: "--run".
  virtual QString pictureOptions() const { return {}; }

 Q_SIGNALS:
  // A word for the user that the view has no place for.
  void said(const QString& text);
  // The view's word in the status bar; "" takes it away.
  void statusChanged(const QString& text);
  // What addState() gives changed.
  void stateChanged();

 protected:
  // An action in a menu of the window; `run` may be empty for one that is checkable.
  QAction* addMenuAction(const QString& menu, const QString& name, const QString& text,
                         const QKeySequence& keys, std::function<void()> run, bool isRemembered = false);
  void comeToFront() { context_.bus.ask(ShowView{name_}); }
  // "NAME=VALUE" of every control that is set otherwise than it was when the view was made.
  QStringList changedControls() const;

  const ViewContext context_;

 private:
  QString name_;
  std::vector<MenuAction> menuActions_;
  QStringList firstControls_;
};

}  // namespace hilo
