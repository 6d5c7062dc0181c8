// What a protobuf file held besides its module. Private to the workspace.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/hlo/proto/proto_file.h"
#include "core/workspace/open/convert.h"

namespace hilo {

struct FileOrigin {
  std::optional<Snapshot> snapshot;
  std::shared_ptr<const pb::BufferAssignmentProto> bufferAssignment;
  std::shared_ptr<const google::protobuf::Message> message;  // of an executable what is left of it
};

// `origin` may be null. Kind "not-convertible" where it lacks what `kind` holds.
Result<std::string> writeProto(const Module& module, const FileOrigin* origin, OutputKind kind);

}  // namespace hilo
