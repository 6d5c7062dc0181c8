// What `hilo thunks` studies: the thunks of what is at a path.
#pragma once

#include "app/cli/arguments.h"
#include "core/workspace/path/open_path.h"
#include "core/workspace/thunks/thunk_text.h"

namespace hilo::cli {

// A study and what its instructions are of.
struct Studied {
  ThunkStudy study;
  std::shared_ptr<const Module> module;    // null of a saved program, and of thunks by themselves
  std::shared_ptr<const OpenedFile> file;  // an executable of XLA's; else null
  std::shared_ptr<const OpenedDump> dump;  // null unless XLA wrote the thunks there
  size_t moduleIndex = 0;
  std::string alone = {};  // the file of thunks by themselves; else ""
};

// Which thunks of what is at a path.
struct ThunkStudyOptions {
  std::string argumentShapes, target;  // "": as they are; this machine
  bool isMeasured = false;             // where it can be
  WorkerLimits worker;
};

// Of a dump those of each module that has any, else one. XLA's own where the file has them; else the module
// compiled. Nullopt: reported.
std::optional<Result<std::vector<Studied>>> studiesOf(const ThunkStudyOptions& options,
                                                      const std::string& path);

// What is at a path, but for a dump. Nullopt: reported.
std::optional<Result<Studied>> studyOne(const ThunkStudyOptions& options, PathContent content);
// Of a document its first module or dump.
Result<PathContent> contentAt(const std::string& path);
// Null where there is none.
const std::shared_ptr<const OpenedDump>* dumpIn(const PathContent& content);

}  // namespace hilo::cli
