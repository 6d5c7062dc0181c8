#include "core/compiler/passes/memory/alias_passthrough_params.h"

#include <algorithm>

namespace hilo {
namespace {

bool isAliased(std::span<const AliasEntry> aliases, int64_t output, int64_t parameter) {
  return std::ranges::any_of(aliases, [&](const AliasEntry& entry) {
    return std::ranges::equal(entry.outputIndex, std::span(&output, 1)) ||
           (entry.parameter == parameter && entry.parameterIndex.empty());
  });
}

}  // namespace

Result<bool> aliasPassthroughParams(Module& module, PassContext& context) {
  if (!module.get<Attr::AliasPassthroughParams>().value_or(false)) return false;
  Instruction& root = *module.entry()->root();
  if (root.opcode() != Opcode::Tuple) return false;
  bool changed = false;
  for (size_t k = 0; k < root.operandCount(); ++k) {
    const Instruction& value = *root.operand(k);
    if (value.opcode() != Opcode::Parameter) continue;
    const auto output = static_cast<int64_t>(k);
    const auto there = module.get<Attr::InputOutputAlias>();
    if (isAliased(there, output, value.parameterNumber())) continue;
    if (!context.mayChange(value)) return changed;
    std::vector<AliasEntry> aliases(there.begin(), there.end());
    aliases.push_back({.outputIndex = {&output, 1}, .parameter = value.parameterNumber()});
    module.set<Attr::InputOutputAlias>(aliases);
    context.remark(value, "aliased", fmt::format("is element {} of the result", k));
    changed = true;
  }
  return changed;
}

}  // namespace hilo
