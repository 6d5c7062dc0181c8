#include "core/hlo/dump/dump_directory.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace hilo {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxDepth = 8;

// Where a stage stands in a compilation: before everything, among the steps, after them.
int stageRank(const DumpName& name) {
  if (name.step >= 0) return 1;
  if (name.stage.starts_with("before_optimization")) return 0;
  if (name.stage == "after_spmd_partitioner") return 2;
  if (name.stage == "before_config_assignment") return 3;
  return 4;
}

int formRank(std::string_view fileName) {
  return fileName.ends_with(".txt") || fileName.ends_with(".hlo") ? 0 : 1;
}

// Subfolder and time stamp, which together stand for one process's dump.
std::string processOf(const fs::path& folder, const DumpName& name) {
  std::string process = folder == "." ? "" : folder.string();
  if (!name.timestamp.empty()) process += (process.empty() ? "" : " ") + name.timestamp;
  return process;
}

using ModuleKey = std::tuple<std::string, int64_t, std::string>;

bool mayBelongToModule(const DumpName& name) { return name.number >= 0 || !name.moduleName.empty(); }

class Arranger {
 public:
  explicit Arranger(DumpDirectory& dump) : dump_(dump) {}

  void arrange(std::vector<DumpFile> files) {
    std::ranges::sort(files, {}, &DumpFile::path);
    for (DumpFile& file : files) learnName(file);
    for (DumpFile& file : files) place(std::move(file));
    for (auto& [key, module] : modules_) dump_.modules.push_back(std::move(module));
  }

 private:
  std::string process(const DumpFile& file, const DumpName& name) const {
    return processOf(fs::path(file.path).lexically_relative(dump_.path).parent_path().lexically_normal(),
                     name);
  }

  // Names that show where the module's name ends teach those that do not.
  void learnName(const DumpFile& file) {
    const DumpName name = parseDumpName(file.name);
    const bool showsName = name.part == DumpPart::Module && name.number >= 0 && !name.moduleName.empty();
    if (showsName) names_.try_emplace({process(file, name), name.number}, name.moduleName);
  }

  void place(DumpFile file) {
    file.meaning = parseDumpName(file.name);
    const std::string where = process(file, file.meaning);
    if (const auto known = names_.find({where, file.meaning.number}); known != names_.end()) {
      file.meaning = parseDumpName(file.name, known->second);
      // Numbers are a process's own: the file is the module's, whatever its name.
      if (file.meaning.moduleName.empty()) file.meaning.moduleName = known->second;
    }
    if (!mayBelongToModule(file.meaning)) {
      dump_.others.push_back(std::move(file));
      return;
    }
    DumpModule& module = modules_[{where, file.meaning.number, file.meaning.moduleName}];
    module.process = where;
    module.number = file.meaning.number;
    module.name = file.meaning.moduleName;
    module.files.push_back(std::move(file));
  }

  DumpDirectory& dump_;
  std::map<std::pair<std::string, int64_t>, std::string> names_;
  std::map<ModuleKey, DumpModule> modules_;
};

// A schedule or snapshot is named for its module without the number; it joins the one module of that name.
void joinUnnumbered(DumpDirectory& dump) {
  // The numbered module of each process and name; null where there are several.
  std::map<std::pair<std::string_view, std::string_view>, DumpModule*> namesakes;
  for (DumpModule& module : dump.modules) {
    if (module.number < 0) continue;
    const auto [entry, isNew] = namesakes.try_emplace({module.process, module.name}, &module);
    if (!isNew) entry->second = nullptr;
  }
  for (DumpModule& module : dump.modules) {
    if (module.number >= 0) continue;
    const auto namesake = namesakes.find({module.process, module.name});
    if (namesake == namesakes.end() || namesake->second == nullptr) continue;
    std::ranges::move(module.files, std::back_inserter(namesake->second->files));
    module.files.clear();
  }
  std::erase_if(dump.modules, [](const DumpModule& module) { return module.files.empty(); });
}

