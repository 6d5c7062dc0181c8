#include "core/compiler/passes/move_readers.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <vector>

namespace hilo {

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

void moveReadersBehind(Instruction& maker, std::span<Instruction* const> given) {
  absl::flat_hash_set<const Instruction*> reading(given.begin(), given.end());
  reading.insert(&maker);
  std::vector<Instruction*> early;
  for (Instruction* i = maker.parent().first(); i != &maker; i = i->next()) {
    const bool reads =
        std::ranges::any_of(i->operands(), [&](const Instruction* o) { return reading.contains(o); });
    if (!reads) continue;
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
