#include "core/base/amount_text.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <span>

namespace hilo::amount {
namespace {

// `value` in the largest unit of which it is at least one once it is rounded; the unit still to be appended.
struct Scaled {
  std::string number;
  std::string_view unit;
};
Scaled scaled(double value, double step, std::span<const std::string_view> units) {
  size_t unit = 0;
  while (std::abs(value) >= step - 0.5 && unit + 1 < units.size()) {
    value /= step;
    ++unit;
  }
  const double size = std::abs(value);
  const bool isWhole = unit == 0 && size == std::floor(size);
  if (unit == 0 && size < 1 && !isWhole) return {fmt::format("{:.3g}", value), units[unit]};
  const int digits = isWhole ? 0 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return {fmt::format("{:.{}f}", value, digits), units[unit]};
}

Scaled inThousands(double value) {
  static constexpr std::string_view kPrefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  return scaled(value, 1000, kPrefixes);
}

}  // namespace

std::string bytes(int64_t bytes) {
  static constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 0) return "unknown";
  if (bytes == std::numeric_limits<int64_t>::max()) return ">= 8 EiB";
  const Scaled text = scaled(static_cast<double>(bytes), 1024, kUnits);
  return fmt::format("{} {}", text.number, text.unit);
}

std::string count(int64_t count) {
  std::string digits = fmt::format("{}", count);
  const size_t first = count < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string countOf(int64_t number, std::string_view one, std::string_view many) {
  if (number == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", count(number), one) : fmt::format("{} {}", count(number), many);
}

std::string duration(double nanoseconds) {
  static constexpr std::string_view kUnits[] = {"ns", "µs", "ms", "s"};
  if (nanoseconds < 0) return "unknown";
  const Scaled text = scaled(nanoseconds, 1000, kUnits);
  return fmt::format("{} {}", text.number, text.unit);
}

std::string quantity(double value) {
  const Scaled text = inThousands(value);
  return text.unit.empty() ? text.number : fmt::format("{} {}", text.number, text.unit);
}

std::string flops(int64_t flops) {
  if (flops == 1) return "1 flop";
  const Scaled text = inThousands(static_cast<double>(flops));
  return fmt::format("{} {}flops", text.number, text.unit);
}

}  // namespace hilo::amount
