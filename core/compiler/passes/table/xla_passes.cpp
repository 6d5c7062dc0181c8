#include "core/compiler/passes/table/xla_passes.h"

#include <algorithm>

#include "core/compiler/passes/table/all_passes.h"

namespace hilo {
namespace {

constexpr XlaPass kPasses[] = {
#define XLA_PASS(...) {__VA_ARGS__},
#include "core/compiler/passes/table/xla_passes.def"
};

// Those that are not there, so that a pipeline can have them as steps.
const std::vector<Pass>& absentPasses() {
  static const auto* passes = [] {
    auto* made = new std::vector<Pass>;
    for (const XlaPass& pass : kPasses) {
      if (pass.ours.empty())
        made->push_back({.name = pass.name, .summary = "A pass of XLA's, not there yet"});
    }
    return made;
  }();
  return *passes;
}

}  // namespace

std::span<const XlaPass> xlaPasses() { return kPasses; }

const XlaPass* findXlaPass(std::string_view name) {
  const auto found = std::ranges::lower_bound(kPasses, name, {}, &XlaPass::name);
  return found == std::end(kPasses) || found->name != name ? nullptr : found;
}

ConfiguredPass configuredPass(const XlaPass& xla) {
  if (xla.ours.empty()) return &*std::ranges::find(absentPasses(), xla.name, &Pass::name);
  ConfiguredPass configured(findPass(xla.ours));
  // Another of ours may have that name.
  if (findPass(xla.name) == nullptr) configured.as = xla.name;
  return configured;
}

std::optional<ConfiguredPass> passByName(std::string_view name) {
  if (const Pass* own = findPass(name)) return own;
  if (const XlaPass* xla = findXlaPass(name)) return configuredPass(*xla);
  return std::nullopt;
}

}  // namespace hilo
