#include "core/compiler/codegen/gpu/hero_form.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "core/compiler/codegen/lower/one_kernel.h"
#include "core/runtime/program/program.h"

namespace hilo::gpu {

std::vector<const Instruction*> heroesOf(const Instruction& instruction, IsHero isHero) {
  if (isHero(instruction)) return {&instruction};
  if (instruction.opcode() != Opcode::Fusion) return {};
  std::vector<const Instruction*> heroes;
  absl::flat_hash_set<const Instruction*> after;
  const auto hasSizesOfThem = [&](Shape shape) {
    return std::ranges::equal(shape.dimensions(), heroes[0]->shape().dimensions());
  };
  for (const Instruction* step : instruction.calledComputations()[0]->instructions()) {
    const bool isAfter =
        std::ranges::any_of(step->operands(), [&](const Instruction* o) { return after.contains(o); });
    if (isAfter) {
      const bool isTuple = step->opcode() == Opcode::Tuple && step->isRoot();
      if (!isTuple && (!isElementwise(step->opcode()) || !hasSizesOfThem(step->shape()))) return {};
    } else if (isHero(*step)) {
      heroes.push_back(step);
      if (!hasSizesOfThem(step->shape())) return {};
    } else if (!isElemental(*step) || isOfMany(step->opcode())) {
      return {};
    }
    if (isAfter || isHero(*step)) after.insert(step);
  }
  if (heroes.empty()) return {};
  for (const Shape result : arrayLeaves(instruction.shape())) {
    if (!hasSizesOfThem(result)) return {};
  }
  return heroes;
}

}  // namespace hilo::gpu
