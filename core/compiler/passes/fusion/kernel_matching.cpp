#include "core/compiler/passes/fusion/kernel_matching.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "core/compiler/passes/fusion/fusible.h"

namespace hilo {
namespace {

constexpr int64_t kTile = 32, kWidestColumns = 4 * 32 + 1;

bool isSharedReduce(const Instruction& i) { return i.opcode() == Opcode::Reduce && isSharedReduction(i); }

bool isKind(const Instruction& kernel, FusionKind kind) {
  return kernel.opcode() == Opcode::Fusion && kernel.get<Attr::FusionKindKind>() == kind;
}

std::vector<const Instruction*> resultsOf(const Instruction& kernel) {
  const Instruction* root = kernel.opcode() == Opcode::Fusion ? kernel.get<Attr::Calls>()->root() : &kernel;
  if (root->opcode() != Opcode::Tuple) return {root};
  return {root->operands().begin(), root->operands().end()};
}

bool isWritten(const Instruction* result) {
  while (result->opcode() == Opcode::Bitcast) result = result->operand(0);
  return result->opcode() == Opcode::DynamicUpdateSlice || result->opcode() == Opcode::Scatter;
}

int64_t elementsOf(const Shape shape) {
  if (shape.isArray()) return shape.elementCount();
  return shape.tupleShapes().empty() ? 0 : elementsOf(shape.tupleShapes()[0]);
}

bool isTransposed(const Instruction& i) {
  return i.opcode() == Opcode::Copy || i.opcode() == Opcode::Transpose;
}

// A transpose that no tiles help reads as a loop does.
bool isPlainTranspose(const KernelFacts& facts) {
  return facts.hero->opcode() == Opcode::Transpose && !facts.transpose;
}

// What binds most: a reduction or transpose that threads do together.
void findHero(const Instruction& kernel, KernelFacts& facts) {
  const bool isFusion = kernel.opcode() == Opcode::Fusion;
  const auto holds = [&](const Instruction& i) { return isFusion && i.opcode() != Opcode::Parameter; };
  const std::vector<const Instruction*> results = resultsOf(kernel);
  facts.results = static_cast<int64_t>(results.size());
  for (const Instruction* result : results) {
    const Instruction& hero = kernelHero(*result, holds);
    if (isSharedReduce(hero) && kernelEmitter({&result, 1}, holds) == KernelEmitter::Reduction) {
      facts.reduction = reductionForm(hero);
    } else {
      facts.transpose = tiledTranspose(hero);
    }
    if (!facts.reduction && !facts.transpose) continue;
    facts.hero = &hero;
    facts.elements = elementsOf(hero.operand(0)->shape());
    return;
  }
  facts.hero = results[0];
  facts.elements = elementsOf(results[0]->shape());
}

}  // namespace

int64_t sharedBytesOf(const Instruction& i) {
  if (const auto transpose = tiledTranspose(i)) {
    return kTile * (kTile + 1) * std::max<int64_t>(1, elementBits(i.shape().elementType()) / 8);
  }
  if (!isSharedReduce(i)) return 0;
  int64_t bytes = 0;
  for (size_t k = 0; k < i.operandCount() / 2; ++k)
    bytes += std::max<int64_t>(1, elementBits(i.operand(k)->shape().elementType()) / 8);
  return reductionForm(i)->isRow ? kTile * bytes : kTile * kWidestColumns * bytes;
}

KernelFacts kernelFacts(const Instruction& kernel) {
  KernelFacts facts;
  findHero(kernel, facts);
  facts.writesInPlace = std::ranges::any_of(resultsOf(kernel), isWritten);
  facts.givesArrays = std::ranges::all_of(
      resultsOf(kernel), [](const Instruction* result) { return result->shape().isArray(); });
  const auto add = [&](const Instruction& i) {
    facts.sharedBytes += sharedBytesOf(i);
    facts.reductions += isSharedReduce(i) ? 1 : 0;
  };
  if (kernel.opcode() != Opcode::Fusion) {
    add(kernel);
  } else {
    for (const Instruction* i : kernel.get<Attr::Calls>()->instructions()) add(*i);
  }
  return facts;
}

bool mayBeResult(const Instruction& kernel, const KernelFacts& facts) {
  if (kernel.has(Attr::ControlPredecessors) || isKind(kernel, FusionKind::Custom) || !facts.givesArrays)
    return false;
  if (kernel.opcode() != Opcode::Fusion && !isFusible(kernel)) return false;
  return facts.reduction || facts.transpose || isKind(kernel, FusionKind::Loop) ||
         (isElementwise(kernel.opcode()) && kernel.operandCount() > 0);
}

bool mayBeProducer(const Instruction& kernel, const KernelFacts& facts) {
  if (facts.results > 1 || facts.writesInPlace || kernel.has(Attr::ControlPredecessors)) return false;
  if (!kernel.shape().isArray()) return false;
  if (kernel.opcode() != Opcode::Fusion) return isFusibleProducer(kernel) && !isTransposed(kernel);
  return isKind(kernel, FusionKind::Loop) &&
         std::ranges::none_of(kernel.get<Attr::Calls>()->instructions(),
                              [](const Instruction* i) { return isTransposed(*i); });
}

bool goTogether(const KernelFacts& one, const KernelFacts& other) {
  if (one.reduction && other.reduction) return one.reduction == other.reduction;
  if (one.transpose && other.transpose) return one.transpose == other.transpose;
  const bool isBoundOne = one.reduction || one.transpose, isBoundOther = other.reduction || other.transpose;
  if (isBoundOne && (isBoundOther || isPlainTranspose(other))) return false;
  if (isBoundOther && isPlainTranspose(one)) return false;
  return one.elements == other.elements;
}

bool fitOneKernel(const Instruction& one, const KernelFacts& factsOfOne, const Instruction& other,
                  const KernelFacts& factsOfOther) {
  if (factsOfOne.sharedBytes + factsOfOther.sharedBytes > kMostSharedBytes) return false;
  if (factsOfOne.reductions + factsOfOther.reductions > kMostReductions) return false;
  absl::flat_hash_set<const Instruction*> operands(one.operands().begin(), one.operands().end());
  operands.insert(other.operands().begin(), other.operands().end());
  operands.erase(&one);
  operands.erase(&other);
  return operands.size() + static_cast<size_t>(factsOfOne.results + factsOfOther.results) <=
         kMostKernelArguments;
}

}  // namespace hilo
