#include "core/hlo/proto/proto_file.h"

#include <google/protobuf/text_format.h>

#include "core/hlo/proto/delimited_snapshot.h"
#include "core/hlo/proto/literal_proto.h"
#include "core/hlo/proto/message_io.h"
#include "core/hlo/proto/module_proto.h"
#include "core/hlo/proto/schema/executable.pb.h"

namespace hilo {

ProtoFile::ProtoFile() = default;
ProtoFile::ProtoFile(ProtoFile&&) noexcept = default;
ProtoFile& ProtoFile::operator=(ProtoFile&&) noexcept = default;
ProtoFile::~ProtoFile() = default;

namespace {

using google::protobuf::Message;

// In text the header that only Hilo knows stands in a comment: other readers of the text format
// refuse unknown fields.
constexpr std::string_view kHeaderComment = "# hilo_header: ";

class FileReader {
 public:
  FileReader(const std::string& file) : fileName_(file) {}

  Result<ProtoFile> read(std::string_view bytes, FileFormat format) {
    file_.format = format;
    if (format.kind == FileKind::DelimitedUnoptimizedSnapshot) return readDelimited(bytes);
    if (format.kind == FileKind::PjrtExecutable) return readPjrtExecutable(bytes);
    if (format.encoding == Encoding::Text) readHeaderComment(bytes);
    TRY(std::unique_ptr<Message> message, parseMessage(bytes, format, file_.diagnostics, fileName_));
    TRY_STATUS(takeApart(*message));
    const bool isWhole = format.kind == FileKind::HloModule || format.kind == FileKind::HloProto;
    if (!isWhole && !file_.snapshot) file_.message = std::move(message);
    return std::move(file_);
  }

 private:
  void readHeaderComment(std::string_view text) {
    if (!text.starts_with(kHeaderComment)) return;
    text.remove_prefix(kHeaderComment.size());
    google::protobuf::TextFormat::ParseFromString(std::string(text.substr(0, text.find('\n'))), &header_);
  }

  Status takeApart(Message& message) {
    switch (file_.format.kind) {
      case FileKind::HloModule:
        return takeModule(static_cast<pb::HloModuleProto&>(message));
      case FileKind::HloProto:
        return takeHlo(static_cast<pb::HloProto&>(message));
      case FileKind::HloSnapshot:
        return takeSnapshot(static_cast<pb::HloSnapshot&>(message));
      case FileKind::HloUnoptimizedSnapshot:
        return takeUnoptimized(static_cast<pb::HloUnoptimizedSnapshot&>(message));
      case FileKind::Schedule: {
        auto& schedule = static_cast<pb::ScheduleProto&>(message);
        if (schedule.hlo_module().computations().empty()) return {};
        return takeModule(*schedule.mutable_hlo_module());
      }
      case FileKind::CpuExecutable: {
        auto& executable = static_cast<pb::CompilationResultProto&>(message);
        return takeExecutable(executable, *executable.mutable_hlo_module());
      }
      case FileKind::GpuExecutable:
        return takeGpuExecutable(static_cast<pb::GpuExecutableProto&>(message));
      case FileKind::GpuExecutableWithOptions:
        return takeGpuExecutable(
            *static_cast<pb::ReadableGpuExecutableProto&>(message).mutable_gpu_executable());
      case FileKind::Literal: {
        file_.snapshot.emplace();
        return takeLiteral(static_cast<pb::LiteralProto&>(message), file_.snapshot->arguments.emplace_back());
      }
      default:
        return {};
    }
  }

  Status takeModule(pb::HloModuleProto& proto) {
    if (header_.ByteSizeLong() > 0) *proto.mutable_hilo_header() = header_;
    ProtoReadResult read = readModule(proto, fileName_);
    file_.diagnostics.insert(file_.diagnostics.end(), read.diagnostics.begin(), read.diagnostics.end());
    if (read.module == nullptr) return std::unexpected(read.diagnostics.front());
    file_.module = std::move(read.module);
    return {};
  }

  Status takeHlo(pb::HloProto& proto) {
    if (proto.has_buffer_assignment()) takeBuffers(*proto.mutable_buffer_assignment());
    return takeModule(*proto.mutable_hlo_module());
  }

  void takeBuffers(pb::BufferAssignmentProto& proto) {
    auto taken = std::make_shared<pb::BufferAssignmentProto>();
    taken->Swap(&proto);
    file_.bufferAssignment = std::move(taken);
  }

  Status takeGpuExecutable(pb::GpuExecutableProto& proto) {
    return takeExecutable(proto, *proto.mutable_hlo_module_with_config());
  }

  // The module goes out of the message, which is kept for its thunks and code.
  template <typename Executable>
  Status takeExecutable(Executable& proto, pb::HloModuleProtoWithConfig& module) {
    if (proto.has_buffer_assignment()) takeBuffers(*proto.mutable_buffer_assignment());
    if (module.hlo_module().computations().empty()) return {};
    TRY_STATUS(takeModule(*module.mutable_hlo_module()));
    module.clear_hlo_module();
    return {};
  }

  Result<ProtoFile> readPjrtExecutable(std::string_view bytes) {
    pb::ExecutableAndOptionsProto proto;
    TRY_STATUS(parseBinaryMessage(bytes, proto));
    const std::string& inner = proto.serialized_executable();
    const FileFormat format = detectKind(inner);
    if (format.kind != FileKind::CpuExecutable && format.kind != FileKind::GpuExecutable)
      return fail("proto-corrupt", fmt::format("the executable in it is {}", fileKindName(format.kind)));
    TRY(ProtoFile file, FileReader(fileName_).read(inner, format));
    file.format = file_.format;
    return file;
  }

