// The window's part in opening and saving: the dialogs, what was opened lately, and .hilo files, in which
// what the window shows is kept as it changes.
#pragma once

#include <QTimer>

#include "ui/shell/navigation.h"
#include "ui/shell/studio_settings.h"
#include "ui/shell/view_places.h"

namespace hilo {

class WindowFiles : public QObject {
  Q_OBJECT

 public:
  using OpenWindow = std::function<void(const QStringList& paths)>;

  // `openWindow`: null where there is to be one window alone.
  WindowFiles(QMainWindow& window, const ViewContext& context, StudioSettings& settings, ViewPlaces& places,
              Navigation& navigation, OpenWindow openWindow);

  // A .hilo file that would take the place of what is open gets a window of its own.
  void open(const QString& path);
  void openLast();
  void openShownInNewWindow();
  bool hasNewWindows() const { return openWindow_ != nullptr; }
  void reload();
  void closeDocument();
  // Keeps all that is open in the session's .hilo file; asks for one where there is none.
  void save();
  void saveAs(const QString& path);
  void askForFile();
  void askForFolder();
  void askForSources();
  void askWhereToSave();
  // Where the user's program lies; remembered.
  void setSourceRoots(const QStringList& folders);
  // What is still to be written to the .hilo file is written at once: no job would live to do it.
  Status keepNow();
  // To go to in the module that is current now: what a .hilo file says, else what was selected the last time;
  // "" for nothing. What the .hilo file says is asked for once.
  QString takeWantedName(const Document& document);
  // As it is now, for the next time.
  void keepSelection();

 Q_SIGNALS:
  // Reading began; "" when it is done.
  void busyChanged(const QString& what);
  void recentChanged(const QStringList& paths);
  void said(const QString& text);
  // The session's file, what is open, or whether it is all kept.
  void titleChanged();

 private:
  void connectFile();
  void noteOpened(DocumentId id);
  QString shownPath() const;
  ViewState viewState() const;
  void showViewState(const ViewState& state);

  QMainWindow& window_;
  ViewContext context_;
  StudioSettings& settings_;
  ViewPlaces& places_;
  Navigation& navigation_;
  OpenWindow openWindow_;
  QTimer keepTimer_;    // runs while what is shown is to be kept in the session's file
  QString wantedName_;  // of a .hilo file whose module is still to be read
};

}  // namespace hilo
