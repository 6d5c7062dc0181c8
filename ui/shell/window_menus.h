// The window's menus, tool bar and keys: its own and those of the views. Every action has a name, so that the
// palette and the tests find it.
#pragma once

#include <QMenu>

#include "ui/shell/navigation.h"
#include "ui/shell/studio_settings.h"
#include "ui/shell/view_places.h"
#include "ui/shell/window_files.h"

namespace hilo {

class WindowMenus : public QObject {
  Q_OBJECT

 public:
  WindowMenus(QMainWindow& window, StudioSettings& settings, ViewPlaces& places, WindowFiles& files,
              Navigation& navigation);
  // Whether remembered actions are checked, as it was the last time.
  void restore();

 Q_SIGNALS:
  void paletteAsked();
  void commandLineAsked();
  void pictureAsked();
  void themeAsked(bool dark);

 private:
  QMenu* addMenu(const QString& title);
  QAction* add(QMenu* menu, const QString& name, const QString& text, const QString& keys,
               std::function<void()> run);
  void addOfViews(QMenu* menu);
  void remember(QAction* action);
  void buildFileMenu();
  void buildGoMenu();
  void buildViewMenu();
  void addShowActions(QMenu* menu);
  void buildWindowMenu();
  void buildHelpMenu();
  void buildToolBar();
  void preferences();
  void startTour();
  void updateRecent(const QStringList& paths);
  void find();

  QMainWindow& window_;
  StudioSettings& settings_;
  ViewPlaces& places_;
  WindowFiles& files_;
  Navigation& navigation_;
  QMenu* recent_ = nullptr;
  std::vector<QAction*> remembered_;
};

// Version, libraries and machine, to be copied into a report.
void showAbout(QWidget& window);

}  // namespace hilo
