// What is at a path: a module, a dump, a saved program, thunks without a module, or a .hilo document. Whoever
// is given a path asks here.
#pragma once

#include <string>
#include <variant>

#include "core/workspace/job_queue.h"
#include "core/workspace/open/opened.h"

namespace hilo {

// Read by readSavedProgram() (run/saved_program.h).
struct SavedProgramFile {
  std::string path;
};
// A .hilo document with all that is in it, read by readDocument().
struct DocumentFile {
  std::string path;
};

// A module or a dump, or one of the others.
using PathContent = std::variant<OpenedItem, SavedProgramFile, ThunksFile, DocumentFile>;

// Modules and dumps are opened; of the others it is told what they are. A directory is a dump, or PJRT's
// compile inputs, which count as a file; "F.hilo" is the document, "F.hilo#2" the second module or dump in
// it; "HOST:/path" is copied here first; "-" is standard input. Error kinds: "file-not-found",
// "unknown-file-kind" (naming what the content looks like), and the readers' own. Modules of a dump
// are not read before they are asked for.
Result<PathContent> openPath(const std::string& path, const CancelToken& cancel = {});
// The same, told how much came: of paths of other machines (remote_path.h).
Result<PathContent> openPath(const std::string& path, const JobContext& context);

// Where only a module or a dump will do: of a document its first. Programs and thunks are refused with kind
// "unknown-file-kind" and "thunks-alone".
Result<OpenedItem> openItem(const std::string& path, const CancelToken& cancel = {});
// The same of what is at a path already.
Result<OpenedItem> itemOf(PathContent content, const CancelToken& cancel = {});
// Where only a module will do; a directory is refused with kind "is-a-directory", any other
// dump with "is-a-dump".
Result<std::shared_ptr<const OpenedFile>> openFile(const std::string& path, const CancelToken& cancel = {});
// The same of what is at a path already.
Result<std::shared_ptr<const OpenedFile>> fileOf(PathContent content, const CancelToken& cancel = {});
// Where only a dump will do: kind "not-a-directory".
Result<std::shared_ptr<const OpenedDump>> openDump(const std::string& path, const CancelToken& cancel = {});

}  // namespace hilo
