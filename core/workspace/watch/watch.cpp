#include "core/workspace/watch/watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/enum_table.h"
#include "core/workspace/watch/watchers.h"

namespace hilo {
namespace {

constexpr WatcherInfo kWatchers[] = {
#define WATCHER(name, argument, factory, summary) {name, argument, summary},
#include "core/workspace/watch/watchers.def"
};

using Factory = MadeWatcher (*)(std::string_view, const WatchOptions&);
constexpr Factory kFactories[] = {
#define WATCHER(name, argument, factory, summary) &factory,
#include "core/workspace/watch/watchers.def"
};

// Looks several times at what does not always give the same.
class RepeatedWatcher : public Watcher {
 public:
  RepeatedWatcher(std::unique_ptr<Watcher> watcher, int looks, int leastBad)
      : watcher_(std::move(watcher)), looks_(looks), leastBad_(leastBad) {}

  Result<Observation> look(const WatchedCase& watched, const JobContext& context) override {
    int bad = 0, good = 0;
    Observation lastBad, lastUnknown{Sight::Unknown};
    for (int n = 1; n <= looks_; ++n) {
      TRY(Observation seen, watcher_->look(watched, context));
      if (seen.sight == Sight::Bad) {
        lastBad = std::move(seen);
        if (++bad < leastBad_) continue;
        lastBad.what += fmt::format(" ({} of {} looks)", bad, n);
        return lastBad;
      }
      if (seen.sight == Sight::Unknown) {
        lastUnknown = std::move(seen);
      } else if (++good > looks_ - leastBad_) {
        return Observation{.what = fmt::format("good in {} of {} looks", good, n)};
      }
    }
    return lastUnknown;
  }
  bool runsPassesApart() const override { return watcher_->runsPassesApart(); }
  bool heedsValues() const override { return watcher_->heedsValues(); }
  bool needsQuiet() const override { return watcher_->needsQuiet(); }

 private:
  std::unique_ptr<Watcher> watcher_;
  const int looks_, leastBad_;
};

std::vector<std::string> watcherNames() {
  std::vector<std::string> names;
  for (const WatcherInfo& info : kWatchers)
    names.push_back(info.argument.empty() ? std::string(info.name)
                                          : fmt::format("{}:{}", info.name, info.argument));
  return names;
}

}  // namespace

std::string_view sightName(Sight sight) {
  static constexpr EnumTable<Sight, std::string_view> kNames({"good", "bad", "unknown"});
  return kNames[sight];
}

std::span<const WatcherInfo> listWatchers() { return kWatchers; }

Result<std::unique_ptr<Watcher>> makeWatcher(std::string_view text, const WatchOptions& options) {
  const size_t colon = std::min(text.find(':'), text.size());
  const std::string_view name = text.substr(0, colon);
  const std::string_view argument = colon < text.size() ? text.substr(colon + 1) : std::string_view();
  const auto found = std::ranges::find(kWatchers, name, &WatcherInfo::name);
  if (found == std::end(kWatchers)) {
    return fail("unknown-watcher", fmt::format("nothing to watch is called '{}'", name), {},
                {fmt::format("there are: {}", fmt::join(watcherNames(), ", "))});
  }
  const bool needsOne = !found->argument.empty() && found->argument.front() != '[';
  if (needsOne && argument.empty())
    return fail("bad-watcher", fmt::format("{0} needs to be told: {0}:{1}", found->name, found->argument));
  if (found->argument.empty() && !argument.empty())
    return fail("bad-watcher", fmt::format("{} takes nothing, and not '{}'", found->name, argument));
  if (options.looks < 1 || options.leastBad < 1 || options.leastBad > options.looks) {
    return fail("bad-watcher",
                fmt::format("{} of {} looks is no number of looks", options.leastBad, options.looks));
  }
  TRY(auto watcher, kFactories[found - std::begin(kWatchers)](argument, options));
  if (options.looks == 1) return watcher;
  return std::make_unique<RepeatedWatcher>(std::move(watcher), options.looks, options.leastBad);
}

}  // namespace hilo
