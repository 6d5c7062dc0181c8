// What happens in a session, as Qt's signals, each on the UI thread. The window makes one; views connect to
// it and read the session itself.
#pragma once

#include <QObject>
#include <QString>

#include "core/workspace/session/session.h"

namespace hilo {

class SessionChanges : public QObject {
  Q_OBJECT

 public:
  // Is the session's listener until it goes.
  explicit SessionChanges(Session& session, QObject* parent = nullptr);
  ~SessionChanges() override;

 Q_SIGNALS:
  // As the events of these names (core/workspace/session/events.h).
  void documentOpened(hilo::DocumentId id);
  void documentClosed(hilo::DocumentId id);
  void snapshotAdded(hilo::SnapshotId id);
  void currentChanged(hilo::SnapshotId id);
  // Once for each currentChanged: noteShown was called, or kShownLimitMs have gone by without it.
  void currentShown();
  void compiledShown();
  void seriesAdded(hilo::SeriesId id);
  void seriesClosed(hilo::SeriesId id);
  void resultReady(hilo::SnapshotId id, hilo::ResultKind kind);
  void comparedRunsChanged();
  void findingChanged();
  void sourceTreeChanged();
  void fileOpened(const hilo::ViewState& viewState);
  void saved();
  void storeChanged();
  // A job was queued, began, went on or ended; the queue's listener says so.
  void jobsChanged();
  // What could not be done, for the status line and the problems list; of a session's work or a view's.
  void failed(const QString& what, const hilo::Diagnostic& why);

 private:
  void tell(const SessionEvent& event);
  void limitWait(SnapshotId id);

  static constexpr int kShownLimitMs = 1500;
  Session& session_;
};

}  // namespace hilo

Q_DECLARE_METATYPE(hilo::DocumentId)
Q_DECLARE_METATYPE(hilo::SnapshotId)
