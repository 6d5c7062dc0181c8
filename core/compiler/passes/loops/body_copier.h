// Copies instructions of a loop's body to another place: around the loop, or again into the body.
#pragma once

#include <absl/container/flat_hash_map.h>

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// Numbers that copies must not share, handed out for a whole module.
struct CopyNumbers {
  int64_t nextChannel = 1;
  int64_t nextGroup = 0;
  // Give copied collectives channels of their own. Sends and recvs on the device keep theirs: the copies
  // work together with the originals.
  bool uniqueChannels = true;
};
CopyNumbers copyNumbersOf(const Module& module, bool uniqueChannels = true);

class BodyCopier {
 public:
  BodyCopier(Computation& target, CopyNumbers& numbers) : target_(target), numbers_(numbers) {}

  // What stands for an instruction of the body in the target.
  void map(const Instruction* original, Instruction* standIn) { standsFor_[original] = standIn; }
  Instruction* find(const Instruction* original) const {
    const auto found = standsFor_.find(original);
    return found == standsFor_.end() ? nullptr : found->second;
  }
  Instruction* at(const Instruction* original) const { return standsFor_.at(original); }

  // A copy at the end of the target whose operands stand for the original's; all must be known. Waits for the
  // copies of what the original waits for. Loops, conditionals and fusions get computations of their own.
  Result<Instruction*> copy(const Instruction& original);

  enum class Groups : uint8_t { Keep, Remove, Renumber };
  // What becomes of scheduling groups. Renumber: one new group for each old one, for all this copier copies;
  // those that name an iteration go when `dropIterations`.
  void setGroups(Groups groups, bool dropIterations = false) {
    groups_ = groups;
    dropIterations_ = dropIterations;
  }

 private:
  void renumberChannel(Instruction& copy) const;
  Status regroup(Instruction& copy);

  Computation& target_;
  CopyNumbers& numbers_;
  absl::flat_hash_map<const Instruction*, Instruction*> standsFor_;
  absl::flat_hash_map<int64_t, int64_t> newGroups_;
  Groups groups_ = Groups::Keep;
  bool dropIterations_ = false;
};

}  // namespace hilo
