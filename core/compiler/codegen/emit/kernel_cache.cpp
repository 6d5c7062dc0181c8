#include "core/compiler/codegen/emit/kernel_cache.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cstring>
#include <filesystem>

#include "core/base/files.h"

namespace hilo {

KernelCache::KernelCache(std::string folder) : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  // Also where the folder's name is a file's.
  if (!error && !std::filesystem::is_directory(folder_))
    error = std::make_error_code(std::errc::not_a_directory);
  if (error) problem_ = fmt::format("{}: {}", folder_, error.message());
}

// An object ends in its own checksum, so that a file cut short is a miss.
std::optional<std::string> KernelCache::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  auto bytes = readBytes(pathOf(key));
  XXH64_hash_t checksum = 0;
  if (!bytes || bytes->size() <= sizeof(checksum)) return std::nullopt;
  std::memcpy(&checksum, bytes->data() + bytes->size() - sizeof(checksum), sizeof(checksum));
  bytes->resize(bytes->size() - sizeof(checksum));
  if (checksum != XXH3_64bits(bytes->data(), bytes->size())) return std::nullopt;
  return *std::move(bytes);
}

void KernelCache::keep(const std::string& key, const std::string& object) {
  if (folder_.empty()) return;
  const XXH64_hash_t checksum = XXH3_64bits(object.data(), object.size());
  const Status kept = writeBytes(
      pathOf(key), object + std::string(reinterpret_cast<const char*>(&checksum), sizeof(checksum)));
  const std::lock_guard lock(mutex_);
  if (!kept && problem_.empty()) problem_ = kept.error().message;
}

std::string KernelCache::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

}  // namespace hilo
