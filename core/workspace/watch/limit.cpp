#include "core/workspace/watch/limit.h"

#include <fmt/format.h>

#include <charconv>

namespace hilo {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};
constexpr Unit kUnits[] = {{"", 1},  {"ns", 1},        {"us", 1e3},      {"ms", 1e6},     {"s", 1e9},
                           {"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};

}  // namespace

Result<WatchLimit> parseLimit(std::string_view text) {
  WatchLimit limit{.text = std::string(text)};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit.value);
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  if (error == std::errc() && limit.value >= 0) {
    limit.isFactor = unit == "x";
    if (limit.isFactor) return limit;
    for (const Unit& known : kUnits) {
      if (unit != known.name) continue;
      limit.value *= known.factor;
      return limit;
    }
  }
  return fail("bad-watcher", fmt::format("'{}' is no limit", text), {},
              {"write 1.5x for one and a half times what it was before, or an amount: 100, 20ms, 4GiB"});
}

}  // namespace hilo
