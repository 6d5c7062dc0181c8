// Thunks as XLA's ThunkSequenceProto, for writing to a file: as text or as binary by the
// file's name (isTextProtoName).
#pragma once

#include "core/workspace/thunks/thunk_study.h"

namespace hilo {

struct WrittenThunks {
  std::string bytes;
  std::vector<std::string> notes;  // what of a program XLA's form does not say
};

// Of a file that XLA wrote (isThunkSequence, isExecutable): its thunks with all they hold, also of kinds and
// in fields that are not known. Errors: as of reading the file, "no-thunk-sequence", "not-writable" (what is
// printed is no proto; fields that the form asked for, or the one read, cannot keep).
Result<WrittenThunks> writtenThunksOfFile(const std::string& path, const std::string& target);

// Of a study with a program, in XLA:CPU's form; where XLA has no such thunk a custom call stands for it, and
// a note says so.
Result<WrittenThunks> writtenThunks(const ThunkStudy& study, const std::string& target);

}  // namespace hilo
