// Dumps, once it is known what kind of dump. Private to the workspace; openDump() (path/open_path.h) is
// the way in.
#pragma once

#include <string>
#include <vector>

#include "core/workspace/open/opened.h"

namespace hilo {

// A file of a dump that lies in a .hilo document; `name` with its folders within the dump.
struct BundledFile {
  std::string name;
  std::string bytes;
};
inline constexpr size_t kMaxDumpFilesInDocument = 100'000;

Result<std::shared_ptr<const OpenedDump>> openDumpDirectory(const std::string& path,
                                                            const CancelToken& cancel);
// `text` is what XLA wrote to standard output; `path` is what diagnostics call it.
Result<std::shared_ptr<const OpenedDump>> openFramedDump(std::string text, const std::string& path);
Result<std::shared_ptr<const OpenedDump>> openBundledDump(std::vector<BundledFile> files,
                                                          const std::string& path);

}  // namespace hilo
