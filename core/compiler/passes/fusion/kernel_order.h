// Who needs whom among the instructions of a computation while kernels are merged: each has a place that is
// not past those of its users, so that a way is looked for between two places only, from both, and a merge
// moves what lies between its kernels. As XLA's hlo_dfs_reachability.cc, with the order kept up to date as in
// Pearce and Kelly, "A dynamic topological sort algorithm for directed acyclic graphs" (2006).
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

class KernelOrder {
 public:
  // Operands stand in front of their users.
  explicit KernelOrder(const Computation& computation);

  // Past all others where the instruction is not known.
  int64_t placeOf(const Instruction& i) const;
  // Whether a way leads from `from` to `to`, control edges too; `directly`: also one through no others than
  // elements of the tuple of `from`.
  bool reaches(const Instruction& from, const Instruction& to, bool directly) const;
  // The same, directly; what was found is kept: asked of many that lie one behind the other, it looks from
  // each to the next only.
  bool leadsTo(const Instruction& from, const Instruction& to);
  // Before a kernel is removed with the elements of its tuple.
  void forget(const Instruction& kernel);
  // `merged`, with the elements read of it, stands for two kernels that had these places; no way led from one
  // to the other through others.
  void merge(int64_t one, int64_t other, const Instruction& merged);

  bool hasControl(const Instruction& i) const;

 private:
  using Instructions = std::vector<const Instruction*>;
  template <typename Next>
  Instructions reached(const Instruction& start, Next next) const;

  absl::flat_hash_map<const Instruction*, int64_t> places_;
  absl::flat_hash_map<const Instruction*, Instructions> after_;  // by control edges
  // Found by a walk: merges make more ways, never fewer.
  absl::flat_hash_set<std::pair<InstructionId, InstructionId>> ways_;
  absl::flat_hash_map<const Instruction*, const Instruction*> lastFound_;  // since the last merge
};

}  // namespace hilo
