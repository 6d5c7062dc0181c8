#include "core/compiler/spmd/op_factors.h"

namespace hilo {
namespace {

Shape firstResult(const Instruction& instruction) {
  const Shape shape = instruction.shape();
  return shape.isTuple() && !shape.tupleShapes().empty() ? shape.tupleShapes()[0] : shape;
}

}  // namespace

Factor& FactorList::add(Factor::Kind kind, int64_t size) {
  list_.factors.push_back(
      {.kind = kind, .size = size, .operands = std::vector<int64_t>(instruction_.operandCount(), -1)});
  return list_.factors.back();
}

Factor* FactorList::factorOf(size_t operand, int64_t dimension) {
  for (Factor& factor : list_.factors) {
    if (factor.operands[operand] == dimension) return &factor;
  }
  return nullptr;
}

Factor& FactorList::pass(size_t operand, int64_t from, int64_t to) {
  Factor& factor =
      add(Factor::Kind::Pass, instruction_.operand(operand)->shape().dimension(static_cast<size_t>(from)));
  factor.operands[operand] = from;
  factor.result = to;
  return factor;
}

Factor& FactorList::sum(size_t operand, int64_t dimension) {
  Factor& factor = add(Factor::Kind::Sum,
                       instruction_.operand(operand)->shape().dimension(static_cast<size_t>(dimension)));
  factor.operands[operand] = dimension;
  return factor;
}

Factor& FactorList::passAll(int64_t dimension) {
  const Shape result = firstResult(instruction_);
  Factor& factor = add(Factor::Kind::Pass, result.dimension(static_cast<size_t>(dimension)));
  for (size_t i = 0; i < instruction_.operandCount(); ++i) {
    const Shape operand = instruction_.operand(i)->shape();
    if (operand.isArray() && operand.rank() == result.rank()) factor.operands[i] = dimension;
  }
  factor.result = dimension;
  return factor;
}

void FactorList::window(int64_t dimension, bool passes) {
  Factor& factor = passAll(dimension);
  if (!passes) factor.window = dimension;
}

OpFactors FactorList::take() {
  // Of nothing there are no ranges and no groups.
  std::erase_if(list_.factors, [&](const Factor& factor) {
    if (factor.window < 0 && factor.groups == 0) return false;
    for (size_t i = 0; i < factor.operands.size(); ++i) {
      const int64_t d = factor.operands[i];
      if (d >= 0 && instruction_.operand(i)->shape().dimension(static_cast<size_t>(d)) == 0) return true;
    }
    return factor.result >= 0 && firstResult(instruction_).dimension(static_cast<size_t>(factor.result)) == 0;
  });
  return std::move(list_);
}

OpFactors opFactors(const Instruction& instruction) {
  // An array with fewer elements than its bounds ends anywhere: it is not cut.
  const auto isDynamic = [](const Instruction* i) { return i->shape().isDynamic(); };
  if (isDynamic(&instruction) || std::ranges::any_of(instruction.operands(), isDynamic)) return {};
  switch (instruction.opcode()) {
#define FACTORS(opcode, function) \
  case Opcode::opcode:            \
    return function(instruction);
#include "core/compiler/spmd/op_factors.def"
    default:
      return isElementwise(instruction.opcode()) ? elementFactors(instruction) : OpFactors();
  }
}

std::vector<int64_t> factorOfDimension(const OpFactors& factors, size_t operand, size_t rank) {
  std::vector<int64_t> result(rank, -1);
  for (size_t f = 0; f < factors.factors.size(); ++f) {
    const int64_t dimension = factors.factors[f].operands[operand];
    if (dimension >= 0) result[static_cast<size_t>(dimension)] = static_cast<int64_t>(f);
  }
  return result;
}

std::vector<int64_t> factorOfResult(const OpFactors& factors, size_t rank) {
  std::vector<int64_t> result(rank, -1);
  for (size_t f = 0; f < factors.factors.size(); ++f) {
    const int64_t dimension = factors.factors[f].result;
    if (dimension >= 0 && dimension < static_cast<int64_t>(rank))
      result[static_cast<size_t>(dimension)] = static_cast<int64_t>(f);
  }
  return result;
}

std::vector<int64_t> dimensionOfFactor(const OpFactors& factors, size_t operand) {
  std::vector<int64_t> result;
  for (const Factor& factor : factors.factors) result.push_back(factor.operands[operand]);
  return result;
}

std::vector<int64_t> resultOfFactor(const OpFactors& factors) {
  std::vector<int64_t> result;
  for (const Factor& factor : factors.factors) result.push_back(factor.result);
  return result;
}

}  // namespace hilo
