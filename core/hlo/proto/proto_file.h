// A protobuf file of any kind, whole: the module in it and what stands around the module. The one
// door of this room for readers and writers of files; bytes come inflated (gzip.h) and with their
// kind told (file_kind.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/ir/literal.h"
#include "core/hlo/ir/module.h"
#include "core/hlo/proto/file_kind.h"

namespace google::protobuf {
class Message;
}

namespace hilo {

namespace pb {
class BufferAssignmentProto;
}

// What a snapshot holds besides the module.
struct Snapshot {
  std::vector<std::vector<Literal>> arguments;  // by partition; an HloSnapshot has one
  std::optional<Literal> result;
  std::string executionPlatform;
};

struct ProtoFile {
  ProtoFile();
  ProtoFile(ProtoFile&&) noexcept;
  ProtoFile& operator=(ProtoFile&&) noexcept;
  ~ProtoFile();

  FileFormat format;
  std::unique_ptr<Module> module;  // null for kinds without one, and of an executable written without it
  std::optional<Snapshot> snapshot;
  std::shared_ptr<const pb::BufferAssignmentProto> bufferAssignment;
  // Of kinds that are no module: the message itself (HloModuleMetadataProto, ScheduleProto, ...); of a
  // PjrtExecutable that of the executable within. The module of a schedule and what `module` and
  // `bufferAssignment` hold of an executable are moved out of it.
  std::shared_ptr<const google::protobuf::Message> message;
  // Of the module and its literals; those that are errors left it incomplete.
  Diagnostics diagnostics;
};

// Fails when nothing could be read: "not-a-proto", "proto-corrupt", "text-proto-syntax",
// "proto-too-large", "no-computations".
Result<ProtoFile> readProtoFile(std::string_view bytes, FileFormat format, const std::string& file = {});

struct ProtoWriteOptions {
  // HloModule, HloProto, HloSnapshot, HloUnoptimizedSnapshot or DelimitedUnoptimizedSnapshot.
  FileKind kind = FileKind::HloProto;
  Encoding encoding = Encoding::Binary;
  const Snapshot* snapshot = nullptr;
  const pb::BufferAssignmentProto* bufferAssignment = nullptr;
};

// Binary output is deterministic. Errors: "proto-too-large", "not-writable" (a kind or encoding that is not
// for modules), "elided-argument" (a literal without values in the length-prefixed form).
Result<std::string> writeProtoFile(const Module& module, const ProtoWriteOptions& options);

}  // namespace hilo
