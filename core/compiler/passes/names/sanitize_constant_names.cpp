#include "core/compiler/passes/names/sanitize_constant_names.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace hilo {
namespace {

std::string symbolOf(std::string_view name) {
  std::string symbol(name);
  std::ranges::replace_if(
      symbol, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_'; }, '_');
  return symbol;
}

}  // namespace

Result<bool> sanitizeConstantNames(Module& module, PassContext& context) {
  absl::flat_hash_set<std::string> taken;
  for (Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) taken.emplace(instruction->name());
  }
  bool changed = false;
  for (Computation* computation : module.computations()) {
    for (Instruction* constant : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (constant->opcode() != Opcode::Constant) continue;
      const std::string symbol = symbolOf(constant->name());
      if (symbol == constant->name()) continue;
      if (!context.mayChange(*constant)) return changed;
      std::string name = symbol;
      for (int n = 0; !taken.insert(name).second; ++n) name = fmt::format("{}_{}", symbol, n);
      constant->setName(name);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
