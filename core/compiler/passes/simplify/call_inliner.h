// Replaces each call by a copy of the instructions it calls, innermost first. A call with a backend_config,
// marked inlineable="false" by its frontend attributes, or inside an async computation stays, as in XLA's
// CallInliner (call_inliner.cc). Copies get the frontend attributes of the call that they lack, its op_name
// before theirs, and its stack frame below theirs; a fusion among them has a computation of its own.
// Computations left without callers are for dead code elimination to remove.
#pragma once

#include <string>

#include "core/compiler/pass/pass.h"

namespace hilo {

struct CallInlinerSettings {
  bool onlyOnce = false;         // only computations that one call calls
  std::string onlyCallees;       // names of computations, with colons between; empty: all
  std::string keptComposites;    // names of composites that stay calls, with colons between
  bool keepShmapBodies = false;  // bodies of shard_map stay calls, for Shardy
};
Result<bool> inlineCalls(Module& module, PassContext& context, const CallInlinerSettings& settings = {});

// Of one call or fusion, whatever it is marked with: copies what it calls in front of it, and removes it.
// What depended on its control order depends on that of the copies. Gives these; fusions among them share
// their computations with what was copied.
std::vector<Instruction*> inlineCall(Instruction& call);

}  // namespace hilo
