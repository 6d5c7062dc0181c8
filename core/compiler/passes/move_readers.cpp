#include "core/compiler/passes/move_readers.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <vector>

namespace hilo {
namespace {

bool readsAny(const Instruction& i, const absl::flat_hash_set<const Instruction*>& values) {
  return std::ranges::any_of(i.operands(), [&](const Instruction* o) { return values.contains(o); });
}

}  // namespace

bool leadsToAny(const Instruction& from, std::span<Instruction* const> to) {
  const absl::flat_hash_set<const Instruction*> wanted(to.begin(), to.end());
  absl::flat_hash_set<const Instruction*> seen;
  std::vector<const Instruction*> open = {&from};
  while (!open.empty()) {
    const Instruction* at = open.back();
    open.pop_back();
    if (wanted.contains(at)) return true;
    if (seen.insert(at).second) open.insert(open.end(), at->users().begin(), at->users().end());
  }
  return false;
}

bool leadsToAnyBefore(const Instruction& from, const Instruction& end, std::span<Instruction* const> to) {
  absl::flat_hash_set<const Instruction*> reading = {&from};
  for (const Instruction* i = from.next(); i != nullptr && i != &end; i = i->next()) {
    if (readsAny(*i, reading)) reading.insert(i);
  }
  return std::ranges::any_of(to, [&](const Instruction* i) { return reading.contains(i); });
}

void moveReadersBehind(Instruction& start, Instruction& maker, std::span<Instruction* const> given) {
  absl::flat_hash_set<const Instruction*> reading(given.begin(), given.end());
  reading.insert(&maker);
  std::vector<Instruction*> early;
  for (Instruction* i = &start; i != &maker; i = i->next()) {
    if (!readsAny(*i, reading)) continue;
    reading.insert(i);
    early.push_back(i);
  }
  Instruction* last = &maker;
  for (Instruction* i = maker.next(); i != nullptr && std::ranges::find(given, i) != given.end();
       i = i->next())
    last = i;
  Instruction* behind = last->next();
  for (Instruction* i : early) maker.parent().moveBefore(i, behind);
}

}  // namespace hilo
