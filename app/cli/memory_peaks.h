// Two peaks of memory as `hilo memory A --against B` prints them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/workspace/memory/peak_comparison.h"

namespace hilo::cli {

// "+1.50 KiB"; `none` of no bytes.
std::string signedBytes(int64_t bytes, std::string_view none);

// At most `top` rows of each list.
void printPeaks(const MemoryPlans& a, const MemoryPlans& b, const std::vector<PeakComparison>& compared,
                size_t top);
nlohmann::json peaksJson(const MemoryPlans& a, const MemoryPlans& b,
                         const std::vector<PeakComparison>& compared, size_t top);

}  // namespace hilo::cli
