#include "core/analysis/layouts/wish_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace hilo {
namespace {

// Values looked at in one search: what lies further away explains nothing to a reader.
constexpr size_t kMostVisits = 3000, kMostVisitsBeside = 300, kMostBesides = 100;

int rankOf(const LayoutWish& wish) {
  if (wish.isFirm()) return 0;
  switch (wish.kind) {
    case LayoutWishKind::Beside:
      return 1;
    case LayoutWishKind::Unknown:
      return 2;
    case LayoutWishKind::OtherMove:
      return 3;
    case LayoutWishKind::Made:
      return 4;
    default:
      return 5;
  }
}

bool isMuchSmaller(Shape small, Shape large) {
  return small.isArray() && large.isArray() && small.elementCount() < large.elementCount() / 2;
}

LayoutWish nobody(const ArrayValue& value, const char* why) {
  return {.kind = LayoutWishKind::Nobody,
          .instruction = value.at->id(),
          .name = std::string(value.at->name()),
          .opcode = std::string(value.at->opcodeText()),
          .layout = toString(value.shape()),
          .text = fmt::format("%{} {}", value.at->name(), why)};
}

}  // namespace

// The best end so far: firm before others, of the whole array before of a part, then the nearest.
struct WishSearch::Ends {
  std::optional<FoundWish> best;
  std::tuple<int, bool, size_t> key;

  void offer(LayoutWish wish, const std::vector<Visit>& visits, int at, const Instruction* user) {
    size_t length = 0;
    for (int v = at; v >= 0; v = visits[static_cast<size_t>(v)].parent) ++length;
    const bool isPartial = visits[static_cast<size_t>(at)].isPartial;
    const std::tuple newKey(rankOf(wish), isPartial, length);
    if (best && key <= newKey) return;
    key = newKey;
    best = FoundWish{.wish = std::move(wish), .user = user, .isPartial = isPartial};
    for (int v = at; v >= 0; v = visits[static_cast<size_t>(v)].parent)
      best->way.push_back(visits[static_cast<size_t>(v)].value);
    std::ranges::reverse(best->way);
  }
  bool hasFirm() const { return best && best->wish.isFirm(); }
};

FoundWish WishSearch::goUp(const ArrayValue& value, bool passesMoves, Seen& seen, size_t most) const {
  std::vector<Visit> visits = {{value, -1, false}};
  Ends ends;
  seen.emplace(value, false);
  for (size_t n = 0; n < visits.size() && visits.size() < most; ++n) {
    const Visit visit = visits[n];
    const auto at = static_cast<int>(n);
    auto wish = givenBy(flow_, visit.value);
    const bool passes = wish && passesMoves && wish->kind == LayoutWishKind::OtherMove;
    if (wish) ends.offer(*std::move(wish), visits, at, nullptr);
    if (wish && !passes) continue;
    auto sources =
        passes ? std::vector<ArrayValue>{{visit.value.at->operand(0), {}}} : flow_.sourcesOf(visit.value);
    if (sources.empty())
      ends.offer(nobody(visit.value, "lies in the order it is computed in"), visits, at, nullptr);
    for (ArrayValue& source : sources) {
      const bool isPartial = visit.isPartial || isMuchSmaller(source.shape(), visit.value.shape());
      if (seen.emplace(source, isPartial).second) visits.push_back({std::move(source), at, isPartial});
    }
  }
  if (!ends.best) ends.offer(nobody(value, "comes from too far away to tell"), visits, 0, nullptr);
  return *std::move(ends.best);
}

// Where another operand of an elementwise operation lies so by a firm wish of its own, or is the same value.
std::optional<LayoutWish> WishSearch::besideIn(const Instruction& user, const ArrayValue& value,
                                               const Seen& above) const {
  if (!user.shape().isArray() || user.shape().rank() < 2) return std::nullopt;
  for (const size_t k : carriedOperands(user)) {
    const Instruction* other = user.operand(k);
    if (other == value.at || other->shape().elementCount() < value.shape().elementCount() / 2) continue;
    Seen seen;
    const FoundWish found = goUp({other, {}}, false, seen, kMostVisitsBeside);
    LayoutWish wish{.kind = LayoutWishKind::Beside,
                    .instruction = user.id(),
                    .name = std::string(user.name()),
                    .opcode = std::string(user.opcodeText()),
                    .operand = static_cast<int>(k),
                    .layout = toString(other->shape()),
                    .source = found.wish.source};
    for (const auto& [reached, isPartial] : seen) {
      const auto there = above.find(reached);
      if (isPartial || there == above.end() || there->second) continue;
      const auto given = givenBy(flow_, reached);
      if (given && given->kind == LayoutWishKind::Made) continue;
      wish.kind = LayoutWishKind::Itself;
      wish.text = fmt::format("%{} works on the array beside itself in the other order (%{})", user.name(),
                              other->name());
      return wish;
    }
    if (!found.wish.isFirm() || found.isPartial) continue;
    wish.text = fmt::format("%{} takes its operands in one order, and %{} lies otherwise: {}", user.name(),
                            other->name(), found.wish.text);
    return wish;
  }
  return std::nullopt;
}

FoundWish WishSearch::goDown(const ArrayValue& value, const Seen& above, bool passesMoves) const {
  std::vector<Visit> visits = {{value, -1, false}};
  Seen seen = {{value, false}};
  Ends ends;
  size_t besides = 0;
  for (size_t n = 0; n < visits.size() && visits.size() < kMostVisits; ++n) {
    const Visit visit = visits[n];
    const auto at = static_cast<int>(n);
    for (ArrayUse& use : flow_.usesOf(visit.value)) {
      auto wish = wantedBy(flow_, use, visit.value);
      const bool passes = wish && passesMoves && wish->kind == LayoutWishKind::OtherMove;
      if (passes) use.value = ArrayValue{use.user, {}};
      const bool ends_here = wish && !passes;
      if (wish) ends.offer(*std::move(wish), visits, at, use.user);
      if (ends_here || !use.value) continue;
      if (use.value->at == use.user && ++besides < kMostBesides) {
        if (auto beside = besideIn(*use.user, visit.value, above))
          ends.offer(*std::move(beside), visits, at, use.user);
      }
      const bool isPartial = visit.isPartial || isMuchSmaller(use.value->shape(), visit.value.shape());
      if (seen.emplace(*use.value, isPartial).second)
        visits.push_back({*std::move(use.value), at, isPartial});
    }
  }
  if (!ends.best) ends.offer(nobody(value, "is asked for in no order"), visits, 0, nullptr);
  return *std::move(ends.best);
}

FoundWish WishSearch::above(const ArrayValue& value) const {
  Seen seen;
  FoundWish found = goUp(value, false, seen, kMostVisits);
  if (found.wish.kind != LayoutWishKind::OtherMove) return found;
  Seen all;
  FoundWish through = goUp(value, true, all, kMostVisits);
  return through.wish.isFirm() ? through : found;
}

FoundWish WishSearch::below(const ArrayValue& value, const ArrayValue& from) const {
  Seen seen;
  goUp(from, false, seen, kMostVisits);
  FoundWish found = goDown(value, seen, false);
  if (found.wish.kind != LayoutWishKind::OtherMove) return found;
  FoundWish through = goDown(value, seen, true);
  return through.wish.isFirm() ? through : found;
}

}  // namespace hilo
