// Which phis are needed. A phi whose inputs are all one value is that value; so is every phi of a closed
// group that only one value that is no phi flows into. XLA's service/hlo_phi_graph.cc.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <span>
#include <vector>

#include "core/analysis/dataflow/hlo_value.h"

namespace hilo {

class PhiGraph {
 public:
  // Sets the inputs of a phi; true when they changed. Order and repetition do not matter.
  bool setInputs(ValueId phi, ValueSet inputs);
  void forget(ValueId phi) { inputs_.erase(phi); }
  // Replaces needless phis; afterwards resolve() tells by what.
  void optimize();
  ValueId resolve(ValueId value) const;

 private:
  class ClosureFinder;
  bool foldTrivial();
  std::vector<ValueId> sortedPhis() const;

  absl::flat_hash_map<ValueId, ValueSet> inputs_;
  mutable absl::flat_hash_map<ValueId, ValueId> replaced_;
};

}  // namespace hilo
