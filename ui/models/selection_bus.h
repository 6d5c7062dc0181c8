// The one way views learn of each other: a view tells the bus what the user points at, and every view
// (the teller included) shows it. Three verbs: hover lights up, select makes current, activate goes there
// (scrolls, opens groups, raises the view that shows it best). Owned by the window; UI thread.
#pragma once

#include <QObject>

#include "ui/models/selection.h"
#include "ui/models/view_ask.h"

namespace hilo {

class TimeCursor;

class SelectionBus : public QObject {
  Q_OBJECT

 public:
  explicit SelectionBus(QObject* parent = nullptr);
  const Selection& selected() const { return selected_; }
  const Selection& hovered() const { return hovered_; }
  // What views along time point at (ui/models/time_cursor.h).
  TimeCursor& time() const { return time_; }
  // What is looked at, else the selection.
  const Selection& pointed() const { return looked_.empty() ? selected_ : looked_; }

  // Saying again what is already so is silent; activate always speaks, and selects first.
  void hover(const Selection& selection);
  void select(const Selection& selection);
  void activate(const Selection& selection);
  // Points at something in another module than the one that is shown, until anything is selected: it is told
  // of, and nothing goes there.
  void look(const Selection& selection);
  // Offers it to every view of the window.
  void ask(const ViewAsk& what) { Q_EMIT asked(what); }

 Q_SIGNALS:
  void hoverChanged(const hilo::Selection& selection);
  void selectionChanged(const hilo::Selection& selection);
  void activated(const hilo::Selection& selection);
  void lookedAt(const hilo::Selection& selection);
  void asked(const hilo::ViewAsk& what);

 private:
  Selection selected_;
  Selection hovered_;
  Selection looked_;
  TimeCursor& time_;
};

}  // namespace hilo
