#include "core/compiler/passes/fusion/kernel_order.h"

#include <algorithm>

namespace hilo {

KernelOrder::KernelOrder(const Computation& computation) {
  for (const Instruction* i : computation.instructions()) {
    places_[i] = static_cast<int64_t>(places_.size());
    for (const Instruction* earlier : i->get<Attr::ControlPredecessors>()) after_[earlier].push_back(i);
  }
}

int64_t KernelOrder::placeOf(const Instruction& i) const {
  const auto found = places_.find(&i);
  return found == places_.end() ? INT64_MAX : found->second;
}

bool KernelOrder::hasControl(const Instruction& i) const {
  return after_.contains(&i) || !i.get<Attr::ControlPredecessors>().empty();
}

void KernelOrder::forget(const Instruction& kernel) {
  for (const Instruction* user : kernel.users()) {
    if (user->opcode() == Opcode::GetTupleElement) places_.erase(user);
  }
  places_.erase(&kernel);
}

namespace {

// One end of a search: what was met from there, each to be gone on from once.
class Front {
 public:
  using Degree = size_t (*)(const Instruction&);
  Front(const Instruction& start, Degree degree) : degree_(degree) { meet(&start); }

  bool isOpen() const { return next_ < met_.size(); }
  // Steps taken, with those that come next.
  size_t cost() const { return steps_ + degree_(*met_[next_]); }
  const Instruction& take() {
    steps_ = cost();
    return *met_[next_++];
  }
  void meet(const Instruction* i) {
    if (seen_.insert(i).second) met_.push_back(i);
  }
  bool hasMet(const Instruction* i) const { return seen_.contains(i); }

 private:
  Degree degree_;
  std::vector<const Instruction*> met_;
  absl::flat_hash_set<const Instruction*> seen_;
  size_t next_ = 0, steps_ = 0;
};

size_t userSteps(const Instruction& i) { return i.users().size() + 1; }
size_t operandSteps(const Instruction& i) { return i.operandCount() + 1; }

bool isSelfOrElement(const Instruction& i, const Instruction& kernel) {
  return &i == &kernel || (i.opcode() == Opcode::GetTupleElement && i.operand(0) == &kernel);
}

}  // namespace

// Goes on from the end that has taken fewer steps: kernels that lie far apart in the order are often close to
// each other over one of their operands.
bool KernelOrder::reaches(const Instruction& from, const Instruction& to, bool directly) const {
  const int64_t first = placeOf(from), last = placeOf(to);
  if (first > last) return false;
  Front ahead(from, userSteps), back(to, operandSteps);
  const auto meets = [&](const Instruction* i, Front& front, const Front& other) {
    const int64_t place = placeOf(*i);
    if (place < first || place > last) return false;
    front.meet(i);
    return other.hasMet(i);
  };
  const auto counts = [&](const Instruction& i, const Instruction& user) {
    return directly || &user != &to || !isSelfOrElement(i, from);
  };
  const auto meetsAhead = [&](const Instruction& i) {
    const auto isMet = [&](const Instruction* user) { return meets(user, ahead, back); };
    const auto later = after_.find(&i);
    return std::ranges::any_of(i.users(), [&](auto* user) { return counts(i, *user) && isMet(user); }) ||
           (later != after_.end() && std::ranges::any_of(later->second, isMet));
  };
  const auto meetsBack = [&](const Instruction& user) {
    const auto isMet = [&](const Instruction* i) { return meets(i, back, ahead); };
    return std::ranges::any_of(user.operands(), [&](auto* i) { return counts(*i, user) && isMet(i); }) ||
           std::ranges::any_of(user.get<Attr::ControlPredecessors>(), isMet);
  };
  while (ahead.isOpen() && back.isOpen()) {
    if (ahead.cost() < back.cost() ? meetsAhead(ahead.take()) : meetsBack(back.take())) return true;
  }
  return false;
}

bool KernelOrder::leadsTo(const Instruction& from, const Instruction& to) {
  const auto walk = [&](const Instruction& a, const Instruction& b) {
    if (ways_.contains({a.id(), b.id()})) return true;
    const bool found = reaches(a, b, /*directly=*/true);
    if (found) ways_.insert({a.id(), b.id()});
    return found;
  };
  if (placeOf(from) > placeOf(to)) return false;
  const Instruction*& middle = lastFound_[&from];
  const bool isBetween = middle != nullptr && placeOf(*middle) < placeOf(to);
  if (!(isBetween && walk(*middle, to)) && !walk(from, to)) return false;
  middle = &to;
  return true;
}

// What a walk from `start` meets, without it: each behind all that the walk goes on to from it.
template <typename Next>
KernelOrder::Instructions KernelOrder::reached(const Instruction& start, Next next) const {
  struct Step {
    const Instruction* of;
    Instructions next;
  };
  Instructions done;
  absl::flat_hash_set<const Instruction*> seen;
  std::vector<Step> way{{&start, next(start)}};
  while (!way.empty()) {
    Step& step = way.back();
    if (step.next.empty()) {
      if (step.of != &start) done.push_back(step.of);
      way.pop_back();
      continue;
    }
    const Instruction* i = step.next.back();
    step.next.pop_back();
    if (seen.insert(i).second) way.push_back({i, next(*i)});
  }
  return done;
}

void KernelOrder::merge(int64_t one, int64_t other, const Instruction& merged) {
  const int64_t first = std::min(one, other), last = std::max(one, other);
  // Elements read of it are new too, and bitcasts of them.
  Instructions made{&merged};
  places_[&merged] = first;
  while (!made.empty()) {
    const Instruction* i = made.back();
    made.pop_back();
    for (const Instruction* user : i->users()) {
      if (places_.try_emplace(user, first).second) made.push_back(user);
    }
  }
  const auto isBetween = [&](const Instruction* i) {
    const int64_t place = placeOf(*i);
    return place >= first && place <= last;
  };
  Instructions after = reached(merged, [&](const Instruction& i) {
    Instructions next;
    std::ranges::copy_if(i.users(), std::back_inserter(next), isBetween);
    if (const auto later = after_.find(&i); later != after_.end())
      std::ranges::copy_if(later->second, std::back_inserter(next), isBetween);
    return next;
  });
  std::ranges::reverse(after);
  Instructions before = reached(merged, [&](const Instruction& i) {
    Instructions next;
    std::ranges::copy_if(i.operands(), std::back_inserter(next), isBetween);
    std::ranges::copy_if(i.get<Attr::ControlPredecessors>(), std::back_inserter(next), isBetween);
    return next;
  });
  const auto byPlace = [&](const Instruction* i) { return placeOf(*i); };
  std::ranges::stable_sort(before, {}, byPlace);
  std::ranges::stable_sort(after, {}, byPlace);

  std::vector<int64_t> places{last};
  for (const Instructions* group : {&before, &after})
    std::ranges::transform(*group, std::back_inserter(places), byPlace);
  std::ranges::sort(places);
  size_t next = 0;
  for (const Instruction* i : before) places_[i] = places[next++];
  places_[&merged] = places[next++];
  for (const Instruction* i : after) places_[i] = places[next++];
  lastFound_.clear();
}

}  // namespace hilo
