#include "core/compiler/pass/main_computations.h"

#include <absl/container/flat_hash_set.h>

namespace hilo {
namespace {

bool isOther(std::string_view thread) { return !thread.empty() && thread != "main"; }

std::string_view threadOf(const Computation& computation) {
  return computation.attributes().get<Attr::ExecutionThread>();
}

// What says that it runs on another thread, or is called by an operation that does.
std::vector<const Computation*> markedComputations(const Module& module) {
  std::vector<const Computation*> marked;
  for (const Computation* computation : module.computations()) {
    if (isOther(threadOf(*computation))) marked.push_back(computation);
    for (const Instruction* instruction : computation->instructions()) {
      if (instruction->opcode() != Opcode::AsyncStart ||
          !isOther(instruction->get<Attr::AsyncExecutionThread>()))
        continue;
      for (const Computation* called : instruction->calledComputations()) {
        if (called != nullptr && threadOf(*called).empty()) marked.push_back(called);
      }
    }
  }
  return marked;
}

}  // namespace

std::vector<Computation*> mainComputations(Module& module) {
  std::vector<const Computation*> pending = markedComputations(module);
  absl::flat_hash_set<const Computation*> others(pending.begin(), pending.end());
  while (!pending.empty()) {
    const Computation* computation = pending.back();
    pending.pop_back();
    for (const Instruction* instruction : computation->instructions()) {
      for (const Computation* called : instruction->calledComputations()) {
        if (called != nullptr && threadOf(*called).empty() && others.insert(called).second)
          pending.push_back(called);
      }
    }
  }
  std::vector<Computation*> main;
  for (Computation* computation : module.computations()) {
    if (!others.contains(computation)) main.push_back(computation);
  }
  return main;
}

std::vector<Computation*> unfusedComputations(Module& module) {
  absl::flat_hash_set<const Computation*> fused;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (instruction->opcode() == Opcode::Fusion) fused.insert(instruction->get<Attr::Calls>());
    }
  }
  std::vector<Computation*> unfused = mainComputations(module);
  std::erase_if(unfused, [&](const Computation* computation) { return fused.contains(computation); });
  return unfused;
}

}  // namespace hilo
