#include "core/workspace/document/item_contents.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <filesystem>

#include "core/workspace/open/convert.h"
#include "core/workspace/open/file_origin.h"

namespace hilo {
namespace {

constexpr size_t kLargestFileBytes = size_t{512} << 20;
constexpr size_t kLargestDumpBytes = size_t{4} << 30;

OutputKind protoKindOf(const OpenedFile& file) {
  if (file.origin == nullptr) return OutputKind::Module;
  if (file.origin->executionPlatform)
    return file.arguments.size() > 1 ? OutputKind::UnoptimizedSnapshot : OutputKind::Snapshot;
  return file.origin->bufferAssignment != nullptr ? OutputKind::HloProto : OutputKind::Module;
}

// Within the dump, with its folder. What XLA printed has the line behind the name, which would hide the
// file's meaning; files of one name go into folders of their own.
std::string nameWithin(const OpenedDump& dump, const DumpFileInfo& file,
                       absl::flat_hash_set<std::string>& taken) {
  const std::string prefix = dump.path + "/";
  std::string name = file.path.starts_with(prefix) ? file.path.substr(prefix.size()) : file.name;
  if (name.starts_with(file.name + ":")) name = file.name;
  std::string unique = name;
  for (int n = 2; !taken.insert(unique).second; ++n) unique = fmt::format("{}/{}", n, name);
  return unique;
}

}  // namespace

Result<std::string> contentOfFile(const OpenedFile& file) {
  if (!file.others.empty()) return convertModule(file, {.kind = OutputKind::Text, .largeConstants = true});
  if (file.isText && file.module->sourceText() != nullptr) return *file.module->sourceText();
  return writeProto(*file.module, &file, protoKindOf(file));
}

Result<Diagnostics> forEachFileOf(const OpenedDump& dump, const JobContext& context,
                                  const std::function<Status(const BundledFile&)>& take) {
  std::vector<const DumpFileInfo*> files;
  for (const DumpModuleInfo& module : dump.modules) {
    for (const DumpFileInfo& file : module.files) files.push_back(&file);
  }
  for (const DumpFileInfo& file : dump.otherFiles) files.push_back(&file);
  Diagnostics leftOut;
  absl::flat_hash_set<std::string> names;
  size_t taken = 0;
  for (size_t n = 0; n < files.size(); ++n) {
    if (context.cancelled()) return cancelledError();
    context.progress(static_cast<double>(n) / static_cast<double>(files.size()), files[n]->name);
    if (files[n]->sizeBytes > kLargestFileBytes || taken + files[n]->sizeBytes > kLargestDumpBytes) {
      leftOut.push_back({.severity = Severity::kWarning,
                         .kind = "left-out",
                         .message = fmt::format("{} of {} bytes is too large for a document", files[n]->name,
                                                files[n]->sizeBytes),
                         .place = {.file = files[n]->path}});
      continue;
    }
    taken += files[n]->sizeBytes;
    TRY(std::string bytes, readDumpFile(dump, files[n]->path, context.cancel()));
    TRY_STATUS(take({nameWithin(dump, *files[n], names), std::move(bytes)}));
  }
  return leftOut;
}

}  // namespace hilo
