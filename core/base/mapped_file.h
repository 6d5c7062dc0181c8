// A file in memory without being read: its pages come when they are first touched. Read-only.
//
// Whoever cuts the file short meanwhile ends the process that touches what is gone, with a signal: what has
// to live on reads with read(), which tells.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/file_descriptor.h"
#include "core/base/result.h"

namespace hilo {

class MappedFile {
 public:
  // Kinds "file-not-found" and "not-readable".
  static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
  // `name` is for errors.
  static Result<std::shared_ptr<const MappedFile>> open(FileDescriptor file, const std::string& name);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  // From the beginning of a page on.
  std::span<const std::byte> bytes() const { return bytes_; }
  // A copy of `count` bytes, which are within bytes(). Kind "not-readable".
  Result<std::vector<std::byte>> read(size_t offset, size_t count) const;
  int fd() const { return file_.get(); }

 private:
  MappedFile(FileDescriptor file, std::string name, std::span<const std::byte> bytes)
      : file_(std::move(file)), name_(std::move(name)), bytes_(bytes) {}
  FileDescriptor file_;
  std::string name_;
  std::span<const std::byte> bytes_;
};

}  // namespace hilo
