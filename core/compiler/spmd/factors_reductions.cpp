// Factors of reductions, by dimensions and by windows.
#include "core/compiler/spmd/op_factors.h"

namespace hilo {
namespace {

bool contains(std::span<const int64_t> list, int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

// Dimensions where the window is one element that moves by one: passes for operands of the array's rank.
OpFactors windowFactors(const Instruction& instruction) {
  const auto* window = instruction.get<Attr::Window>();
  if (window == nullptr) return {};
  FactorList list(instruction);
  for (size_t d = 0; d < window->dimensions.size(); ++d) {
    if (window->dimensions[d] == WindowDimension()) list.passAll(static_cast<int64_t>(d));
  }
  return list.take();
}

}  // namespace

OpFactors reduceFactors(const Instruction& reduce) {
  FactorList list(reduce);
  const size_t inputs = reduce.operandCount() / 2;
  const auto combiner = plainCombiner(reduce.get<Attr::ToApply>());
  if (combiner) list.combineBy(*combiner);
  int64_t result = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(reduce.operand(0)->shape().rank()); ++d) {
    const bool isReduced = contains(reduce.dimensions(), d);
    if (isReduced && (inputs > 1 || !combiner)) continue;
    Factor& factor = isReduced ? list.sum(0, d) : list.pass(0, d, result);
    if (!isReduced) ++result;
    for (size_t i = 0; i < inputs; ++i) factor.operands[i] = d;
  }
  return list.take();
}

OpFactors reduceWindowFactors(const Instruction& instruction) { return windowFactors(instruction); }
OpFactors selectAndScatterFactors(const Instruction& instruction) { return windowFactors(instruction); }

namespace {

constexpr Opcode kCombiners[] = {Opcode::Add,     Opcode::Multiply, Opcode::Maximum,
                                 Opcode::Minimum, Opcode::And,      Opcode::Or};

}  // namespace

std::optional<Opcode> plainCombiner(const Computation* computation) {
  if (computation == nullptr || computation->root() == nullptr || computation->parameters().size() != 2)
    return std::nullopt;
  const Instruction* root = computation->root();
  if (std::ranges::find(kCombiners, root->opcode()) == std::end(kCombiners)) return std::nullopt;
  const auto isParameter = [](const Instruction* i) { return i->opcode() == Opcode::Parameter; };
  if (!isParameter(root->operand(0)) || !isParameter(root->operand(1)) ||
      root->operand(0) == root->operand(1))
    return std::nullopt;
  return root->opcode();
}

}  // namespace hilo
