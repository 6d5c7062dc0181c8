// Which element of a tuple is which of the tuple it is matched with: loops and calls that gained, lost or
// reordered elements between two modules.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/analysis/diff/module_matching.h"

namespace hilo {

// Knows, of what is tuple-shaped, the tuple instruction that makes it: the initial value of a loop and of its
// body's parameter, the root of what a call or fusion calls.
class TupleDefinitions {
 public:
  explicit TupleDefinitions(const Module& module);
  // Null where none is found.
  const Instruction* of(const Instruction& value) const;

 private:
  const Instruction* next(const Instruction& value) const;
  std::vector<const Instruction*> onlyCaller_;  // by computation id; null: none or several
};

// The modules and the matching outlive this; answers are those of the matching as it is when first asked.
class TupleElements {
 public:
  TupleElements(const Module& before, const Module& after, const ModuleMatching& matching);
  // Of two matched tuple-shaped instructions: the element of `b` that element `index` of `a` is, -1 when it
  // is new. Elements made by matched instructions are the same; the others follow each other by shape.
  int64_t elementBefore(const Instruction& b, const Instruction& a, int64_t index);

 private:
  std::vector<int64_t> align(const Instruction& b, const Instruction& a) const;
  const ModuleMatching& matching_;
  TupleDefinitions definitionsBefore_, definitionsAfter_;
  std::unordered_map<uint32_t, std::vector<int64_t>> ofAfter_;  // by id of `a`
};

}  // namespace hilo
