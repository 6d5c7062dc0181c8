// What a session tells its listener: each happened just before it is told, on the session's thread.
#pragma once

#include <functional>
#include <string>
#include <variant>

#include "core/base/diagnostic.h"
#include "core/workspace/document/document.h"
#include "core/workspace/session/ids.h"
#include "core/workspace/session/result_kind.h"

namespace hilo {

struct DocumentOpened {
  DocumentId id;
};
// Its snapshots and series are still to be closed.
struct DocumentClosed {
  DocumentId id;
};
// A stage of a dump was read, or a pass made a module.
struct SnapshotAdded {
  SnapshotId id;
};
struct CurrentChanged {
  SnapshotId id;  // invalid: no module is current any more
};
// Once for each CurrentChanged, by Session::noteShown().
struct CurrentShown {};
// Other compiled code is shown, or none any more.
struct CompiledShown {};
struct SeriesAdded {
  SeriesId id;
};
struct SeriesClosed {
  SeriesId id;
};
struct ResultReady {
  SnapshotId snapshot;
  ResultKind kind;
};
struct ComparedRunsChanged {};
struct FindingChanged {};
struct SourceTreeChanged {};
// A .hilo document was opened, with what its windows showed when it was last open.
struct FileOpened {
  ViewState viewState;
};
struct FileSaved {};
struct StoreChanged {};
// What could not be done.
struct Failed {
  std::string what;
  Diagnostic why;
};

using SessionEvent =
    std::variant<DocumentOpened, DocumentClosed, SnapshotAdded, CurrentChanged, CurrentShown, CompiledShown,
                 SeriesAdded, SeriesClosed, ResultReady, ComparedRunsChanged, FindingChanged,
                 SourceTreeChanged, FileOpened, FileSaved, StoreChanged, Failed>;
using SessionListener = std::function<void(const SessionEvent&)>;

}  // namespace hilo
