#include "core/runtime/libraries/loaded_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>

#include "core/base/check.h"
#include "core/runtime/libraries/files/library_files.h"

namespace hilo {

LibrarySearch librarySearchHere() { return {.folders = libraryFoldersHere()}; }

Result<LoadedLibrary> LoadedLibrary::open(const char* id, const char* name, const char* install,
                                          const LibrarySearch& search) {
  LoadedLibrary library;
  library.name_ = name;
  library.install_ = install;
  std::string why;
  for (const std::string& file : libraryFiles(id)) {
    std::vector<std::string> paths;
    for (const std::string& folder : search.folders) paths.push_back(folder + "/" + file);
    if (search.asksSystem) paths.push_back(file);
    for (const std::string& path : paths) {
      library.handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
      if (library.handle_ != nullptr) {
        library.path_ = path;
        return library;
      }
      const char* problem = dlerror();
      if (why.empty() && problem != nullptr) why = problem;
    }
  }
  return fail("missing-library", fmt::format("{} is not on this machine: {}", name, why), {},
              {fmt::format("{} brings it", install),
               "the flag no-libraries of the engine compiles for kernels of Hilo's own"});
}

void* LoadedLibrary::symbol(const char* name) const { return dlsym(handle_, name); }

Status LoadedLibrary::lacks(const char* symbol) const {
  return fail("old-library", fmt::format("{} ({}) has no {}", name_, path_, symbol), {},
              {fmt::format("a newer one has: {}", install_)});
}

Status LoadedLibrary::failure(const char* symbol, int result) const {
  return fail("library-failed", fmt::format("{} of {} gave error {}", symbol, name_, result));
}

Result<Workspace> Workspace::take(Stream& stream, int64_t bytes) {
  if (bytes <= 0) return Workspace(stream, DeviceAddress{});
  TRY(const DeviceAddress at, stream.allocate(bytes));
  return Workspace(stream, at);
}

Workspace::Workspace(Workspace&& other) noexcept
    : stream_(other.stream_), at_(std::exchange(other.at_, DeviceAddress{})) {}

// What a stream that broke does not take back is gone with it.
Workspace::~Workspace() {
  if (at_ != DeviceAddress{}) (void)stream_.free(at_);
}

LibraryScalar::LibraryScalar(ElementType type, double value) {
  if (type == ElementType::F64 || type == ElementType::C128) {
    std::memcpy(bytes_, &value, sizeof(value));
    return;
  }
  const auto narrow = static_cast<float>(value);
  std::memcpy(bytes_, &narrow, sizeof(narrow));
}

int dataTypeNumber(ElementType type) {
  switch (type) {
    case ElementType::F32:
      return 0;
    case ElementType::F64:
      return 1;
    case ElementType::F16:
      return 2;
    case ElementType::C64:
      return 4;
    case ElementType::C128:
      return 5;
    case ElementType::BF16:
      return 14;
    default:
      CHECK(false, elementTypeName(type));
      return 0;
  }
}

}  // namespace hilo
