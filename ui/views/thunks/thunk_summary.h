// What a study of thunks says in words.
#pragma once

#include <QString>

#include "core/workspace/thunks/thunk_study.h"

namespace hilo {

// One line: "name: 12 thunks, 14 dependencies, 1.2 ms serial total, 900 us on 3 streams, estimated", then
// warnings and data races. `lanes`: streams or threads of the timeline.
QString summaryOf(const ThunkStudy& study, size_t lanes);

// The instructions it comes of, or why they are not known. `module` null: there is none.
QString originText(const StudiedThunk& thunk, const Module* module);

// Empty for less than 0: a time that is not known.
QString thunkTimeText(int64_t ns);

}  // namespace hilo
