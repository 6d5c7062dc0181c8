#include "core/hlo/dump/memory_report.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "core/hlo/dump/line_scanner.h"

namespace hilo {
namespace {

// "  795.0KiB( 49%);   811.8KiB; allocation 0: size 795.0KiB, output shape is |...|, maybe-live-out:"
std::optional<MemoryReportEntry> readEntry(std::string_view line) {
  LineScanner scanner(line);
  scanner.skipSpaces();
  const auto cumulative = scanner.until("(");
  if (!cumulative || parseHumanBytes(*cumulative) < 0) return std::nullopt;
  scanner.skipSpaces();
  const auto percent = scanner.number();
  if (!percent || !scanner.eat("%);") || !scanner.until("allocation ")) return std::nullopt;
  MemoryReportEntry entry{.cumulativeBytes = parseHumanBytes(*cumulative),
                          .cumulativePercent = double(*percent)};
  const auto allocation = scanner.number();
  if (!allocation || !scanner.eat(": size ")) return std::nullopt;
  entry.allocation = *allocation;
  const size_t end = std::min(scanner.rest().find_first_of(",:"), scanner.rest().size());
  entry.sizeBytes = parseHumanBytes(scanner.rest().substr(0, end));
  scanner.eat(scanner.rest().substr(0, end));
  scanner.eat(", ");
  std::string_view description = scanner.rest();
  if (description.ends_with(':')) description.remove_suffix(1);
  entry.description = description;
  return entry;
}

// "1.5KiB" is any of 1485 to 1587 bytes.
bool sameButForRounding(int64_t about, int64_t exact) {
  return static_cast<double>(std::abs(about - exact)) <= 0.06 * static_cast<double>(exact);
}

}  // namespace

int64_t parseHumanBytes(std::string_view text) {
  constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !(value >= 0)) return -1;
  const std::string_view unit(end, text.data() + text.size() - end);
  for (size_t i = 0; i < std::size(kUnits); ++i) {
    if (unit != kUnits[i]) continue;
    const double bytes = std::ldexp(value, static_cast<int>(10 * i));
    return bytes < 9e18 ? std::llround(bytes) : -1;
  }
  return -1;
}

int64_t MemoryReport::totalBytes() const {
  return std::accumulate(spaces.begin(), spaces.end(), int64_t{0},
                         [](int64_t sum, const MemoryReportSpace& space) { return sum + space.totalBytes; });
}

Result<MemoryReport> parseMemoryReport(std::string_view text, const std::string& file) {
  MemoryReport report;
  while (!text.empty()) {
    const std::string_view line = takeLine(text);
    LineScanner scanner(line);
    if (scanner.eat("Memory Space: ")) {
      auto& space = report.spaces.emplace_back();
      space.name = scanner.until(" (color=").value_or(scanner.rest());
      space.color = scanner.number().value_or(0);
    } else if (scanner.eat("Total bytes: ") || scanner.eat("Total bytes used: ")) {
      if (report.spaces.empty()) report.spaces.emplace_back();
      report.spaces.back().totalBytes = scanner.number().value_or(0);
    } else if (!report.spaces.empty()) {
      if (auto entry = readEntry(line)) report.spaces.back().entries.push_back(*std::move(entry));
    }
  }
  if (report.spaces.empty()) {
    return fail("not-a-memory-report", "the text has no line with the total bytes used", {.file = file});
  }
  return report;
}

Diagnostics compareReport(const MemoryReport& report, const BufferAssignment& plan) {
  absl::flat_hash_map<int64_t, int64_t> sizes;
  for (const BufferAllocation& allocation : plan.allocations)
    sizes.emplace(allocation.index, allocation.sizeBytes);
  Diagnostics found;
  const auto add = [&](std::string message) {
    found.push_back({Severity::kNote, "report-differs", std::move(message), {}, {}});
  };
  for (const MemoryReportSpace& space : report.spaces) {
    for (const MemoryReportEntry& entry : space.entries) {
      const auto known = sizes.find(entry.allocation);
      if (known == sizes.end()) {
        add(fmt::format("the memory usage report has an allocation {} of {} bytes, the plan has none",
                        entry.allocation, entry.sizeBytes));
      } else if (!sameButForRounding(entry.sizeBytes, known->second)) {
        add(fmt::format("allocation {} has about {} bytes in the memory usage report and {} in the plan",
                        entry.allocation, entry.sizeBytes, known->second));
      }
    }
  }
  return found;
}

}  // namespace hilo
