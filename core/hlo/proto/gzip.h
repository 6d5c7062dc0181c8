// Inflates gzip data (one or several members) under a cap, so that a small hostile file cannot fill memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace hilo {

struct InflateLimits {
  uint64_t maxBytes = uint64_t{2} << 30;
  // Output above freeBytes must not be more than maxRatio times the input.
  uint64_t freeBytes = uint64_t{64} << 20;
  uint64_t maxRatio = 80;
};

bool isGzip(std::string_view bytes);

// Errors: "gzip-corrupt", "gzip-truncated", "gzip-too-large".
Result<std::string> inflateGzip(std::string_view bytes, const InflateLimits& limits = {});

// One gzip member; for writing and for tests.
std::string deflateGzip(std::string_view bytes);

}  // namespace hilo
