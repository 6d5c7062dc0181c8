// From any form a module has on disk to any other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/workspace/open/opened.h"

namespace hilo {

enum class OutputKind : uint8_t {
  Text,           // as it was read; XLA's dump form from a proto
  LongText,       // everything printed, operand shapes included
  ShortText,      // no metadata, no backend_config, no large constants
  CanonicalText,  // equal text for equal modules
  Module,         // HloModuleProto, binary
  ModuleText,     // HloModuleProto, text
  HloProto,       // binary, with the buffer assignment where it was read with one
  HloProtoText,
  Snapshot,  // HloSnapshot with the arguments and the result the file has, binary
  SnapshotText,
  UnoptimizedSnapshot,           // HloUnoptimizedSnapshot: arguments of every partition
  DelimitedUnoptimizedSnapshot,  // the length-prefixed form, for arguments over 2 GiB
  StableHlo,                     // text; through the stablehlo plug-in
};

struct OutputKindInfo {
  OutputKind kind;
  std::string_view name;       // what --to takes
  std::string_view extension;  // what `-o FILE` ends in; "" for those chosen by --to alone
  std::string_view what;
};
const std::vector<OutputKindInfo>& outputKinds();
Result<OutputKind> outputKindFromName(std::string_view name);
// By a path's ending, ".gz" set aside; text for "-", a pipe and a device as /dev/null. Kind
// "unknown-output-kind" lists the endings there are.
Result<OutputKind> outputKindFromPath(const std::string& path);
// What `--to NAME -o PATH` writes: a name that is given goes before the path.
Result<OutputKind> outputKindFor(std::string_view name, const std::string& path);
// Snapshots.
bool holdsArguments(OutputKind kind);

struct ConvertOptions {
  OutputKind kind = OutputKind::Text;
  bool gzip = false;
  // For Text, LongText and ShortText; unset: as the kind says.
  std::optional<bool> metadata, operandShapes, ids, largeConstants, percent;
};

// The bytes of `file` in another form. Of a file of several modules every one in text, "// -----" lines
// between them. What a form cannot hold, such as several modules in a protobuf, is refused by name
// (kind "not-convertible").
Result<std::string> convertModule(const OpenedFile& file, const ConvertOptions& options);
Result<std::string> convertModule(const Module& module, const ConvertOptions& options);
// Writes through a temporary file beside `path`, so that a failure leaves what was there; "-"
// is standard output.
Status writeOutput(const std::string& path, std::string_view bytes);

}  // namespace hilo
