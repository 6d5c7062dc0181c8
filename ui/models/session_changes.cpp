#include "ui/models/session_changes.h"

#include <QTimer>

#include "ui/models/text_of.h"

namespace hilo {
namespace {

template <typename... Each>
struct Overloaded : Each... {
  using Each::operator()...;
};

}  // namespace

SessionChanges::SessionChanges(Session& session, QObject* parent) : QObject(parent), session_(session) {
  session_.setListener([this](const SessionEvent& event) { tell(event); });
}

SessionChanges::~SessionChanges() { session_.setListener({}); }

void SessionChanges::tell(const SessionEvent& event) {
  std::visit(Overloaded{[this](const DocumentOpened& e) { Q_EMIT documentOpened(e.id); },
                        [this](const DocumentClosed& e) { Q_EMIT documentClosed(e.id); },
                        [this](const SnapshotAdded& e) { Q_EMIT snapshotAdded(e.id); },
                        [this](const CurrentChanged& e) {
                          limitWait(e.id);
                          Q_EMIT currentChanged(e.id);
                        },
                        [this](const CurrentShown&) { Q_EMIT currentShown(); },
                        [this](const CompiledShown&) { Q_EMIT compiledShown(); },
                        [this](const SeriesAdded& e) { Q_EMIT seriesAdded(e.id); },
                        [this](const SeriesClosed& e) { Q_EMIT seriesClosed(e.id); },
                        [this](const ResultReady& e) { Q_EMIT resultReady(e.snapshot, e.kind); },
                        [this](const ComparedRunsChanged&) { Q_EMIT comparedRunsChanged(); },
                        [this](const FindingChanged&) { Q_EMIT findingChanged(); },
                        [this](const SourceTreeChanged&) { Q_EMIT sourceTreeChanged(); },
                        [this](const FileOpened& e) { Q_EMIT fileOpened(e.viewState); },
                        [this](const FileSaved&) { Q_EMIT saved(); },
                        [this](const StoreChanged&) { Q_EMIT storeChanged(); },
                        [this](const Failed& e) { Q_EMIT failed(qs(e.what), e.why); }},
             event);
}

// Views wait no longer for a graph that takes its time.
void SessionChanges::limitWait(SnapshotId id) {
  QTimer::singleShot(kShownLimitMs, this, [this, id] {
    const Snapshot* current = session_.current();
    if (id == (current == nullptr ? SnapshotId{} : current->id)) session_.noteShown();
  });
}

}  // namespace hilo
