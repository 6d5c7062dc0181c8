// What a command buffer runs, from the computation it was recorded of: XLA prints the command buffer alone.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <deque>

#include "core/hlo/dump/thunk_sequence.h"
#include "core/hlo/ir/module.h"

namespace hilo {

class RecordedThunks {
 public:
  // What a thunk runs, as printed; of a command buffer made of the call `of[0]` of which nothing is printed a
  // group "recorded": a thunk for each instruction of the called computation that runs on the device, in its
  // order, with the instruction's name as annotation and the kind XLA gives such an instruction where nothing
  // was chosen for it, of a fusion a kernel. Loops and branches have theirs. The description says that XLA
  // printed none of it. A computation is taken once: for the first that runs it.
  // The result lives as long as both this and the thunk.
  const std::vector<ThunkGroup>& groupsOf(const DumpedThunk& thunk,
                                          const std::vector<const Instruction*>& of);

 private:
  std::vector<DumpedThunk> thunksOf(const Computation& computation);
  std::vector<ThunkGroup> groupsOf(const Instruction& instruction);

  absl::flat_hash_set<const Computation*> taken_;
  std::deque<std::vector<ThunkGroup>> made_;
};

}  // namespace hilo
