#include "core/runtime/libraries/files/loaded_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/runtime/libraries/files/library_files.h"

namespace hilo {

LibrarySearch librarySearchHere() { return {.folders = libraryFoldersHere()}; }

Result<LoadedLibrary> LoadedLibrary::open(const char* id, const char* name, const char* install,
                                          const LibrarySearch& search) {
  std::string why;
  for (const std::string& file : libraryFiles(id)) {
    std::vector<std::string> paths;
    for (const std::string& folder : search.folders) paths.push_back(folder + "/" + file);
    if (search.asksSystem) paths.push_back(file);
    for (const std::string& path : paths) {
      auto opened = openFile(path, name, install);
      if (opened) return opened;
      if (why.empty()) why = std::move(opened.error().message);
    }
  }
  return fail("missing-library", fmt::format("{} is not on this machine: {}", name, why), {},
              {fmt::format("{} brings it", install),
               "the flag no-libraries of the engine compiles for kernels of Hilo's own"});
}

Result<LoadedLibrary> LoadedLibrary::openFile(const std::string& path, const char* name,
                                              const char* install) {
  LoadedLibrary library;
  library.name_ = name;
  library.install_ = install;
  library.path_ = path;
  library.handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library.handle_ != nullptr) return library;
  const char* problem = dlerror();
  return fail("missing-library", problem == nullptr ? fmt::format("{} does not load", path) : problem);
}

void* LoadedLibrary::symbol(const char* name) const { return dlsym(handle_, name); }

Status LoadedLibrary::lacks(const char* symbol) const {
  return fail("old-library", fmt::format("{} ({}) has no {}", name_, path_, symbol), {},
              {fmt::format("a newer one has: {}", install_)});
}

Status LoadedLibrary::failure(const char* symbol, int result) const {
  return fail("library-failed", fmt::format("{} of {} gave error {}", symbol, name_, result));
}

}  // namespace hilo
