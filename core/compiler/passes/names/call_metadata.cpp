#include "core/compiler/passes/names/call_metadata.h"

#include <absl/container/flat_hash_set.h>
#include <algorithm>

#include "core/compiler/pass/main_computations.h"

namespace hilo {
namespace {

constexpr size_t kLongestName = 1024;

std::string_view withoutSlashes(std::string_view name) {
  while (name.starts_with('/')) name.remove_prefix(1);
  while (name.ends_with('/')) name.remove_suffix(1);
  return name;
}

// "" where the name stays.
std::string prefixed(std::string_view prefix, std::string_view name) {
  name = withoutSlashes(name);
  if (name.starts_with(prefix) || prefix.size() + name.size() >= kLongestName) return "";
  return name.empty() ? std::string(prefix) : fmt::format("{}/{}", prefix, name);
}

bool isControlFlow(Opcode opcode) { return opcode == Opcode::While || opcode == Opcode::Conditional; }

// Loops and conditionals inside belong to the call. `changed`: whether a name was changed.
void prefixAll(Computation& computation, std::string_view prefix, PassContext& context, bool& changed,
               absl::flat_hash_set<const Computation*>& done) {
  if (!done.insert(&computation).second) return;
  for (Instruction* i : computation.instructions()) {
    const OpMetadata* stated = i->get<Attr::Metadata>();
    const std::string name = prefixed(prefix, stated == nullptr ? "" : stated->opName);
    if (!name.empty() && context.mayChange(*i)) {
      OpMetadata metadata = stated == nullptr ? OpMetadata{} : *stated;
      metadata.opName = name;
      i->set<Attr::Metadata>(&metadata);
      changed = true;
    }
    if (!isControlFlow(i->opcode())) continue;
    for (Computation* called : i->calledComputations()) prefixAll(*called, prefix, context, changed, done);
  }
}

}  // namespace

Result<bool> propagateCallMetadata(Module& module, PassContext& context) {
  bool changed = false;
  std::vector<Computation*> callersFirst = unfusedComputations(module);
  std::ranges::reverse(callersFirst);
  for (Computation* computation : callersFirst) {
    for (Instruction* call : computation->instructions()) {
      if (context.cancelled()) return changed;
      const OpMetadata* metadata = call->get<Attr::Metadata>();
      if (call->opcode() != Opcode::Call || metadata == nullptr) continue;
      const std::string prefix(withoutSlashes(metadata->opName));
      if (prefix.empty()) continue;
      absl::flat_hash_set<const Computation*> done;
      for (Computation* called : call->calledComputations())
        prefixAll(*called, prefix, context, changed, done);
    }
  }
  return changed;
}

}  // namespace hilo
