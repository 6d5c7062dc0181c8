// Computations written as HLO text: parsed, brought into the call's module, and called.
#include <absl/container/flat_hash_map.h>
#include <absl/strings/str_replace.h>

#include "core/base/check.h"
#include "core/hlo/expand/expansion.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/verify/infer_shape.h"

namespace hilo::library {
namespace {

// What stands for the computations of the text.
using Computations = absl::flat_hash_map<const Computation*, Computation*>;

template <Attr A>
void copyAttribute(const Instruction& from, Instruction& to, const Computations& computations) {
  using T = AttrTraits<A>::Type;
  if (!from.has(A)) return;
  if constexpr (std::is_same_v<T, Computation*>) {
    to.set<A>(computations.at(from.get<A>()));
  } else if constexpr (std::is_same_v<T, const Literal*>) {
    to.set<A>(to.module().own(*from.get<A>()));
  } else if constexpr (requires { from.get<A>().has_value(); } && !std::is_pointer_v<T>) {
    to.set<A>(*from.get<A>());
  } else if constexpr (!std::is_same_v<T, std::span<Computation* const>> &&
                       !std::is_same_v<T, std::span<Instruction* const>>) {
    to.set<A>(from.get<A>());
  }
}

void copyAttributes(const Instruction& from, Instruction& to, const Computations& computations) {
#define ATTRIBUTE(name, ...) copyAttribute<Attr::name>(from, to, computations);
#include "core/hlo/ir/attributes.def"
}

Computation* bringIn(const Computation& original, Instruction& call, const Computations& computations) {
  Module& module = call.module();
  Computation* copy = module.createComputation(module.uniqueName(original.name()), &call.parent());
  absl::flat_hash_map<const Instruction*, Instruction*> made;
  for (const Instruction* instruction : original.instructions()) {
    std::vector<Instruction*> operands;
    for (const Instruction* operand : instruction->operands()) operands.push_back(made.at(operand));
    Instruction* twin = copy->create(instruction->opcode(), instruction->shape(), operands,
                                     module.uniqueName(instruction->name()));
    copyAttributes(*instruction, *twin, computations);
    if (twin->opcode() == Opcode::Parameter) copy->registerParameter(twin, twin->parameterNumber());
    made[instruction] = twin;
  }
  copy->setRoot(made.at(original.root()));
  return copy;
}

}  // namespace

Instruction* Expansion::callText(std::string_view text, const Replacements& replacements,
                                 std::span<Instruction* const> operands) const {
  const std::string written = absl::StrReplaceAll(absl::string_view(text.data(), text.size()), replacements);
  const auto parsed = parseModuleStrictly(written, {.inferShape = inferShape});
  CHECK(parsed.has_value(), toString(parsed.error()) + "\n" + written);
  Computations computations;
  for (const Computation* computation : (*parsed)->computations())
    computations[computation] = bringIn(*computation, call_, computations);
  Computation* entry = computations.at((*parsed)->entry());
  Instruction* made = add(Opcode::Call, entry->root()->shape(), operands);
  made->set<Attr::ToApply>(entry);
  return made;
}

}  // namespace hilo::library
