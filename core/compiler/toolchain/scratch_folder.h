// A folder for the files of one program that is run, gone with the object.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "core/base/result.h"

namespace hilo {

class ScratchFolder {
 public:
  static Result<ScratchFolder> make() {
    std::error_code error;
    std::string path = (std::filesystem::temp_directory_path(error) / "hilo-ptx-XXXXXX").string();
    if (error || mkdtemp(path.data()) == nullptr)
      return fail("not-writable", fmt::format("no folder can be made at {}", path));
    return ScratchFolder(std::move(path));
  }
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace hilo
