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

bool KernelOrder::reaches(const Instruction& from, const Instruction& to, bool directly) const {
  const int64_t last = placeOf(to);
  if (placeOf(from) > last) return false;
  Instructions work;
  absl::flat_hash_set<const Instruction*> seen;
  const auto push = [&](const Instruction* i) {
    if (placeOf(*i) <= last && seen.insert(i).second) work.push_back(i);
  };
  const auto pushUsers = [&](const Instruction& i, bool isStart) {
    for (const Instruction* user : i.users()) {
      if (!isStart || directly || user != &to) push(user);
    }
    if (const auto later = after_.find(&i); later != after_.end()) std::ranges::for_each(later->second, push);
  };
  for (const Instruction* user : from.users()) {
    const bool isElement = user->opcode() == Opcode::GetTupleElement && user != &to;
    if (isElement) pushUsers(*user, true);
    if (!isElement && (directly || user != &to)) push(user);
  }
  if (const auto later = after_.find(&from); later != after_.end())
    std::ranges::for_each(later->second, push);
  while (!work.empty()) {
    const Instruction* i = work.back();
    work.pop_back();
    if (i == &to) return true;
    pushUsers(*i, false);
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
