#include "core/workspace/open/opened_dump.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <filesystem>

#include "core/hlo/dump/dump_directory.h"
#include "core/hlo/dump/framed_dump.h"
#include "core/hlo/proto/gzip.h"
#include "core/workspace/open/read_bytes.h"

namespace hilo {
namespace {

DumpFileInfo fileInfo(const DumpFile& file) {
  return {.path = file.path,
          .name = file.name,
          .kind = std::string(dumpPartName(file.meaning.part)),
          .sizeBytes = file.sizeBytes};
}

// A stage of a pipeline goes by the pass before it; the first of a pipeline by the pass to come, as
// nothing ran yet.
DumpStageInfo stageInfo(const DumpFile& file) {
  const DumpName& meaning = file.meaning;
  DumpStageInfo stage{.name = meaning.stage,
                      .pipeline = meaning.pipeline,
                      .pass = meaning.afterPass,
                      .order = static_cast<int>(meaning.step),
                      .path = file.path};
  if (meaning.step >= 0 && !meaning.afterPass.empty())
    stage.name = fmt::format("after_{}", meaning.afterPass);
  return stage;
}

DumpModuleInfo moduleInfo(const DumpModule& module) {
  DumpModuleInfo info{.name = module.name, .process = module.process, .moduleId = module.number};
  for (const size_t index : module.stages()) info.stages.push_back(stageInfo(module.files[index]));
  for (const DumpFile& file : module.files) info.files.push_back(fileInfo(file));
  for (const MissingPart& missing : missingParts(module)) {
    info.missing.push_back(missing.note.empty()
                               ? fmt::format("{}: {}", missing.part, missing.flag)
                               : fmt::format("{}: {} ({})", missing.part, missing.flag, missing.note));
  }
  return info;
}

Result<std::shared_ptr<const OpenedDump>> describe(const DumpDirectory& directory,
                                                   std::shared_ptr<const FramedText> framed) {
  auto dump = std::make_shared<OpenedDump>();
  dump->path = directory.path;
  dump->framed = std::move(framed);
  dump->diagnostics = directory.diagnostics;
  for (const DumpModule& module : directory.modules) dump->modules.push_back(moduleInfo(module));
  for (const DumpFile& file : directory.others) dump->otherFiles.push_back(fileInfo(file));
  if (!dump->modules.empty()) return dump;
  return fail("no-module", fmt::format("{} is no dump: no file in it has a module's name", directory.path));
}

}  // namespace

// A dump's files, where they are no files of their own, as parts of one text, by the path that
// its DumpFileInfo has.
struct FramedText {
  std::string text;
  absl::flat_hash_map<std::string, FramedFile> files;
};

Result<std::shared_ptr<const OpenedDump>> openDumpDirectory(const std::string& path,
                                                            const CancelToken& cancel) {
  TRY(const DumpDirectory directory, scanDumpDirectory(path, cancel));
  return describe(directory, nullptr);
}

Result<std::shared_ptr<const OpenedDump>> openFramedDump(std::string text, const std::string& path) {
  auto framed = std::make_shared<FramedText>();
  framed->text = std::move(text);
  std::vector<DumpFile> files;
  for (FramedFile& frame : splitFramedDump(framed->text, kMaxDumpFiles)) {
    // The line tells two files of one name apart, and a person where to look.
    files.push_back({.path = fmt::format("{}/{}:{}", path, frame.name, frame.firstLine),
                     .name = frame.name,
                     .sizeBytes = frame.text.size(),
                     .meaning = {}});
    framed->files.emplace(files.back().path, std::move(frame));
  }
  const bool truncated = files.size() == kMaxDumpFiles;
  DumpDirectory directory = arrangeDumpFiles(path, std::move(files));
  if (truncated) directory.diagnostics.push_back(dumpTruncated(path));
  return describe(directory, std::move(framed));
}

Result<std::shared_ptr<const OpenedDump>> openBundledDump(std::vector<BundledFile> bundled,
                                                          const std::string& path) {
  auto framed = std::make_shared<FramedText>();
  size_t total = 0;
  for (const BundledFile& file : bundled) total += file.bytes.size();
  framed->text.reserve(total);  // so that it stays where it is
  std::vector<DumpFile> files;
  for (BundledFile& file : bundled) {
    const size_t begin = framed->text.size();
    framed->text += file.bytes;
    file.bytes = {};
    const std::string_view text = std::string_view(framed->text).substr(begin);
    const std::string name = std::filesystem::path(file.name).filename().string();
    files.push_back({.path = fmt::format("{}/{}", path, file.name),
                     .name = name,
                     .sizeBytes = text.size(),
                     .meaning = {}});
    framed->files.emplace(files.back().path, FramedFile{name, text, 1});
  }
  return describe(arrangeDumpFiles(path, std::move(files)), std::move(framed));
}

Result<std::string> readDumpFile(const OpenedDump& dump, const std::string& path, const CancelToken& cancel) {
  std::string bytes;
  if (dump.framed == nullptr) {
    TRY(bytes, readBytes(path, cancel));
  } else {
    const auto found = dump.framed->files.find(path);
    if (found == dump.framed->files.end())
      return fail("file-not-found", fmt::format("{} is not a dump file of {}", path, dump.path));
    bytes = found->second.text;
  }
  if (!isGzip(bytes)) return bytes;
  return inflateGzip(bytes);
}

Result<std::shared_ptr<const OpenedFile>> loadStage(const OpenedDump& dump, size_t moduleIndex,
                                                    size_t stageIndex) {
  const std::string& path = dump.modules[moduleIndex].stages[stageIndex].path;
  if (dump.framed == nullptr) {
    TRY(std::string bytes, readBytes(path));
    return openBytes(std::move(bytes), path);
  }
  return openBytes(std::string(dump.framed->files.at(path).text), path);
}

}  // namespace hilo
