// A dump directory as one object: its modules, each with its pass series in order and everything that
// belongs to it.
//
// Scanning reads names only; files are opened when asked for (load.h and the report readers). Several
// processes' dumps in one folder are told apart by subfolder and time stamp. Nothing is dropped: what belongs
// to no module, or has no known meaning, is listed as other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/hlo/dump/dump_name.h"

namespace hilo {

struct DumpFile {
  std::string path;
  std::string name;  // without folders
  uint64_t sizeBytes = 0;
  DumpName meaning;
};

struct DumpModule {
  std::string process;  // subfolder, time stamp; "" for files of the folder itself
  int64_t number = -1;
  std::string name;
  std::vector<DumpFile> files;  // all, sorted by name

  // Indices into `files` of the module's stages in the order the compiler went: before_optimizations, the
  // numbered steps, the named stages of the back end, after_optimizations. One entry a stage; of several
  // forms text first.
  std::vector<size_t> stages() const;
  // Indices of the files of one part.
  std::vector<size_t> parts(DumpPart part) const;
  // The first file of the part, or nullptr.
  const DumpFile* find(DumpPart part) const;
  bool isGpu() const;
};

struct DumpDirectory {
  std::string path;
  std::vector<DumpModule> modules;  // by process, number, name
  std::vector<DumpFile> others;
  // "dump-truncated" when the folder has more files than are listed, "not-readable" for folders
  // that cannot be.
  Diagnostics diagnostics;
};

// A dump has no more files than this; the rest is not listed, and dumpTruncated() says so.
inline constexpr size_t kMaxDumpFiles = 100'000;
Diagnostic dumpTruncated(const std::string& path);

// Subfolders are scanned too, 8 deep, links to folders are not followed.
// Error kinds: "file-not-found", "not-a-directory", "not-readable", "cancelled".
Result<DumpDirectory> scanDumpDirectory(const std::string& path, const CancelToken& cancel = {});

// The same for a list of names, for archives and for framed output.
DumpDirectory arrangeDumpFiles(std::string path, std::vector<DumpFile> files);

// What a complete dump of this module would have besides, and the flag of XLA that writes it.
struct MissingPart {
  std::string part;
  std::string flag;
  std::string note;  // "" or what to know of the flag
};
std::vector<MissingPart> missingParts(const DumpModule& module);

}  // namespace hilo
