// What a run may take where nobody says otherwise, in the studio and on the command line.
#pragma once

#include <cstdint>

namespace hilo {

inline constexpr int64_t kRunLimitSeconds = 600;
inline constexpr int64_t kRunLimitNs = kRunLimitSeconds * 1'000'000'000;

}  // namespace hilo
