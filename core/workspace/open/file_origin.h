// What a protobuf file held besides its module. Private to the workspace.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/hlo/proto/proto_file.h"
#include "core/workspace/open/convert.h"

namespace hilo {

struct FileOrigin {
  // Of a snapshot; its arguments and its result are those of the OpenedFile.
  std::optional<std::string> executionPlatform;
  std::shared_ptr<const pb::BufferAssignmentProto> bufferAssignment;
  std::shared_ptr<const google::protobuf::Message> message;  // of an executable what is left of it
};

// With what `file` (may be null) holds besides `module`. Kind "not-convertible" where `kind` cannot hold it.
Result<std::string> writeProto(const Module& module, const OpenedFile* file, OutputKind kind);

}  // namespace hilo
