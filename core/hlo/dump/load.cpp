#include "core/hlo/dump/load.h"

#include "core/hlo/dump/file_bytes.h"
#include "core/hlo/dump/framed_dump.h"
#include "core/hlo/proto/schema/dump.pb.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

// Text that could be anything is taken for HLO when its name says so: the parser then tells what
// is wrong where.
bool isNamedLikeHlo(std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return name.ends_with(".hlo") || name.ends_with(".txt");
}

void addModule(ParseResult parsed, LoadedFile& file) {
  file.diagnostics.insert(file.diagnostics.end(), parsed.diagnostics.begin(), parsed.diagnostics.end());
  if (parsed.module == nullptr) return;
  if (file.module == nullptr) {
    file.module = std::move(parsed.module);
  } else {
    file.otherModules.push_back(std::move(parsed.module));
  }
}

Status needsModule(const LoadedFile& file) {
  if (file.module != nullptr) return {};
  const auto error = std::ranges::find(file.diagnostics, Severity::kError, &Diagnostic::severity);
  if (error != file.diagnostics.end()) return std::unexpected(*error);
  return fail("no-module", "the text holds no module", {.file = file.path});
}

std::unexpected<Diagnostic> tooManyModules(const LoadedFile& file) {
  return fail("too-many-modules", fmt::format("the file holds more than {} modules", kMaxModulesInFile),
              {.file = file.path});
}

Status readText(std::string text, const LoadOptions& options, LoadedFile& file) {
  const auto source = std::make_shared<const std::string>(std::move(text));
  const auto pieces = splitModules(*source);
  if (pieces.size() > kMaxModulesInFile) return tooManyModules(file);
  for (const ModuleText& piece : pieces) {
    const ParseOptions parseOptions{
        .fileName = file.path, .firstLine = piece.firstLine, .inferShape = options.inferShape};
    addModule(pieces.size() == 1 ? parseModule(source, parseOptions)
                                 : parseModule(std::string(piece.text), parseOptions),
              file);
  }
  return needsModule(file);
}

Status readFramed(std::string_view text, const LoadOptions& options, LoadedFile& file) {
  const auto frames = splitFramedDump(text, kMaxModulesInFile + 1);
  if (frames.size() > kMaxModulesInFile) return tooManyModules(file);
  for (const FramedFile& frame : frames) {
    if (detectKind(frame.text).kind != FileKind::HloText) continue;
    addModule(parseModule(std::string(frame.text), ParseOptions{.fileName = file.path,
                                                                .firstLine = frame.firstLine,
                                                                .inferShape = options.inferShape}),
              file);
  }
  return needsModule(file);
}

Status readProto(const std::string& bytes, LoadedFile& file) {
  TRY(ProtoFile proto, readProtoFile(bytes, file.format, file.path));
  file.module = std::move(proto.module);
  file.snapshot = std::move(proto.snapshot);
  file.message = std::move(proto.message);
  file.diagnostics = std::move(proto.diagnostics);
  file.bufferAssignmentProto = std::move(proto.bufferAssignment);
  if (file.bufferAssignmentProto == nullptr && file.format.kind == FileKind::BufferAssignment) {
    file.bufferAssignmentProto = std::static_pointer_cast<const pb::BufferAssignmentProto>(file.message);
  }
  if (file.bufferAssignmentProto) {
    TRY(file.bufferAssignment, readBufferAssignment(*file.bufferAssignmentProto, file.module.get()));
  }
  return {};
}

std::vector<std::string> remedyFor(FileKind kind) {
  switch (kind) {
    case FileKind::Riegeli:
      return {"write the dump with --xla_dump_hlo_as_proto in place of --xla_dump_hlo_as_riegeli"};
    case FileKind::Mlir:
    case FileKind::MlirBytecode:
      return {"an MLIR module becomes HLO with xla-translate or hlo-translate, or through a plug-in"};
    default:
      return {};
  }
}

Status readBytes(std::string bytes, const LoadOptions& options, LoadedFile& file) {
  file.format = detectKind(bytes);
  if (file.format.kind == FileKind::UnknownText && isNamedLikeHlo(file.path))
    file.format.kind = FileKind::HloText;
  const FileKind kind = file.format.kind;
  if (kind == FileKind::HloText) return readText(std::move(bytes), options, file);
  if (kind == FileKind::StdoutDump) return readFramed(bytes, options, file);
  if (kind == FileKind::BufferAssignmentText) {
    TRY(file.bufferAssignment, parseBufferAssignment(bytes, file.path));
    return {};
  }
  if (kind == FileKind::DelimitedUnoptimizedSnapshot || prototypeOf(kind) != nullptr)
    return readProto(bytes, file);
  return fail("unknown-file-kind",
              fmt::format("this is not a file with HLO in it, but looks like: {}", fileKindName(kind)),
              {.file = file.path}, remedyFor(kind));
}

Result<LoadedFile> load(FileBytes bytes, const std::string& name, const LoadOptions& options) {
  LoadedFile file;
  file.path = name;
  file.gzip = bytes.gzip;
  file.sizeOnDisk = bytes.sizeOnDisk;
  const Status read = readBytes(std::move(bytes.bytes), options, file);
  if (read) return file;
  Diagnostic error = read.error();
  if (error.place.file.empty()) error.place.file = name;
  return std::unexpected(std::move(error));
}

}  // namespace

std::string LoadedFile::describe() const {
  std::string text(fileKindName(format.kind));
  if (prototypeOf(format.kind) != nullptr)
    text += format.encoding == Encoding::Binary ? ", binary" : ", text";
  return gzip ? text + ", gzip" : text;
}

Result<LoadedFile> loadFile(const std::string& path, const LoadOptions& options) {
  TRY(FileBytes bytes, readFileBytes(path));
  return load(std::move(bytes), path, options);
}

Result<LoadedFile> loadBytes(std::string bytes, const std::string& name, const LoadOptions& options) {
  TRY(FileBytes inflated, inflateIfGzip(std::move(bytes), name));
  return load(std::move(inflated), name, options);
}

Result<TextNode> loadTextTree(const std::string& path) {
  TRY(const FileBytes file, readFileBytes(path));
  return parseTextTree(file.bytes, path);
}

Result<LoadedFile> loadModule(const std::string& path, const LoadOptions& options) {
  TRY(LoadedFile file, loadFile(path, options));
  if (file.module != nullptr) return file;
  return fail("no-module", fmt::format("a {} holds no module", file.describe()), {.file = path});
}

}  // namespace hilo
