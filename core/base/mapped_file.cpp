#include "core/base/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "core/base/check.h"

namespace hilo {
namespace {

std::unexpected<Diagnostic> notReadable(const std::string& name, const char* why) {
  return fail("not-readable", fmt::format("{}: {}", name, why));
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file) return open(std::move(file), path);
  if (errno == ENOENT) return fail("file-not-found", fmt::format("{}: {}", path, std::strerror(errno)));
  return notReadable(path, std::strerror(errno));
}

Result<std::shared_ptr<const MappedFile>> MappedFile::open(FileDescriptor file, const std::string& name) {
  struct stat about = {};
  if (!file || fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode))
    return notReadable(name, "it is no plain file");
  const auto size = static_cast<size_t>(about.st_size);
  std::span<const std::byte> bytes;
  if (size > 0) {
    void* place = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (place == MAP_FAILED) return notReadable(name, std::strerror(errno));
    bytes = {static_cast<const std::byte*>(place), size};
  }
  return std::shared_ptr<const MappedFile>(new MappedFile(std::move(file), name, bytes));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

Result<std::vector<std::byte>> MappedFile::read(size_t offset, size_t count) const {
  CHECK(offset <= bytes_.size() && count <= bytes_.size() - offset, name_);
  std::vector<std::byte> out(count);
  for (size_t at = 0; at < count;) {
    const ssize_t got = pread(file_.get(), out.data() + at, count - at, static_cast<off_t>(offset + at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return notReadable(name_, got == 0 ? "it became shorter" : std::strerror(errno));
    at += static_cast<size_t>(got);
  }
  return out;
}

}  // namespace hilo
