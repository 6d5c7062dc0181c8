#include "core/workspace/open/file_origin.h"

namespace hilo {
namespace {

ProtoWriteOptions formOf(OutputKind kind) {
  using enum Encoding;
  switch (kind) {
    case OutputKind::Module:
      return {FileKind::HloModule, Binary};
    case OutputKind::ModuleText:
      return {FileKind::HloModule, Text};
    case OutputKind::HloProtoText:
      return {FileKind::HloProto, Text};
    case OutputKind::Snapshot:
      return {FileKind::HloSnapshot, Binary};
    case OutputKind::SnapshotText:
      return {FileKind::HloSnapshot, Text};
    case OutputKind::UnoptimizedSnapshot:
      return {FileKind::HloUnoptimizedSnapshot, Binary};
    case OutputKind::DelimitedUnoptimizedSnapshot:
      return {FileKind::DelimitedUnoptimizedSnapshot, Binary};
    default:
      return {FileKind::HloProto, Binary};
  }
}

}  // namespace

Result<std::string> writeProto(const Module& module, const OpenedFile* file, OutputKind kind) {
  ProtoWriteOptions options = formOf(kind);
  Snapshot snapshot;
  if (file != nullptr) {
    snapshot.arguments = file->arguments;
    snapshot.result = file->result;
    options.snapshot = &snapshot;
  }
  if (file != nullptr && file->origin != nullptr) {
    options.bufferAssignment = file->origin->bufferAssignment.get();
    snapshot.executionPlatform = file->origin->executionPlatform.value_or("");
  }
  if (options.kind == FileKind::HloSnapshot && snapshot.arguments.size() > 1) {
    return fail("not-convertible",
                "the snapshot has arguments for several partitions, an HloSnapshot holds those of one", {},
                {"an unoptimized-snapshot holds them all"});
  }
  return writeProtoFile(module, options);
}

}  // namespace hilo
