#include "core/runtime/libraries/files/library_files.h"

#include <fmt/format.h>

#include <cstdlib>

namespace hilo {
namespace {

struct FileRow {
  std::string_view id, file;
};
constexpr FileRow kFiles[] = {
#define LIBRARY(id, file, function, form) {#id, file},
#include "core/runtime/libraries/files/libraries.def"
};

}  // namespace

std::vector<std::string> libraryFoldersHere() {
  std::vector<std::string> folders;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* root = std::getenv(name);
    if (root != nullptr && *root != '\0') folders.push_back(fmt::format("{}/lib64", root));
  }
  for (const char* root : {"/usr/local/cuda", "/opt/cuda", "/usr/lib/nvidia-cuda-toolkit"})
    folders.push_back(fmt::format("{}/lib64", root));
  return folders;
}

std::vector<std::string> libraryFiles(std::string_view id) {
  std::vector<std::string> files;
  for (const FileRow& row : kFiles) {
    if (row.id == id) files.emplace_back(row.file);
  }
  return files;
}

}  // namespace hilo
