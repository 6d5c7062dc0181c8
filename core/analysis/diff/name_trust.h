// Whether an equal name of two modules means the same instruction.
//
// Two compilations number their instructions apart: with one instruction more at the start, add.5 of one is
// add.6 of the other, while multiply.7 is multiply.7 of both. So names are judged by what they are numbers
// of. (XLA's hlo/tools/hlo_diff uses names of parameters alone.)
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/strings/string_view.h>

#include <string_view>

#include "core/analysis/diff/subgraph_fingerprints.h"

namespace hilo {

// "add.12" -> "add", "param_0.3" -> "param": a name without the numbers that make it the only one.
std::string_view nameStem(std::string_view name);

// The modules outlive this.
class NameTrust {
 public:
  // Subgraphs that are found exactly once on either side are the same beyond doubt: do their names agree?
  // Where there are none, instructions of one name: have they the opcode and the names of operands in common?
  NameTrust(const Module& before, const SubgraphFingerprints& printsBefore, const Module& after,
            const SubgraphFingerprints& printsAfter);
  // As often as not, over all names.
  bool overall() const { return all_.pairs != 0 ? all_.trusted() : allLines_.trusted(); }
  // Of names that begin like this one; what has no evidence of its own is as all are.
  bool of(std::string_view name) const;
  // Nothing that is the same beyond doubt speaks against it: enough where nothing else is left to go by.
  bool asLastResort(std::string_view name) const;

 private:
  struct Evidence {
    size_t pairs = 0, equal = 0;
    bool trusted() const { return 2 * equal >= pairs; }
  };
  void readLines(const Module& before, const Module& after);
  Evidence all_, allLines_;
  absl::flat_hash_map<absl::string_view, Evidence> byStem_, linesByStem_;
};

}  // namespace hilo
