// One door for every file with HLO in it: text, any protobuf kind in binary or text, gzip or not. The kind is
// told by content; the file's name only helps where text could be anything.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/dump/buffer_assignment.h"
#include "core/hlo/ir/module.h"
#include "core/hlo/proto/proto_file.h"
#include "core/hlo/proto/text_tree.h"

namespace hilo {

struct LoadOptions {
  // Gives shapes that the text leaves out (ParseOptions::inferShape); may be null.
  Result<Shape> (*inferShape)(const Instruction& instruction) = nullptr;
};

struct LoadedFile {
  std::string path;
  FileFormat format;
  bool gzip = false;
  uint64_t sizeOnDisk = 0;
  std::shared_ptr<Module> module;  // null for kinds without one
  // Of a text with several, split by "// -----" lines or framed as XLA writes a dump to standard output.
  std::vector<std::shared_ptr<Module>> otherModules;
  std::optional<Snapshot> snapshot;
  std::optional<BufferAssignment> bufferAssignment;
  // The message itself of other kinds (pb::HloModuleMetadataProto, pb::ScheduleProto, ...)
  // and the assignment's.
  std::shared_ptr<const google::protobuf::Message> message;
  std::shared_ptr<const pb::BufferAssignmentProto> bufferAssignmentProto;
  Diagnostics diagnostics;

  // "HLO text", "HloProto, binary, gzip".
  std::string describe() const;
};

// Error kinds: those of readFileBytes, the parsers and readers; "unknown-file-kind" for what is none of
// Hilo's, naming what it looks like.
Result<LoadedFile> loadFile(const std::string& path, const LoadOptions& options = {});
// The same for bytes already in memory; `name` stands for the path.
Result<LoadedFile> loadBytes(std::string bytes, const std::string& name, const LoadOptions& options = {});

// Debug options, target descriptions, autotuner results and other text protos Hilo has no schema of.
Result<TextNode> loadTextTree(const std::string& path);

// loadFile, but the file must have a module: "no-module" when it is of a kind without.
Result<LoadedFile> loadModule(const std::string& path, const LoadOptions& options = {});

}  // namespace hilo