void listFolder(const fs::path& folder, int depth, DumpDirectory& dump, std::vector<DumpFile>& files,
                const CancelToken& cancel) {
  std::error_code error;
  fs::directory_iterator entries(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    if (cancel.cancelled()) return;
    std::error_code ignored;
    if (entries->is_directory(ignored) && !entries->is_symlink(ignored)) {
      if (depth < kMaxDepth) listFolder(entries->path(), depth + 1, dump, files, cancel);
      continue;
    }
    if (!entries->is_regular_file(ignored)) continue;
    if (files.size() >= kMaxDumpFiles) {
      if (dump.diagnostics.empty() || dump.diagnostics.back().kind != "dump-truncated")
        dump.diagnostics.push_back(dumpTruncated(dump.path));
      return;
    }
    const uint64_t size = entries->file_size(ignored);
    files.push_back({entries->path().string(), entries->path().filename().string(), ignored ? 0 : size, {}});
  }
  if (error) {
    dump.diagnostics.push_back({Severity::kWarning,
                                "not-readable",
                                "the folder cannot be listed: " + error.message(),
                                {.file = folder.string()},
                                {}});
  }
}

}  // namespace

std::vector<size_t> DumpModule::stages() const {
  std::vector<size_t> order = parts(DumpPart::Module);
  const auto key = [&](size_t i) {
    const DumpName& name = files[i].meaning;
    return std::tuple(stageRank(name), name.step, name.stage, formRank(files[i].name));
  };
  std::ranges::sort(order, {}, key);
  const auto sameStage = std::ranges::unique(order, {}, [&](size_t i) { return files[i].meaning.stage; });
  order.erase(sameStage.begin(), sameStage.end());
  return order;
}

std::vector<size_t> DumpModule::parts(DumpPart part) const {
  std::vector<size_t> found;
  for (size_t i = 0; i < files.size(); ++i) {
    if (files[i].meaning.part == part) found.push_back(i);
  }
  return found;
}

const DumpFile* DumpModule::find(DumpPart part) const {
  const auto found = std::ranges::find(files, part, [](const DumpFile& file) { return file.meaning.part; });
  return found == files.end() ? nullptr : &*found;
}

bool DumpModule::isGpu() const {
  return std::ranges::any_of(files, [](const DumpFile& file) {
    const DumpPart part = file.meaning.part;
    return file.meaning.stage.find("gpu_after_optimizations") != std::string::npos ||
           part == DumpPart::ThunkSequence || part == DumpPart::TargetConfig || part == DumpPart::Ptx;
  });
}

Diagnostic dumpTruncated(const std::string& path) {
  return {Severity::kWarning,
          "dump-truncated",
          fmt::format("only the first {} files are listed", kMaxDumpFiles),
          {.file = path},
          {}};
}

DumpDirectory arrangeDumpFiles(std::string path, std::vector<DumpFile> files) {
  DumpDirectory dump;
  dump.path = std::move(path);
  Arranger(dump).arrange(std::move(files));
  joinUnnumbered(dump);
  return dump;
}

Result<DumpDirectory> scanDumpDirectory(const std::string& path, const CancelToken& cancel) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status)) return fail("file-not-found", "there is no such folder", {.file = path});
  if (!fs::is_directory(status)) return fail("not-a-directory", "this is not a folder", {.file = path});
  DumpDirectory listed;
  listed.path = path;
  std::vector<DumpFile> files;
  listFolder(path, 0, listed, files, cancel);
  if (cancel.cancelled()) return fail("cancelled", "scanning was cancelled", {.file = path});
  if (files.empty() && !listed.diagnostics.empty()) return std::unexpected(listed.diagnostics.front());
  DumpDirectory dump = arrangeDumpFiles(path, std::move(files));
  dump.diagnostics = std::move(listed.diagnostics);
  return dump;
}

}  // namespace hilo
