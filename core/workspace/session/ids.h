// How the parts of a session are named. Ids are not used again after what they name was closed.
#pragma once

#include "core/base/typed_id.h"

namespace hilo {

using DocumentId = TypedId<struct DocumentTag>;
// One module at one point of a pipeline; unique in the session, whichever document it is in.
using SnapshotId = TypedId<struct SnapshotTag>;
using SeriesId = TypedId<struct SeriesTag>;

}  // namespace hilo
