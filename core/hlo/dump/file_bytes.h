// A file's bytes, inflated when they are gzip.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace hilo {

struct FileBytes {
  std::string bytes;
  uint64_t sizeOnDisk = 0;
  bool gzip = false;
};

inline constexpr uint64_t kMaxFileBytes = uint64_t{8} << 30;

// Error kinds: "file-not-found", "is-a-directory", "not-readable", "file-too-large" and those of inflateGzip.
Result<FileBytes> readFileBytes(const std::string& path, uint64_t maxBytes = kMaxFileBytes);
// The same for bytes already in memory.
Result<FileBytes> inflateIfGzip(std::string bytes, const std::string& name);

}  // namespace hilo
