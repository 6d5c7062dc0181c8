#include "core/workspace/open/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "core/base/files.h"
#include "core/hlo/proto/gzip.h"
#include "core/hlo/text/print.h"
#include "core/plugin_host/plugin_format.h"
#include "core/workspace/open/file_origin.h"

namespace hilo {

namespace {

bool isPipeOrDevice(const std::string& path) {
  std::error_code ignored;
  const auto there = std::filesystem::status(path, ignored);
  return std::filesystem::is_character_file(there) || std::filesystem::is_fifo(there);
}

}  // namespace

const std::vector<OutputKindInfo>& outputKinds() {
  static const auto& kinds = *new std::vector<OutputKindInfo>{
      {OutputKind::Text, "text", ".hlo", "HLO text of the input, byte for byte for a dump that XLA printed"},
      {OutputKind::LongText, "long", "", "HLO text with everything printed: operand shapes, all constants"},
      {OutputKind::ShortText, "short", "", "HLO text without metadata, signatures and percent signs"},
      {OutputKind::CanonicalText, "canonical", "",
       "HLO text that is equal for modules that differ in names alone"},
      {OutputKind::Module, "pb", ".pb", "HloModuleProto, binary"},
      {OutputKind::ModuleText, "pbtxt", ".pbtxt", "HloModuleProto, text"},
      {OutputKind::HloProto, "hlo-proto", ".hlo.pb",
       "HloProto, binary, with the buffer assignment it was read with"},
      {OutputKind::HloProtoText, "hlo-proto-text", ".hlo.pbtxt", "HloProto, text"},
      {OutputKind::Snapshot, "snapshot", ".snapshot.pb",
       "HloSnapshot, binary, with the arguments of --args, else those and the result it was read with"},
      {OutputKind::SnapshotText, "snapshot-text", ".snapshot.pbtxt", "HloSnapshot, text"},
      {OutputKind::UnoptimizedSnapshot, "unoptimized-snapshot", ".unoptimized_snapshot.pb",
       "HloUnoptimizedSnapshot, binary, with the arguments of every partition, without a result"},
      {OutputKind::DelimitedUnoptimizedSnapshot, "delimited-snapshot", ".delimited_snapshot.pb",
       "the same with lengths in front, for arguments over 2 GiB"},
      {OutputKind::StableHlo, "stablehlo", ".mlir", "StableHLO text, of modules that hold nothing compiled"},
  };
  return kinds;
}

Result<OutputKind> outputKindFromName(std::string_view name) {
  std::vector<std::string_view> names;
  for (const OutputKindInfo& info : outputKinds()) {
    if (info.name == name) return info.kind;
    names.push_back(info.name);
  }
  return fail("unknown-output-kind", fmt::format("no output kind '{}'", name), {},
              {fmt::format("there are {}", fmt::join(names, ", "))});
}

Result<OutputKind> outputKindFromPath(const std::string& file) {
  if (file == "-" || isPipeOrDevice(file)) return OutputKind::Text;
  std::string_view path = file;
  if (path.ends_with(".gz")) path.remove_suffix(3);
  if (path.ends_with(".txt")) return OutputKind::Text;
  const OutputKindInfo* best = nullptr;
  std::vector<std::string_view> endings;
  for (const OutputKindInfo& info : outputKinds()) {
    if (info.extension.empty()) continue;
    endings.push_back(info.extension);
    const bool longer = best == nullptr || info.extension.size() > best->extension.size();
    if (path.ends_with(info.extension) && longer) best = &info;
  }
  if (best != nullptr) return best->kind;
  return fail("unknown-output-kind", fmt::format("cannot tell from the name of {} what to write", path), {},
              {fmt::format("say it with --to, or end the name in .txt, {}", fmt::join(endings, ", "))});
}

Result<OutputKind> outputKindFor(std::string_view name, const std::string& path) {
  return name.empty() ? outputKindFromPath(path) : outputKindFromName(name);
}

bool holdsArguments(OutputKind kind) {
  return kind == OutputKind::Snapshot || kind == OutputKind::SnapshotText ||
         kind == OutputKind::UnoptimizedSnapshot || kind == OutputKind::DelimitedUnoptimizedSnapshot;
}

namespace {

bool isTextKind(OutputKind kind) { return kind <= OutputKind::CanonicalText; }

PrintOptions printOptions(const Module& module, const ConvertOptions& options) {
  PrintOptions print;
  switch (options.kind) {
    case OutputKind::Text:
      print = PrintOptions::asRead(module);
      break;
    case OutputKind::LongText:
      print = PrintOptions::longText();
      print.operandShapes = true;
      print.largeConstants = true;
      break;
    case OutputKind::ShortText:
      print = PrintOptions::shortText();
      break;
    default:
      print = PrintOptions::canonical();
      break;
  }
  print.metadata = options.metadata.value_or(print.metadata);
  print.operandShapes = options.operandShapes.value_or(print.operandShapes);
  print.ids = options.ids.value_or(print.ids);
  print.largeConstants = options.largeConstants.value_or(print.largeConstants);
  print.percent = options.percent.value_or(print.percent);
  return print;
}

Result<std::string> writeStableHlo(const Module& module) {
  const HiloFormat* format = formatForPath(".mlir");
  if (format == nullptr)
    return fail("not-convertible", "StableHLO is written by the stablehlo plug-in, which is not here", {},
                {"builds with LLVM and MLIR have it; `hilo plugins` says where plug-ins are looked for"});
  TRY(const std::string proto, writeProto(module, nullptr, OutputKind::Module));
  return exportWith(*format, proto);
}

Result<std::string> convertTo(const Module& module, const OpenedFile* file, const ConvertOptions& options) {
  if (isTextKind(options.kind)) return printModule(module, printOptions(module, options));
  if (options.kind == OutputKind::StableHlo) return writeStableHlo(module);
  return writeProto(module, file, options.kind);
}

std::string compressed(std::string bytes, const ConvertOptions& options) {
  return options.gzip ? deflateGzip(bytes) : std::move(bytes);
}

}  // namespace

Result<std::string> convertModule(const OpenedFile& file, const ConvertOptions& options) {
  if (!file.others.empty() && !isTextKind(options.kind)) {
    return fail("not-convertible",
                fmt::format("{} holds {} modules, a {} holds one", file.path, file.others.size() + 1,
                            std::ranges::find(outputKinds(), options.kind, &OutputKindInfo::kind)->name),
                {}, {"text kinds hold them all"});
  }
  TRY(std::string bytes, convertTo(*file.module, &file, options));
  for (const auto& other : file.others) {
    TRY(const std::string more, convertTo(*other->module, other.get(), options));
    if (!bytes.ends_with('\n')) bytes += '\n';
    bytes += "// -----\n" + more;
  }
  return compressed(std::move(bytes), options);
}

Result<std::string> convertModule(const Module& module, const ConvertOptions& options) {
  TRY(std::string bytes, convertTo(module, nullptr, options));
  return compressed(std::move(bytes), options);
}

Status writeOutput(const std::string& path, std::string_view bytes) {
  if (path == "-") {
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() || std::fflush(stdout) != 0) {
      const int why = errno;
      std::clearerr(stdout);  // it is told here
      return fail("not-writable", fmt::format("standard output: {}", std::strerror(why)));
    }
    return {};
  }
  return writeBytes(path, bytes);
}

}  // namespace hilo
