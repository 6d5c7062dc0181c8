#include "core/compiler/passes/reductions/unstable_reduction_detector.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace hilo {
namespace {

// The greatest or least of two numbers.
bool picks(const Computation& combiner) {
  const Instruction& root = *combiner.root();
  return (root.opcode() == Opcode::Maximum || root.opcode() == Opcode::Minimum) &&
         std::ranges::all_of(root.operands(),
                             [](const Instruction* o) { return o->opcode() == Opcode::Parameter; });
}

bool isUnstable(const Instruction& i) {
  if (i.opcode() != Opcode::Reduce || !i.shape().isArray() || picks(*i.get<Attr::ToApply>())) return false;
  const ElementType type = i.shape().elementType();
  return isFloat(type) && elementBits(type) < 32 &&
         std::ranges::any_of(
             i.dimensions(),
             [&](int64_t d) { return i.operand(0)->shape().dimension(static_cast<size_t>(d)) != 1; });
}

// What a reader finds in the program: places of source with names, each once, and what has none.
std::string placesOf(const std::vector<const Instruction*>& reductions) {
  std::set<std::string> named, unnamed;
  for (const Instruction* i : reductions) {
    const OpMetadata* metadata = i->get<Attr::Metadata>();
    if (metadata == nullptr || metadata->opName.empty())
      unnamed.insert(fmt::format("%{}", i->name()));
    else
      named.insert(fmt::format("{}:{}: {}", metadata->sourceFile, metadata->sourceLine, metadata->opName));
  }
  std::string text = fmt::format("{}", fmt::join(named, ", "));
  if (!unnamed.empty())
    text += fmt::format("{}without metadata: {}", named.empty() ? "" : "; ", fmt::join(unnamed, ", "));
  return text;
}

}  // namespace

Result<bool> detectUnstableReductions(Module& module, PassContext& context, const ReductionChecks& checks) {
  if (checks.found == UnstableReductions::Ignored) return false;
  std::vector<const Instruction*> found;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (isUnstable(*i)) found.push_back(i);
    }
  }
  for (const Instruction* i : found) {
    const std::string_view type = elementTypeName(i->shape().elementType());
    context.remark(*i, "unstable", fmt::format("adds up in {}: the order of its elements shows", type));
  }
  if (found.empty() || checks.found == UnstableReductions::Told) return false;
  return fail("unstable-reduction",
              fmt::format("{} unstable reductions: {}; convert the elements to f32 first", found.size(),
                          placesOf(found)));
}

}  // namespace hilo
