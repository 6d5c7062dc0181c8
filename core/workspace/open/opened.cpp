#include "core/workspace/open/opened.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/hlo/proto/file_kind.h"
#include "core/hlo/proto/gzip.h"
#include "core/hlo/text/lexer.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/text/pasted.h"
#include "core/hlo/verify/infer_shape.h"
#include "core/plugin_host/plugin_format.h"
#include "core/plugin_host/plugin_table.h"
#include "core/workspace/open/file_origin.h"
#include "core/workspace/open/opened_dump.h"
#include "core/workspace/open/read_bytes.h"
#include "core/workspace/open/source_names.h"

namespace hilo {
namespace {

using OpenedFilePtr = std::shared_ptr<const OpenedFile>;

// The first error speaks for all; the others go with it as notes.
std::unexpected<Diagnostic> nothingRead(Diagnostics diagnostics, const std::string& name) {
  std::erase_if(diagnostics, [](const Diagnostic& d) { return d.severity != Severity::kError; });
  if (diagnostics.empty()) return fail("no-module", fmt::format("no HLO module in {}", name));
  Diagnostic first = std::move(diagnostics[0]);
  for (size_t n = 1; n < diagnostics.size(); ++n) first.notes.push_back(toString(diagnostics[n]));
  return std::unexpected(std::move(first));
}

Result<std::shared_ptr<OpenedFile>> openTextPiece(std::shared_ptr<const std::string> text, uint32_t firstLine,
                                                  const std::string& name) {
  ParseOptions options;
  options.fileName = name;
  options.firstLine = firstLine;
  options.inferShape = [](const Instruction& instruction) { return inferShape(instruction); };
  ParseResult parsed = parseModule(std::move(text), options);
  if (parsed.module == nullptr) return nothingRead(std::move(parsed.diagnostics), name);
  auto file = std::make_shared<OpenedFile>();
  file->path = name;
  file->kind = fileKindName(FileKind::HloText);
  file->isText = true;
  file->firstLine = firstLine;
  file->module = std::move(parsed.module);
  file->diagnostics = std::move(parsed.diagnostics);
  return file;
}

Result<std::shared_ptr<OpenedFile>> openText(std::string bytes, const std::string& name) {
  const auto text =
      std::make_shared<const std::string>(isWrapped(bytes) ? unwrapped(bytes) : std::move(bytes));
  const std::vector<ModuleText> pieces = splitModules(*text);
  if (pieces.empty()) return fail("no-module", fmt::format("no HLO module in {}", name));
  if (pieces.size() > kMaxModulesInFile) {
    return fail("too-many-modules",
                fmt::format("{} holds {} modules, more than {}", name, pieces.size(), kMaxModulesInFile));
  }
  if (pieces.size() == 1 && pieces[0].text.size() == text->size()) return openTextPiece(text, 1, name);
  std::shared_ptr<OpenedFile> first;
  for (const ModuleText& piece : pieces) {
    TRY(auto file, openTextPiece(std::make_shared<const std::string>(piece.text), piece.firstLine, name));
    if (first == nullptr) {
      first = std::move(file);
    } else {
      first->others.push_back(std::move(file));
    }
  }
  return first;
}

// Kinds that hold a module, by what is done with them: everything else is refused by name.
bool holdsModule(FileKind kind) {
  switch (kind) {
    case FileKind::HloModule:
    case FileKind::HloProto:
    case FileKind::HloSnapshot:
    case FileKind::HloUnoptimizedSnapshot:
    case FileKind::DelimitedUnoptimizedSnapshot:
    case FileKind::Schedule:
      return true;
    default:
      return isExecutable(kind);
  }
}

Result<std::shared_ptr<OpenedFile>> openProto(ProtoFile read, FileFormat format, const std::string& name) {
  if (read.module == nullptr) return nothingRead(std::move(read.diagnostics), name);
  auto file = std::make_shared<OpenedFile>();
  file->path = name;
  file->kind =
      fmt::format("{}, {}", fileKindName(format.kind), format.encoding == Encoding::Text ? "text" : "binary");
  file->module = std::move(read.module);
  file->diagnostics = std::move(read.diagnostics);
  file->hasBufferAssignment = read.bufferAssignment != nullptr;
  std::optional<std::string> executionPlatform;
  if (read.snapshot) {
    file->arguments = std::move(read.snapshot->arguments);
    file->result = std::move(read.snapshot->result);
    executionPlatform = std::move(read.snapshot->executionPlatform);
  }
  file->origin = std::make_shared<FileOrigin>(std::move(executionPlatform), std::move(read.bufferAssignment),
                                              std::move(read.message));
  return file;
}

// Content the core has no reader for: a plug-in's, or refused by name.
bool isForPlugins(FileKind kind) {
  return kind == FileKind::Mlir || kind == FileKind::MlirBytecode || kind == FileKind::Unknown ||
         kind == FileKind::UnknownText || kind == FileKind::OtherTextProto;
}

std::unexpected<Diagnostic> noPlugin(FileKind kind, const std::string& name) {
  std::vector<std::string> notes;
  for (const PluginLibrary& library : pluginLibraries()) {
    if (library.refused) notes.push_back(toString(*library.refused));
  }
  if (kind == FileKind::Mlir || kind == FileKind::MlirBytecode)
    notes.push_back(
        "the stablehlo plug-in reads it, which builds with LLVM and MLIR have; `hilo plugins` says where "
        "plug-ins "
        "are looked for");
  if (kind == FileKind::Mlir || kind == FileKind::MlirBytecode)
    return fail("unknown-file-kind",
                fmt::format("{} is {}, which no plug-in here reads", name, fileKindName(kind)), {},
                std::move(notes));
  return fail("unknown-file-kind",
              fmt::format("{} is not an HLO or StableHLO file: it looks like {}", name, fileKindName(kind)),
              {}, std::move(notes));
}

Result<std::shared_ptr<OpenedFile>> openImported(const ImportedModule& imported, const std::string& name) {
  const FileFormat format{FileKind::HloModule, Encoding::Binary};
  TRY(ProtoFile read, readProtoFile(imported.hloModuleProto, format, name));
  TRY(auto file, openProto(std::move(read), format, name));
  file->kind = imported.format;
  file->firstLine = imported.firstLine;
  auto names = std::make_shared<SourceNames>();
  for (const ImportedName& each : imported.names)
    names->byInstruction.try_emplace(each.instruction, each.name, each.line, each.column);
  if (!imported.names.empty()) file->sourceNames = std::move(names);
  return file;
}

Result<std::shared_ptr<OpenedFile>> openWithPlugin(std::string_view bytes, FileKind kind,
                                                   const std::string& name, const CancelToken& cancel) {
  const HiloFormat* format = formatOf(bytes);
  if (format == nullptr) return noPlugin(kind, name);
  TRY(PluginImport import, importWith(*format, bytes, name, {}, cancel));
  TRY(auto first, openImported(import.modules[0], name));
  first->diagnostics.insert(first->diagnostics.begin(), import.warnings.begin(), import.warnings.end());
  for (size_t n = 1; n < import.modules.size(); ++n) {
    TRY(auto other, openImported(import.modules[n], name));
    first->others.push_back(std::move(other));
  }
  return first;
}

// A module's file that is still being filled in, or something else.
using Content = std::variant<std::shared_ptr<OpenedFile>, std::shared_ptr<const OpenedDump>, ThunksFile>;

Result<Content> openInflated(std::string bytes, const std::string& name, const CancelToken& cancel) {
  const FileFormat format = detectKind(bytes);
  if (format.kind == FileKind::HloText) return openText(std::move(bytes), name);
  if (format.kind == FileKind::StdoutDump) return openFramedDump(std::move(bytes), name);
  if (isForPlugins(format.kind)) return openWithPlugin(bytes, format.kind, name, cancel);
  if (isThunkSequence(format.kind)) return ThunksFile{name, std::string(fileKindName(format.kind))};
  if (!holdsModule(format.kind)) {
    return fail("unknown-file-kind", fmt::format("{} is not an HLO or StableHLO file: it looks like {}", name,
                                                 fileKindName(format.kind)));
  }
  TRY(ProtoFile read, readProtoFile(bytes, format, name));
  if (read.module == nullptr && isExecutable(format.kind))
    return ThunksFile{name, std::string(fileKindName(format.kind))};
  return openProto(std::move(read), format, name);
}

}  // namespace

Result<FileContent> openContent(std::string bytes, const std::string& name, const CancelToken& cancel) {
  const size_t sizeBytes = bytes.size();
  const bool gzipped = isGzip(bytes);
  if (gzipped) {
    TRY(bytes, inflateGzip(bytes));
  }
  TRY(Content content, openInflated(std::move(bytes), name, cancel));
  if (auto* thunks = std::get_if<ThunksFile>(&content)) return *std::move(thunks);
  if (auto* dump = std::get_if<std::shared_ptr<const OpenedDump>>(&content))
    return OpenedItem(*std::move(dump));
  auto& file = std::get<std::shared_ptr<OpenedFile>>(content);
  file->gzipped = gzipped;
  file->sizeBytes = sizeBytes;
  return OpenedItem(std::move(file));
}

Result<FileContent> openRegularFile(const std::string& path, const CancelToken& cancel) {
  TRY(std::string bytes, readBytes(path, cancel));
  return openContent(std::move(bytes), path == "-" ? "<stdin>" : path, cancel);
}

std::unexpected<Diagnostic> thunksAlone(const ThunksFile& thunks) {
  return fail(
      "thunks-alone", fmt::format("{} holds no module: it looks like {}", thunks.path, thunks.kind), {},
      {"hilo thunks and the studio show it by itself, those of a dump directory with the module beside it"});
}

std::unexpected<Diagnostic> isADump(const std::string& path) {
  return fail("is-a-dump", fmt::format("{} holds a dump, not one module", path), {},
              {fmt::format("hilo info {} lists the modules and their stages", path)});
}

Result<OpenedFilePtr> openBytes(std::string bytes, const std::string& name, const CancelToken& cancel) {
  TRY(const FileContent content, openContent(std::move(bytes), name, cancel));
  if (const auto* thunks = std::get_if<ThunksFile>(&content)) return thunksAlone(*thunks);
  if (const auto* file = std::get_if<OpenedFilePtr>(&std::get<OpenedItem>(content))) return *file;
  return isADump(name);
}

Place placeOf(const OpenedFile& file, const Instruction& instruction) {
  Place place;
  place.file = file.path;
  place.computation = instruction.parent().name();
  place.instruction = instruction.name();
  if (const SourceName* name = sourceNameOf(file, instruction.name())) {
    place.line = name->line;
    place.column = name->column;
    return place;
  }
  const auto& text = file.module->sourceText();
  if (text == nullptr || instruction.sourceOffset() >= text->size()) return place;
  const LineColumn at = lineColumnOf(*text, text->data() + instruction.sourceOffset());
  place.line = at.line + file.firstLine - 1;
  place.column = at.column;
  return place;
}

}  // namespace hilo
