// Factors of reductions, by dimensions and by windows.
#include "core/compiler/spmd/op_factors.h"
#include "core/compiler/spmd/tiling.h"
#include "core/hlo/ir/combiner.h"

namespace hilo {
namespace {

bool contains(std::span<const int64_t> list, int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

// A window of one element that moves by one passes a dimension through.
OpFactors windowFactors(const Instruction& instruction) {
  const auto* window = instruction.get<Attr::Window>();
  if (window == nullptr) return {};
  FactorList list(instruction);
  for (size_t d = 0; d < window->dimensions.size(); ++d)
    list.window(static_cast<int64_t>(d), window->dimensions[d] == WindowDimension());
  return list.take();
}

// Adds what is scattered, and pads nothing: a window that is there only in part gets zero to add, and nothing
// that lies beside is compared with what is selected, which may be a NaN.
bool isPlainScatter(const Instruction& instruction) {
  const auto* window = instruction.get<Attr::Window>();
  return plainCombiner(instruction.get<Attr::Scatter>()) == Opcode::Add &&
         instruction.shape().elementType() != ElementType::F8E8M0FNU &&
         std::ranges::all_of(window->dimensions, [](const WindowDimension& d) {
           return d.paddingLow == 0 && d.paddingHigh == 0;
         });
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

static void dropWindows(OpFactors& factors) {
  std::erase_if(factors.factors, [](const Factor& factor) { return factor.window >= 0; });
}

OpFactors reduceWindowFactors(const Instruction& instruction) {
  OpFactors factors = windowFactors(instruction);
  const auto combiner = plainCombiner(instruction.get<Attr::ToApply>());
  if (!combiner || !neutralElement(*combiner, leavesOf(instruction.shape())[0].elementType()))
    dropWindows(factors);
  return factors;
}

OpFactors selectAndScatterFactors(const Instruction& instruction) {
  OpFactors factors = windowFactors(instruction);
  if (!factors.factors.empty() && !isPlainScatter(instruction)) dropWindows(factors);
  return factors;
}

namespace {

constexpr Opcode kCombiners[] = {Opcode::Add,     Opcode::Multiply, Opcode::Maximum,
                                 Opcode::Minimum, Opcode::And,      Opcode::Or};

}  // namespace

std::optional<Opcode> plainCombiner(const Computation* computation) {
  if (computation == nullptr) return std::nullopt;
  const auto operation = operationOnBoth(*computation);
  const bool isPlain = operation && std::ranges::find(kCombiners, *operation) != std::end(kCombiners);
  return isPlain ? operation : std::nullopt;
}

}  // namespace hilo