  Status takeLiteral(const pb::LiteralProto& proto, std::vector<Literal>& list) {
    auto literal = readLiteral(proto);
    if (!literal) {
      literal.error().place.file = fileName_;
      return std::unexpected(literal.error());
    }
    list.push_back(*std::move(literal));
    return {};
  }

  Status takeSnapshot(pb::HloSnapshot& proto) {
    TRY_STATUS(takeHlo(*proto.mutable_hlo()));
    Snapshot snapshot;
    auto& arguments = snapshot.arguments.emplace_back();
    for (const auto& argument : proto.arguments()) TRY_STATUS(takeLiteral(argument, arguments));
    if (proto.has_result()) {
      std::vector<Literal> results;
      TRY_STATUS(takeLiteral(proto.result(), results));
      snapshot.result = std::move(results[0]);
    }
    snapshot.executionPlatform = proto.execution_platform();
    file_.snapshot = std::move(snapshot);
    return {};
  }

  Status takeUnoptimized(pb::HloUnoptimizedSnapshot& proto) {
    TRY_STATUS(takeModule(*proto.mutable_hlo_module()));
    Snapshot snapshot;
    for (const auto& partition : proto.partitions()) {
      auto& arguments = snapshot.arguments.emplace_back();
      for (const auto& argument : partition.arguments()) TRY_STATUS(takeLiteral(argument, arguments));
    }
    file_.snapshot = std::move(snapshot);
    return {};
  }

  Result<ProtoFile> readDelimited(std::string_view bytes) {
    TRY(DelimitedSnapshot delimited, readDelimitedSnapshot(bytes));
    TRY_STATUS(takeModule(*delimited.head.mutable_hlo_module()));
    file_.snapshot = Snapshot{.arguments = std::move(delimited.arguments)};
    return std::move(file_);
  }

  const std::string& fileName_;
  ProtoFile file_;
  pb::HiloHeader header_;
};

std::string textWithHeader(const Message& message, pb::HloModuleProto& module) {
  std::string text;
  if (module.has_hilo_header()) {
    google::protobuf::TextFormat::Printer printer;
    printer.SetSingleLineMode(true);
    std::string header;
    printer.PrintToString(module.hilo_header(), &header);
    text = std::string(kHeaderComment) + header + "\n";
    module.clear_hilo_header();
  }
  return text + toTextProto(message);
}

Result<std::string> encode(const Message& message, pb::HloModuleProto& module, Encoding encoding) {
  if (encoding == Encoding::Text) return textWithHeader(message, module);
  return toBinaryProto(message);
}

void writeArguments(const std::vector<Literal>& arguments,
                    google::protobuf::RepeatedPtrField<pb::LiteralProto>& protos) {
  for (const Literal& argument : arguments) writeLiteral(argument, *protos.Add());
}

Result<std::string> writeSnapshot(const Module& module, const ProtoWriteOptions& options,
                                  const Snapshot& snapshot) {
  pb::HloSnapshot proto;
  auto& moduleProto = *proto.mutable_hlo()->mutable_hlo_module();
  writeModule(module, moduleProto);
  if (options.bufferAssignment) *proto.mutable_hlo()->mutable_buffer_assignment() = *options.bufferAssignment;
  if (snapshot.arguments.size() > 1) {
    return fail("not-writable",
                fmt::format("an HloSnapshot has arguments for one partition, these are for {}; an "
                            "HloUnoptimizedSnapshot can hold them",
                            snapshot.arguments.size()));
  }
  if (!snapshot.arguments.empty()) writeArguments(snapshot.arguments[0], *proto.mutable_arguments());
  if (snapshot.result) writeLiteral(*snapshot.result, *proto.mutable_result());
  proto.set_execution_platform(snapshot.executionPlatform);
  return encode(proto, moduleProto, options.encoding);
}

Result<std::string> writeUnoptimized(const Module& module, const ProtoWriteOptions& options,
                                     const Snapshot& snapshot) {
  pb::HloUnoptimizedSnapshot proto;
  auto& moduleProto = *proto.mutable_hlo_module();
  writeModule(module, moduleProto);
  if (options.kind == FileKind::DelimitedUnoptimizedSnapshot) {
    if (options.encoding == Encoding::Text)
      return fail("not-writable", "the length-prefixed form has no text form");
    return writeDelimitedSnapshot(std::move(proto), snapshot.arguments);
  }
  for (const auto& arguments : snapshot.arguments) {
    writeArguments(arguments, *proto.add_partitions()->mutable_arguments());
  }
  return encode(proto, moduleProto, options.encoding);
}

}  // namespace

Result<ProtoFile> readProtoFile(std::string_view bytes, FileFormat format, const std::string& file) {
  return FileReader(file).read(bytes, format);
}

Result<std::string> writeProtoFile(const Module& module, const ProtoWriteOptions& options) {
  const Snapshot none;
  const Snapshot& snapshot = options.snapshot ? *options.snapshot : none;
  switch (options.kind) {
    case FileKind::HloModule: {
      pb::HloModuleProto proto;
      writeModule(module, proto);
      return encode(proto, proto, options.encoding);
    }
    case FileKind::HloProto: {
      pb::HloProto proto;
      writeModule(module, *proto.mutable_hlo_module());
      if (options.bufferAssignment) *proto.mutable_buffer_assignment() = *options.bufferAssignment;
      return encode(proto, *proto.mutable_hlo_module(), options.encoding);
    }
    case FileKind::HloSnapshot:
      return writeSnapshot(module, options, snapshot);
    case FileKind::HloUnoptimizedSnapshot:
    case FileKind::DelimitedUnoptimizedSnapshot:
      return writeUnoptimized(module, options, snapshot);
    default:
      return fail("not-writable",
                  fmt::format("a module cannot be written as {}", fileKindName(options.kind)));
  }
}

}  // namespace hilo
