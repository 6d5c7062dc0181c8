// XLA's "-memory-usage-report": allocations by size, as text (BufferAssignment::MemoryUsageReport in
// service/buffer_assignment.cc, with memory spaces in newer versions) or as MemoryUsageReportProto. Sizes in
// the text are rounded for people; "-buffer-assignment.txt" has the exact ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/dump/buffer_assignment.h"

namespace hilo {

namespace pb {
class MemoryUsageReportProto;
}

struct MemoryReportEntry {
  int64_t allocation = 0;
  int64_t sizeBytes = 0;        // about, from text
  int64_t cumulativeBytes = 0;  // of this and all larger ones; about, from text
  double cumulativePercent = 0;
  std::string description;  // "output shape is |f32[4]|, maybe-live-out"
};

struct MemoryReportSpace {
  std::string name;  // "" in versions without memory spaces
  int64_t color = 0;
  int64_t totalBytes = 0;
  std::vector<MemoryReportEntry> entries;  // largest first
};

struct MemoryReport {
  std::vector<MemoryReportSpace> spaces;
  int64_t totalBytes() const;
};

// Error kind: "not-a-memory-report".
Result<MemoryReport> parseMemoryReport(std::string_view text, const std::string& file = {});

// Where a report and the plan of the same compilation part: allocations the plan has not, or has with another
// size; the report's rounding aside.
Diagnostics compareReport(const MemoryReport& report, const BufferAssignment& plan);

// "795.0KiB" or "96B" in bytes; -1 when it is neither.
int64_t parseHumanBytes(std::string_view text);

}  // namespace hilo
