#include "core/analysis/grouping/grouping_division.h"

#include <algorithm>
#include <numeric>

#include <absl/container/flat_hash_map.h>

#include "core/analysis/grouping/repeats.h"

namespace hilo {
namespace {

// As many as are looked at without a search for repeats, and as many as stand by themselves beside them.
constexpr uint32_t kFew = 100;
constexpr uint32_t kFewBeside = 24;
constexpr uint32_t kMostPages = 60;

class Divider {
 public:
  Divider(std::span<const Instruction* const> list, uint32_t pageSize) : list_(list), pageSize_(pageSize) {}

  std::vector<ListPart> divide(uint32_t begin, uint32_t end, const char* before = "before",
                               const char* after = "after") const {
    std::vector<ListPart> parts;
    if (end - begin > kFew) {
      if (const auto repeats = repeatsIn(begin, end)) {
        addBeside(parts, begin, repeats->starts.front(), before, "before", "between");
        addRepeats(parts, *repeats);
        addBeside(parts, repeats->end, end, after, "between", "after");
        return parts;
      }
    }
    if (end - begin > 2 * pageSize_) return pages(begin, end);
    if (begin < end) parts.push_back({GroupKind::Instruction, "", begin, end, {}});
    return parts;
  }

 private:
  std::optional<Repeats> repeatsIn(uint32_t begin, uint32_t end) const {
    const auto range = list_.subspan(begin, end - begin);
    if (std::ranges::find(range, nullptr) != range.end()) return std::nullopt;
    std::optional<Repeats> repeats = findRepeats(range);
    if (!repeats) return std::nullopt;
    for (uint32_t& start : repeats->starts) start += begin;
    repeats->end += begin;
    return repeats;
  }

  void addRepeats(std::vector<ListPart>& parts, const Repeats& repeats) const {
    const size_t count = repeats.starts.size();
    ListPart all{
        GroupKind::Repeats, fmt::format("{} repeats", count), repeats.starts.front(), repeats.end, {}};
    for (size_t i = 0; i < count; ++i) {
      const uint32_t begin = repeats.starts[i], end = i + 1 < count ? repeats.starts[i + 1] : repeats.end;
      all.parts.push_back(
          {GroupKind::Repeat, fmt::format("{} of {}", i + 1, count), begin, end, divide(begin, end)});
    }
    parts.push_back(std::move(all));
  }

  // What repeats in it stands beside the repeats found first.
  void addBeside(std::vector<ListPart>& parts, uint32_t begin, uint32_t end, const char* label,
                 const char* before, const char* after) const {
    std::vector<ListPart> inside = divide(begin, end, before, after);
    const bool repeated = std::ranges::find(inside, GroupKind::Repeats, &ListPart::kind) != inside.end();
    if (repeated || end - begin <= kFewBeside) {
      std::ranges::move(inside, std::back_inserter(parts));
    } else {
      parts.push_back({GroupKind::Page, label, begin, end, std::move(inside)});
    }
  }

  std::vector<ListPart> pages(uint32_t begin, uint32_t end) const {
    const uint32_t size = std::max(pageSize_, (end - begin) / kMostPages);
    const uint32_t count = (end - begin + size - 1) / size;
    std::vector<uint32_t> cuts{begin};
    const std::vector<uint32_t> passing = passingIn(begin, end);
    for (uint32_t i = 1; i < count; ++i) {
      const auto even = static_cast<uint32_t>(begin + uint64_t{end - begin} * i / count);
      uint32_t best = even;
      for (uint32_t place = even - size / 4; place < even + size / 4; ++place) {
        if (passing[place - begin] < passing[best - begin]) best = place;
      }
      cuts.push_back(best);
    }
    cuts.push_back(end);
    std::vector<ListPart> parts;
    for (size_t i = 0; i + 1 < cuts.size(); ++i) {
      std::string label = fmt::format("part {}", i + 1);
      parts.push_back(
          {GroupKind::Page, std::move(label), cuts[i], cuts[i + 1], divide(cuts[i], cuts[i + 1])});
    }
    return parts;
  }

  std::vector<uint32_t> passingIn(uint32_t begin, uint32_t end) const {
    const auto range = list_.subspan(begin, end - begin);
    if (std::ranges::find(range, nullptr) != range.end()) return std::vector<uint32_t>(range.size() + 1, 0);
    return passingValues(range);
  }

  std::span<const Instruction* const> list_;
  const uint32_t pageSize_;
};

}  // namespace

namespace {

// One number, or one spread over a shape, is shared by what has nothing else to do with each other.
bool joins(const Instruction& value) {
  const auto isOne = [](Shape shape) { return shape.isArray() && shape.elementCount() <= 1; };
  if (isOne(value.shape())) return false;
  return value.opcode() != Opcode::Broadcast || value.operandCount() != 1 ||
         !isOne(value.operand(0)->shape());
}

}  // namespace

std::vector<uint32_t> orderByPart(std::span<const Instruction* const> list) {
  std::vector<uint32_t> firstOf(list.size());
  std::iota(firstOf.begin(), firstOf.end(), 0u);
  const auto first = [&](uint32_t at) {
    while (firstOf[at] != at) at = firstOf[at] = firstOf[firstOf[at]];
    return at;
  };
  absl::flat_hash_map<const Instruction*, uint32_t> placeOf;
  for (uint32_t at = 0; at < list.size(); ++at) {
    if (list[at] != nullptr) placeOf.emplace(list[at], at);
  }
  for (uint32_t at = 0; at < list.size(); ++at) {
    if (list[at] == nullptr) continue;
    for (const Instruction* operand : list[at]->operands()) {
      const auto place = placeOf.find(operand);
      if (place == placeOf.end() || !joins(*operand)) continue;
      const uint32_t a = first(place->second), b = first(at);
      firstOf[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<uint32_t> order(list.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, first);
  return order;
}

std::vector<ListPart> divideList(std::span<const Instruction* const> list, uint32_t pageSize) {
  return Divider(list, std::max(pageSize, 8u)).divide(0, static_cast<uint32_t>(list.size()));
}

}  // namespace hilo
