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

using MayChange = std::function<bool(const Instruction&)>;

// Loops and conditionals inside belong to the call; `done` has the computations gone through.
bool prefixWithin(Instruction& i, std::string_view prefix, const MayChange& mayChange,
                  absl::flat_hash_set<const Computation*>& done) {
  bool changed = false;
  const OpMetadata* stated = i.get<Attr::Metadata>();
  const std::string name = prefixed(prefix, stated == nullptr ? "" : stated->opName);
  if (!name.empty() && mayChange(i)) {
    OpMetadata metadata = stated == nullptr ? OpMetadata{} : *stated;
    metadata.opName = name;
    i.set<Attr::Metadata>(&metadata);
    changed = true;
  }
  if (!isControlFlow(i.opcode())) return changed;
  for (Computation* called : i.calledComputations()) {
    if (!done.insert(called).second) continue;
    for (Instruction* inner : called->instructions())
      changed |= prefixWithin(*inner, prefix, mayChange, done);
  }
  return changed;
}

}  // namespace

Result<bool> propagateCallMetadata(Module& module, PassContext& context) {
  bool changed = false;
  std::vector<Computation*> callersFirst = unfusedComputations(module);
  std::ranges::reverse(callersFirst);
  for (Computation* computation : callersFirst) {
    for (Instruction* call : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (call->opcode() != Opcode::Call || opNamePrefix(*call).empty()) continue;
      const std::string prefix(opNamePrefix(*call));
      absl::flat_hash_set<const Computation*> done;
      for (Computation* called : call->calledComputations()) {
        for (Instruction* i : called->instructions())
          changed |=
              prefixWithin(*i, prefix, [&](const Instruction& at) { return context.mayChange(at); }, done);
      }
    }
  }
  return changed;
}

std::string_view opNamePrefix(const Instruction& call) {
  const OpMetadata* metadata = call.get<Attr::Metadata>();
  return metadata == nullptr ? "" : withoutSlashes(metadata->opName);
}

bool prefixOpName(Instruction& instruction, std::string_view prefix, const MayChange& mayChange) {
  absl::flat_hash_set<const Computation*> done;
  return prefixWithin(instruction, prefix, mayChange, done);
}

}  // namespace hilo
