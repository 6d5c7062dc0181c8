#include "core/hlo/dump/file_bytes.h"

#include <cstdio>
#include <filesystem>
#include <memory>

#include "core/hlo/proto/gzip.h"

namespace hilo {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

Result<std::string> readAll(const std::string& path, uint64_t size, uint64_t maxBytes) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return fail("not-readable", "the file cannot be opened for reading", {.file = path});
  // One more than the size told: a file that grows, or a pipe that tells none, is read to its end.
  std::string bytes;
  size_t used = 0;
  while (used == bytes.size()) {
    const size_t room = used == 0 ? std::max<size_t>(size + 1, 1 << 16) : used * 2;
    bytes.resize_and_overwrite(room, [&](char* to, size_t count) {
      used += std::fread(to + used, 1, count - used, file.get());
      return used;
    });
    if (used > maxBytes) {
      return fail("file-too-large", fmt::format("the file is larger than {} bytes", maxBytes),
                  {.file = path});
    }
    if (used < room) break;
  }
  if (std::ferror(file.get()))
    return fail("not-readable", "the file cannot be read to its end", {.file = path});
  return bytes;
}

}  // namespace

Result<FileBytes> inflateIfGzip(std::string bytes, const std::string& name) {
  FileBytes file{.bytes = std::move(bytes)};
  file.sizeOnDisk = file.bytes.size();
  // Twice at most: a dump of compressed protos that was compressed as a whole.
  for (int i = 0; i < 2 && isGzip(file.bytes); ++i) {
    auto inflated = inflateGzip(file.bytes);
    if (!inflated) {
      inflated.error().place.file = name;
      return std::unexpected(inflated.error());
    }
    file.bytes = *std::move(inflated);
    file.gzip = true;
  }
  return file;
}

Result<FileBytes> readFileBytes(const std::string& path, uint64_t maxBytes) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status))
    return fail("file-not-found", "there is no such file", {.file = path});
  if (std::filesystem::is_directory(status))
    return fail("is-a-directory", "this is a directory", {.file = path});
  const uint64_t size =
      std::filesystem::is_regular_file(status) ? std::filesystem::file_size(path, error) : 0;
  if (!error && size > maxBytes) {
    return fail("file-too-large", fmt::format("the file has {} bytes, more than {}", size, maxBytes),
                {.file = path});
  }
  TRY(std::string bytes, readAll(path, error ? 0 : size, maxBytes));
  return inflateIfGzip(std::move(bytes), path);
}

}  // namespace hilo
