#include "core/compiler/toolchain/toolchain.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>

#include "core/base/check.h"
#include "core/compiler/toolchain/process.h"
#include "core/runtime/libraries/files/library_files.h"

namespace hilo {
namespace {

enum class Form : uint8_t { Program, Library, File };
enum class VersionForm : uint8_t {
  MajorMinor,
  Thousands,
  Returns10000,
  Writes10000,
  Writes1000,
  ReturnsCuda
};

struct ToolRow {
  ToolId id;
  const char* name;
  Form form;
  const char *purpose, *install;
};
constexpr ToolRow kTools[] = {
#define TOOL(id, name, form, purpose, install) {ToolId::id, name, Form::form, purpose, install},
#include "core/compiler/toolchain/tools.def"
};

struct LibraryRow {
  ToolId id;
  const char *file, *versionFunction;
  VersionForm form;
};
constexpr LibraryRow kLibraries[] = {
#define LIBRARY(id, file, function, form) {ToolId::id, file, function, VersionForm::form},
#include "core/runtime/libraries/files/libraries.def"
};

void askProgram(Tool& tool) {
  const auto said = runProcess({tool.path, "--version"}, std::chrono::seconds(5));
  if (!said) {
    tool.problem = said.error().message;
  } else if (said->exitCode != 0) {
    tool.problem = fmt::format("{} --version ended with {}", tool.path, said->exitCode);
  } else {
    tool.version = releaseIn(said->text);
  }
}

void findProgram(Tool& tool, const ToolSearch& search) {
  for (const std::string& folder : search.programFolders) {
    const std::string path = folder + "/" + tool.name;
    if (access(path.c_str(), X_OK) != 0) continue;
    tool.path = path;
    return askProgram(tool);
  }
}

// What the function writes through its pointer; 0 where it fails.
int writtenBy(void* function) {
  int version = 0;
  return reinterpret_cast<int (*)(int*)>(function)(&version) == 0 ? version : 0;
}

std::string ownVersion(size_t version, size_t major) {
  if (version == 0) return "";
  return fmt::format("{}.{}.{}", version / major, version % major / 100, version % 100);
}

void askLibrary(Tool& tool, void* function, VersionForm form) {
  unsigned major = 0, minor = 0;
  switch (form) {
    case VersionForm::MajorMinor:
      if (reinterpret_cast<int (*)(unsigned*, unsigned*)>(function)(&major, &minor) == 0)
        tool.version = static_cast<int>(10 * major + minor);
      return;
    case VersionForm::Thousands:
      tool.version = writtenBy(function) / 1000 * 10 + writtenBy(function) % 1000 / 10;
      return;
    case VersionForm::Returns10000:
      tool.own = ownVersion(reinterpret_cast<size_t (*)()>(function)(), 10000);
      return;
    case VersionForm::Writes10000:
      tool.own = ownVersion(static_cast<size_t>(writtenBy(function)), 10000);
      return;
    case VersionForm::ReturnsCuda: {
      const auto cuda = static_cast<int>(reinterpret_cast<size_t (*)()>(function)());
      tool.version = cuda / 1000 * 10 + cuda % 1000 / 10;
      return;
    }
    case VersionForm::Writes1000:
      tool.own = ownVersion(static_cast<size_t>(writtenBy(function)), 1000);
      return;
  }
}

void findFile(Tool& tool, const ToolSearch& search) {
  for (const std::string& folder : search.libraryFolders) {
    const std::string path = folder + "/" + tool.name;
    if (access(path.c_str(), R_OK) != 0) continue;
    tool.path = path;
    return;
  }
}

// Where the loader found it.
std::string pathOf(void* function, const std::string& asked) {
  Dl_info info;
  return dladdr(function, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : asked;
}

bool openLibrary(Tool& tool, const std::string& path, const LibraryRow& row) {
  void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = dlerror();
    if (access(path.c_str(), F_OK) != 0) return false;
    tool.path = path;
    tool.problem = why == nullptr ? "it does not load" : why;
    return true;
  }
  void* function = dlsym(library, row.versionFunction);
  tool.path = function == nullptr ? path : pathOf(function, path);
  tool.problem.clear();
  if (function == nullptr)
    tool.problem = fmt::format("it has no function {}", row.versionFunction);
  else
    askLibrary(tool, function, row.form);
  return true;
}

void findLibrary(Tool& tool, const ToolSearch& search) {
  std::vector<std::string> folders;
  for (const std::string& folder : search.libraryFolders) folders.push_back(folder + "/");
  if (search.asksSystem) folders.emplace_back();
  for (const LibraryRow& row : kLibraries) {
    if (row.id != tool.id) continue;
    for (const std::string& folder : folders) {
      if (openLibrary(tool, folder + row.file, row) && tool.problem.empty()) return;
    }
  }
}

void addFolders(std::string_view list, std::vector<std::string>& folders) {
  while (!list.empty()) {
    const size_t end = std::min(list.find(':'), list.size());
    if (end > 0) folders.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

}  // namespace

int releaseIn(std::string_view text) {
  constexpr std::string_view kWord = "release ";
  const size_t at = text.find(kWord);
  if (at == std::string_view::npos) return 0;
  const char* end = text.data() + text.size();
  int major = 0, minor = 0;
  const auto first = std::from_chars(text.data() + at + kWord.size(), end, major);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return 0;
  const auto second = std::from_chars(first.ptr + 1, end, minor);
  if (second.ec != std::errc() || major < 0 || major > 999 || minor < 0 || minor > 9) return 0;
  return 10 * major + minor;
}

ToolSearch toolSearchHere() {
  ToolSearch search{.programFolders = {}, .libraryFolders = libraryFoldersHere()};
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* root = std::getenv(name);
    if (root == nullptr || *root == '\0') continue;
    search.programFolders.push_back(fmt::format("{}/bin", root));
  }
  if (const char* path = std::getenv("PATH"); path != nullptr) addFolders(path, search.programFolders);
  for (const char* root : {"/usr/local/cuda", "/opt/cuda", "/usr/lib/nvidia-cuda-toolkit"})
    search.programFolders.push_back(fmt::format("{}/bin", root));
  return search;
}

Tool findTool(ToolId id, const ToolSearch& search) {
  const ToolRow& row = kTools[static_cast<size_t>(id)];
  CHECK(row.id == id);
  Tool tool{.id = id,
            .name = row.name,
            .purpose = row.purpose,
            .install = row.install,
            .path = {},
            .own = {},
            .problem = {}};
  switch (row.form) {
    case Form::Program:
      findProgram(tool, search);
      break;
    case Form::Library:
      findLibrary(tool, search);
      break;
    case Form::File:
      findFile(tool, search);
      break;
  }
  return tool;
}

std::vector<Tool> findTools(const ToolSearch& search) {
  std::vector<Tool> tools;
  for (const ToolRow& row : kTools) tools.push_back(findTool(row.id, search));
  return tools;
}

std::string versionText(const Tool& tool) {
  if (!tool.own.empty()) return tool.own;
  if (tool.version == 0) return "unknown version";
  return fmt::format("{}.{}", tool.version / 10, tool.version % 10);
}

}  // namespace hilo
