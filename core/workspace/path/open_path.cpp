#include "core/workspace/path/open_path.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/runtime/program/program_file.h"
#include "core/workspace/document/document.h"
#include "core/workspace/open/compile_inputs.h"
#include "core/workspace/open/opened_dump.h"
#include "core/workspace/path/remote_path.h"

namespace hilo {
namespace {

using FilePtr = std::shared_ptr<const OpenedFile>;
using DumpPtr = std::shared_ptr<const OpenedDump>;

Result<OpenedItem> itemOfDocument(const std::string& address, const CancelToken& cancel) {
  TRY(DocumentItem item, readDocumentItem(address, JobContext(cancel)));
  return std::move(item.opened);
}

// A module or a dump, or why there is none.
struct AsItem {
  Result<OpenedItem> operator()(const SavedProgramFile& program) const {
    return fail("unknown-file-kind",
                fmt::format("{} holds no module: it looks like a program that Hilo saved", program.path), {},
                {"hilo run and hilo thunks take it"});
  }
  Result<OpenedItem> operator()(const ThunksFile& thunks) const { return thunksAlone(thunks); }
  Result<OpenedItem> operator()(const DocumentFile& document) const {
    return itemOfDocument(document.path, cancel);
  }
  Result<OpenedItem> operator()(OpenedItem item) const { return item; }

  const CancelToken& cancel;
};

bool isDirectory(const std::string& path) {
  std::error_code error;
  return path != "-" && std::filesystem::is_directory(path, error);
}

}  // namespace

Result<PathContent> openPath(const std::string& path, const CancelToken& cancel) {
  return openPath(path, JobContext(cancel));
}

Result<PathContent> openPath(const std::string& path, const JobContext& context) {
  const CancelToken& cancel = context.cancel();
  if (isRemotePath(path)) {
    TRY(const std::string copy, copyFromRemote(path, context));
    return openPath(copy, context);
  }
  if (isCompileInputs(path)) return openCompileInputs(path, cancel);
  if (isDirectory(path)) return openDumpDirectory(path, cancel);
  if (isDocument(path)) {
    if (path.contains('#')) return itemOfDocument(path, cancel);
    return DocumentFile{path};
  }
  if (path != "-" && isProgramFile(path)) return SavedProgramFile{path};
  TRY(FileContent content, openRegularFile(path, cancel));
  return std::visit([](auto opened) { return PathContent(std::move(opened)); }, std::move(content));
}

Result<OpenedItem> itemOf(PathContent content, const CancelToken& cancel) {
  return std::visit(AsItem{cancel}, std::move(content));
}

Result<OpenedItem> openItem(const std::string& path, const CancelToken& cancel) {
  TRY(PathContent content, openPath(path, cancel));
  return itemOf(std::move(content), cancel);
}

Result<FilePtr> fileOf(PathContent content, const CancelToken& cancel) {
  TRY(const OpenedItem item, itemOf(std::move(content), cancel));
  if (const auto* file = std::get_if<FilePtr>(&item)) return *file;
  return isADump(std::get<DumpPtr>(item)->path);
}

Result<FilePtr> openFile(const std::string& path, const CancelToken& cancel) {
  // Not opened as a dump only to be refused.
  if (isDirectory(path) && !isCompileInputs(path))
    return fail("is-a-directory", fmt::format("{} is a directory", path), {},
                {fmt::format("hilo info {} lists what a dump holds", path)});
  TRY(PathContent content, openPath(path, cancel));
  return fileOf(std::move(content), cancel);
}

Result<DumpPtr> openDump(const std::string& path, const CancelToken& cancel) {
  TRY(const OpenedItem item, openItem(path, cancel));
  if (const auto* dump = std::get_if<DumpPtr>(&item)) return *dump;
  return fail("not-a-directory", fmt::format("{} holds a module, not a dump", path));
}

}  // namespace hilo
