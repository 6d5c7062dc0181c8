#include "core/workspace/file_origin.h"

namespace hilo {

Result<std::string> writeProto(const Module& module, const FileOrigin* origin, OutputKind kind) {
  const bool isText =
      kind == OutputKind::ModuleText || kind == OutputKind::HloProtoText || kind == OutputKind::SnapshotText;
  const bool isSnapshot = kind == OutputKind::Snapshot || kind == OutputKind::SnapshotText;
  const bool isModule = kind == OutputKind::Module || kind == OutputKind::ModuleText;
  ProtoWriteOptions options;
  options.kind = isSnapshot ? FileKind::HloSnapshot : isModule ? FileKind::HloModule : FileKind::HloProto;
  options.encoding = isText ? Encoding::Text : Encoding::Binary;
  if (origin != nullptr) {
    options.bufferAssignment = origin->bufferAssignment.get();
    if (origin->snapshot) options.snapshot = &*origin->snapshot;
  }
  if (isSnapshot && options.snapshot != nullptr && options.snapshot->arguments.size() > 1) {
    return fail("not-convertible",
                "the snapshot has arguments for several partitions, an HloSnapshot holds those of one");
  }
  return writeProtoFile(module, options);
}

}  // namespace hilo
