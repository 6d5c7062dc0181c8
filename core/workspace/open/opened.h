// What the workspace has open: one file with a module in it, or a dump directory. path/open_path.h says what
// is at a path.
//
// Everything here is plain data that any thread may read; nothing is changed after it was opened.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/hlo/ir/literal.h"
#include "core/hlo/ir/module.h"

namespace hilo {

struct FileOrigin;
struct FramedText;
struct SourceNames;

// A file that holds a module: HLO text, a module, HloProto or snapshot as protobuf (binary or text), gzip or
// not; or what a plug-in reads.
struct OpenedFile {
  std::string path;     // as given; "<stdin>" for "-"
  std::string kind;     // what the content is, for people: "HLO text", "HloProto, binary"
  bool isText = false;  // HLO text: `module` has source offsets into its sourceText()
  bool gzipped = false;
  size_t sizeBytes = 0;  // of the file, before gunzip
  std::shared_ptr<const Module> module;
  // Of a snapshot: recorded arguments (one list a replica or run) and results. Empty otherwise.
  std::vector<std::vector<Literal>> arguments;
  std::optional<Literal> result;
  bool hasBufferAssignment = false;
  // From reading. With errors among them (hasErrors) the module is incomplete: for looking at, not for
  // running passes, executing or converting.
  Diagnostics diagnostics;
  // The line of the file its text begins at: a file of several modules, cut at "// -----" lines (or, from a
  // plug-in, one for each public function), opens as the first of them, with the rest here.
  uint32_t firstLine = 1;
  std::vector<std::shared_ptr<const OpenedFile>> others;
  // What the file calls the values of the module, of what a plug-in read from text; null else.
  std::shared_ptr<const SourceNames> sourceNames;
  // What the reader kept besides the module, so that convertModule() can write it back. Null for text.
  std::shared_ptr<const FileOrigin> origin;
};

// One file of a dump.
struct DumpFileInfo {
  std::string path;
  std::string name;
  std::string kind;  // "module", "buffer assignment", "LLVM IR", "PTX", ...
  size_t sizeBytes = 0;
};

// A point of the compilation at which the module was written.
struct DumpStageInfo {
  std::string name;      // "before_optimizations", "after_dce", "sm_8.0_gpu_after_optimizations"
  std::string pipeline;  // "" outside a pipeline
  std::string pass;      // the pass this is the result of; "" for the named stages
  int order = -1;        // the number in the file's name; -1: none
  std::string path;      // the file loadStage() reads; of a framed dump DUMP/NAME:LINE
};

struct DumpModuleInfo {
  std::string name;
  std::string process;    // tells several processes' dumps in one folder apart; "" when there is one
  int64_t moduleId = -1;  // the number in module_0007.name; -1: none
  std::vector<DumpStageInfo> stages;  // in the order the compiler went
  std::vector<DumpFileInfo> files;    // all files of this module, stages included
  // What a complete dump would have, and the flag that writes it: "no buffer assignment
  // (--xla_dump_hlo_as_text)".
  std::vector<std::string> missing;
};

// A dump directory, or a file with what XLA wrote to standard output (--xla_dump_to=-), each file of the dump
// between "*** Begin NAME ***" and "*** End NAME ***".
struct OpenedDump {
  std::string path;
  std::shared_ptr<const FramedText> framed;  // the files themselves; null for a directory
  std::vector<DumpModuleInfo> modules;
  std::vector<DumpFileInfo> otherFiles;  // belonging to no module
  Diagnostics diagnostics;
};

using OpenedItem = std::variant<std::shared_ptr<const OpenedFile>, std::shared_ptr<const OpenedDump>>;

// A file with thunks and no module, which studyThunksAlone() reads.
struct ThunksFile {
  std::string path;
  std::string kind;  // what the content is, for people: "ThunkSequenceProto"
};

// What bytes or a file may be, .hilo documents and saved programs aside.
using FileContent = std::variant<OpenedItem, ThunksFile>;
// `name` is what diagnostics call the bytes. Error kinds: "unknown-file-kind" (naming what the content looks
// like), and the readers' own.
Result<FileContent> openContent(std::string bytes, const std::string& name, const CancelToken& cancel = {});
// The same of a file; "-" is standard input. Kinds besides: "file-not-found", "not-readable".
Result<FileContent> openRegularFile(const std::string& path, const CancelToken& cancel = {});

// Where only a module will do: else kinds "is-a-dump" and "thunks-alone".
Result<std::shared_ptr<const OpenedFile>> openBytes(std::string bytes, const std::string& name,
                                                    const CancelToken& cancel = {});
// The refusals, for whoever needs a module.
std::unexpected<Diagnostic> thunksAlone(const ThunksFile& thunks);
std::unexpected<Diagnostic> isADump(const std::string& path);
// Reads one stage of a dump. Not cached: callers keep what they need.
Result<std::shared_ptr<const OpenedFile>> loadStage(const OpenedDump& dump, size_t moduleIndex,
                                                    size_t stageIndex);
// The bytes of one of the dump's files, inflated, by the path that its DumpFileInfo has. Kinds:
// "file-not-found", "not-readable", "cancelled", and those of gzip.
Result<std::string> readDumpFile(const OpenedDump& dump, const std::string& path,
                                 const CancelToken& cancel = {});
// A line and column (from 1) of an instruction in the text it was read from; {0, 0} when it came
// from a proto.
Place placeOf(const OpenedFile& file, const Instruction& instruction);

}  // namespace hilo
