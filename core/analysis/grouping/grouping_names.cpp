#include "core/analysis/grouping/grouping_names.h"

#include <absl/container/flat_hash_map.h>

namespace hilo {
namespace {

constexpr size_t kFewNames = 40;   // as many as are looked at side by side
constexpr size_t kFewInPart = 12;  // as many as are left as they are in a part
constexpr size_t kLeast = 3;       // names that make a part
constexpr int kDeepest = 8;        // parts within parts

bool endsWord(char c) { return std::string_view("_.-:()[]{} ").find(c) != std::string_view::npos; }

// One past the end of the word that begins at `from`, with what parts it from the next.
size_t wordEnd(std::string_view name, size_t from) {
  while (from < name.size() && !endsWord(name[from])) ++from;
  while (from < name.size() && endsWord(name[from])) ++from;
  return from;
}

// The part of a name by which it is put with others: up to the end of its next word, empty when that
// is its last.
std::string_view front(std::string_view name, size_t from) {
  const size_t end = wordEnd(name, from);
  return end >= name.size() ? std::string_view() : name.substr(0, end);
}

class NameDivider {
 public:
  explicit NameDivider(std::span<const std::string_view> names) : names_(names) {}

  // `from`: the length of what all of `some` begin with. Empty where they are best left as they are.
  std::vector<NamePart> divide(std::span<const uint32_t> some, size_t from, size_t few, int depth) const {
    if (some.size() <= few || depth == kDeepest) return {};
    auto buckets = bucketsOf(some, from);
    while (buckets.size() == 1) {
      from = front(names_[some[0]], from).size();
      buckets = bucketsOf(some, from);
    }
    size_t count = 0;
    for (const auto& bucket : buckets) count += bucket.size() < kLeast ? bucket.size() : 1;
    if (count * 2 > some.size()) return {};
    std::vector<NamePart> parts;
    for (const auto& bucket : buckets) addPart(parts, bucket, front(names_[bucket[0]], from), depth);
    return parts;
  }

 private:
  // By their next word; those it ends are by themselves.
  std::vector<std::vector<uint32_t>> bucketsOf(std::span<const uint32_t> some, size_t from) const {
    std::vector<std::vector<uint32_t>> buckets;
    absl::flat_hash_map<std::string_view, size_t> bucketOf;
    for (const uint32_t name : some) {
      const std::string_view key = front(names_[name], from);
      if (key.empty()) {
        buckets.push_back({name});
        continue;
      }
      const auto [at, isNew] = bucketOf.try_emplace(key, buckets.size());
      if (isNew) buckets.emplace_back();
      buckets[at->second].push_back(name);
    }
    return buckets;
  }

  void addPart(std::vector<NamePart>& parts, std::span<const uint32_t> bucket, std::string_view begin,
               int depth) const {
    if (bucket.size() < kLeast) {
      for (const uint32_t name : bucket) parts.push_back({name, {}, {}});
      return;
    }
    NamePart part{0, std::string(begin) + "*", divide(bucket, begin.size(), kFewInPart, depth + 1)};
    if (part.parts.empty()) {
      for (const uint32_t name : bucket) part.parts.push_back({name, {}, {}});
    }
    parts.push_back(std::move(part));
  }

  std::span<const std::string_view> names_;
};

}  // namespace

std::vector<NamePart> divideNames(std::span<const std::string_view> names) {
  std::vector<uint32_t> all(names.size());
  for (uint32_t name = 0; name < names.size(); ++name) all[name] = name;
  return NameDivider(names).divide(all, 0, kFewNames, 0);
}

}  // namespace hilo
