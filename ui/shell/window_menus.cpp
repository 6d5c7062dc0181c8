#include "ui/shell/window_menus.h"

#include <QMenuBar>
#include <QToolBar>
#include <QToolButton>

#include "ui/shell/edit_menu.h"
#include "ui/shell/guide.h"
#include "ui/shell/key_list.h"
#include "ui/shell/preferences.h"
#include "ui/shell/welcome_page.h"
#include "ui/style/icons.h"
#include "ui/widgets/overflow_button.h"

namespace hilo {
namespace {

struct BarAction {
  const char* name;
  const char* icon;
  const char* label;
  bool begins = false;  // a group
};
constexpr BarAction kBarActions[] = {
    {"go.back", "go-previous", "Back"},
    {"go.forward", "go-next", "Forward"},
    {"file.open", "document-open", "Open", true},
    {"go.search", "edit-find", "Search"},
    {"go.palette", "system-run", "Commands"},
    {"module.passes", "media-seek-forward", "Passes", true},
    {"module.run", "media-playback-start", "Run"},
};

struct MiddleChoice {
  const char* name;
  const char* icon;
};
constexpr MiddleChoice kMiddleChoices[] = {
    {"view.both", "view-dual"}, {"view.graph", "view-grid"}, {"view.text", "format-justify-left"}};

// One button for graph, text or both: it shows the last one chosen.
void addMiddleChoice(QToolBar& bar) {
  bar.addSeparator();
  auto* button = new QToolButton(&bar);
  button->setObjectName("middleChoice");
  button->setAccessibleName("Graph, text or both");
  button->setPopupMode(QToolButton::MenuButtonPopup);
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  auto* menu = new QMenu(button);
  for (const MiddleChoice& each : kMiddleChoices)
    menu->addAction(bar.window()->findChild<QAction*>(each.name));
  button->setMenu(menu);
  button->setDefaultAction(menu->actions().front());
  QObject::connect(menu, &QMenu::triggered, button, &QToolButton::setDefaultAction);
  bar.addWidget(button);
}

}  // namespace

WindowMenus::WindowMenus(QMainWindow& window, StudioSettings& settings, ViewPlaces& places,
                         WindowFiles& files, Navigation& navigation)
    : QObject(&window),
      window_(window),
      settings_(settings),
      places_(places),
      files_(files),
      navigation_(navigation) {
  buildFileMenu();
  QMenu* edit = addMenu("&Edit");
  addEditActions(*edit);
  edit->addSeparator();
  add(edit, "go.find", "&Find in text...", "Ctrl+F", [this] { find(); });
  addOfViews(edit);
  edit->addSeparator();
  add(edit, "edit.preferences", "&Preferences...", "Ctrl+,", [this] { preferences(); });
  buildGoMenu();
  buildViewMenu();
  addOfViews(addMenu("&Module"));
  buildWindowMenu();
  buildHelpMenu();
  buildToolBar();
  connect(&files_, &WindowFiles::recentChanged, this, &WindowMenus::updateRecent);
  updateRecent(settings_.recent());
}

QMenu* WindowMenus::addMenu(const QString& title) { return window_.menuBar()->addMenu(title); }

QAction* WindowMenus::add(QMenu* menu, const QString& name, const QString& text, const QString& keys,
                          std::function<void()> run) {
  QAction* action = menu->addAction(text);
  action->setParent(&window_);
  action->setObjectName(name);
  action->setShortcuts(QKeySequence::listFromString(keys));
  if (run) connect(action, &QAction::triggered, this, std::move(run));
  return action;
}

// Those whose menu this is, or a menu in it.
void WindowMenus::addOfViews(QMenu* menu) {
  const QString title = menu->title().remove('&');
  std::map<QString, QMenu*> within;
  for (const View* view : places_.views()) {
    for (const MenuAction& each : view->menuActions()) {
      const QString outer = each.menu.section('/', 0, 0), inner = each.menu.section('/', 1);
      if (outer != title) continue;
      QMenu*& place = inner.isEmpty() ? menu : within[inner];
      if (place == nullptr) place = menu->addMenu(inner);
      place->addAction(each.action);
      if (each.isRemembered) remember(each.action);
    }
  }
}

void WindowMenus::remember(QAction* action) {
  remembered_.push_back(action);
  connect(action, &QAction::toggled, this,
          [this, name = action->objectName()](bool on) { settings_.set(name.section('.', 1), on); });
}

void WindowMenus::restore() {
  for (QAction* action : remembered_)
    action->setChecked(settings_.get(action->objectName().section('.', 1), action->isChecked()).toBool());
}

void WindowMenus::buildFileMenu() {
  QMenu* menu = addMenu("&File");
  add(menu, "file.open", "&Open file...", "Ctrl+O", [this] { files_.askForFile(); });
  add(menu, "file.openFolder", "Open &dump directory...", "Ctrl+Shift+O", [this] { files_.askForFolder(); });
  recent_ = menu->addMenu("Open &recent");
  add(menu, "file.sources", "Source &folder...", {}, [this] {
    files_.askForSources();
  })->setToolTip("Where your program lies: its lines show beside the HLO");
  add(menu, "file.reopen", "Reopen what was open the &last time", "Ctrl+Shift+T",
      [this] { files_.openLast(); });
  menu->addSeparator();
  QAction* newWindow =
      add(menu, "file.newWindow", "New &window", "Ctrl+Shift+N", [this] { files_.openShownInNewWindow(); });
  newWindow->setEnabled(files_.hasNewWindows());
  newWindow->setToolTip("The same module in a second window");
  add(menu, "file.save", "&Save", "Ctrl+S", [this] { files_.save(); });
  add(menu, "file.saveAs", "Save &as...", "Ctrl+Shift+S", [this] { files_.askWhereToSave(); });
  add(menu, "file.reload", "&Reload", "F5", [this] { files_.reload(); });
  add(menu, "file.close", "&Close document", "Ctrl+W", [this] { files_.closeDocument(); });
  menu->addSeparator();
  addOfViews(menu);
  add(menu, "file.picture", "Export picture of this &view...", "Ctrl+Alt+E",
      [this] { Q_EMIT pictureAsked(); });
  add(menu, "file.copyCommand", "Copy co&mmand line", "Ctrl+Shift+L", [this] { Q_EMIT commandLineAsked(); });
  menu->addSeparator();
  add(menu, "file.quit", "&Quit", "Ctrl+Q", [this] { window_.close(); });
}

void WindowMenus::buildGoMenu() {
  QMenu* menu = addMenu("&Go");
  QAction* back = add(menu, "go.back", "&Back", "Alt+Left", [this] { navigation_.goBack(); });
  QAction* forward = add(menu, "go.forward", "&Forward", "Alt+Right", [this] { navigation_.goForward(); });
  const auto update = [this, back, forward] {
    back->setEnabled(navigation_.canGoBack());
    forward->setEnabled(navigation_.canGoForward());
  };
  connect(&navigation_, &Navigation::changed, this, update);
  update();
  menu->addSeparator();
  add(menu, "go.palette", "&Command palette...", "Ctrl+K; Ctrl+P", [this] { Q_EMIT paletteAsked(); });
  addOfViews(menu);
  menu->addSeparator();
  add(menu, "go.root", "Go to &entry root", "Ctrl+Home", [this] { navigation_.goToRoot(); });
  add(menu, "go.nextDock", "&Next view", "F6", [this] { places_.cycle(+1); });
  add(menu, "go.previousDock", "&Previous view", "Shift+F6", [this] { places_.cycle(-1); });
}

// In the page in front where it has text, else in the text of the module.
void WindowMenus::find() {
  auto* page = qobject_cast<View*>(places_.pages().currentWidget());
  if (page != nullptr && page->openFind()) return;
  View* text = places_.find("text");
  places_.show(*text);
  text->openFind();
}

void WindowMenus::addShowActions(QMenu* menu) {
  for (const ViewInfo& info : viewTable()) {
    View* view = places_.find(info.name);
    const QString name = QString("view.") + info.name;
    if (info.place == ViewPlace::Middle) {
      add(menu, name, QString(info.title) + " only", info.keys, [this, view] {
        places_.showMiddle();
        places_.showMiddle(view);
        view->setFocus();
      });
    } else if (info.place == ViewPlace::Page) {
      add(menu, name, info.title, info.keys, [this, view] { places_.show(*view); });
    }
  }
  add(menu, "view.both", "Graph and te&xt", "Ctrl+3", [this] {
    places_.showMiddle();
    places_.showMiddle(nullptr);
  });
}

void WindowMenus::buildViewMenu() {
  QMenu* menu = addMenu("&View");
  addShowActions(menu);
  menu->addSeparator();
  for (QDockWidget* dock : places_.docks()) {
    QAction* toggle = dock->toggleViewAction();
    toggle->setObjectName("view." + dock->objectName());
    menu->addAction(toggle);
  }
  menu->addSeparator();
  addOfViews(menu);
  menu->addSeparator();
  QAction* dark = add(menu, "view.dark", "&Dark theme", "Ctrl+Shift+D", {});
  dark->setCheckable(true);
  connect(dark, &QAction::toggled, this, &WindowMenus::themeAsked);
}

void WindowMenus::buildWindowMenu() {
  QMenu* menu = addMenu("&Window");
  const auto takeOut = [this](Qt::DockWidgetArea area) {
    if (View* view = places_.onScreen()) places_.takeOut(*view, area);
  };
  add(menu, "window.beside", "Show this page be&side the others", "Ctrl+Alt+Right",
      [takeOut] { takeOut(Qt::RightDockWidgetArea); });
  add(menu, "window.below", "Show this page &below the others", "Ctrl+Alt+Down",
      [takeOut] { takeOut(Qt::BottomDockWidgetArea); });
  add(menu, "window.back", "Show it as a &tab again", "Ctrl+Alt+Up", [this] {
    if (View* view = places_.onScreen()) places_.putBack(*view);
  });
  // Shown where there is one to follow (ui/shell/window_follow.h).
  QAction* follow = add(menu, "window.follow", "&Follow the first window", "Ctrl+Alt+F", {});
  follow->setCheckable(true);
  follow->setVisible(false);
  remember(follow);
  menu->addSeparator();
  for (const WindowLayout& layout : windowLayouts()) {
    add(menu, QString("window.layout") + layout.name, QString("Layout: %1").arg(layout.name), {},
        [this, &layout] { places_.arrange(layout); });
  }
  add(menu, "window.reset", "&Reset layout", {}, [this] { places_.reset(); });
}

void WindowMenus::buildHelpMenu() {
  QMenu* menu = addMenu("&Help");
  const auto shown = [this] {
    const View* view = places_.onScreen();
    return view == nullptr ? QString("graph") : view->name();
  };
  add(menu, "help.keys", "&Keyboard", "F1", [this, shown] { showShortcuts(window_, shown()); });
  QAction* guide = add(menu, "help.guide", "User &guide", {}, [this] { showGuide(window_); });
  QAction* ofView = add(menu, "help.view", "Guide to this &view", "Shift+F1",
                        [this, shown] { showGuide(window_, titleOfView(shown())); });
  QAction* tour = add(menu, "help.tour", "First &tour", {}, [this] { startTour(); });
  for (QAction* action : {guide, ofView, tour}) action->setEnabled(!guideFolder().isEmpty());
  menu->addSeparator();
  add(menu, "help.about", "&About Hilo", "", [this] { showAbout(window_); });
}

// The sample that the page speaks of, and the page.
void WindowMenus::startTour() {
  for (const QString& sample : bundledSamples()) {
    if (sample.endsWith("/transformer_step.hlo")) files_.open(sample);
  }
  showGuide(window_, {}, "tour.md");
}

void WindowMenus::preferences() {
  std::vector<QAction*> switches = {window_.findChild<QAction*>("view.dark")};
  switches.insert(switches.end(), remembered_.begin(), remembered_.end());
  showPreferences(window_, settings_, files_, switches);
}

// Pages have their tabs, so the bar holds what they do not.
void WindowMenus::buildToolBar() {
  QToolBar* bar = window_.addToolBar("Tools");
  bar->setObjectName("toolBar");
  bar->setMovable(false);
  bar->setIconSize({16, 16});
  bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  for (const BarAction& each : kBarActions) {
    if (each.begins) bar->addSeparator();
    auto* action = window_.findChild<QAction*>(each.name);
    const QString plain = action->text().remove('&').remove("..."), keys = action->shortcut().toString();
    action->setIconText(each.label);
    action->setToolTip(keys.isEmpty() ? plain : plain + " (" + keys + ")");
    bar->addAction(action);
  }
  addMiddleChoice(*bar);
  const auto draw = [bar, this] {
    for (const BarAction& each : kBarActions)
      window_.findChild<QAction*>(each.name)->setIcon(symbolicIcon(each.icon, themeOf(window_)));
    for (const MiddleChoice& each : kMiddleChoices)
      window_.findChild<QAction*>(each.name)->setIcon(symbolicIcon(each.icon, themeOf(window_)));
    drawOverflowButton(*bar);
  };
  draw();
  connect(window_.findChild<QAction*>("view.dark"), &QAction::toggled, bar, draw, Qt::QueuedConnection);
}

void WindowMenus::updateRecent(const QStringList& paths) {
  recent_->clear();
  for (const QString& path : paths) recent_->addAction(path, this, [this, path] { files_.open(path); });
  recent_->setEnabled(!paths.isEmpty());
}

}  // namespace hilo
