#include "core/compiler/passes/dots/splitk_rewriter.h"

#include <algorithm>

#include "core/analysis/saturating.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/dots/split_k.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

constexpr double kTile = 128;
constexpr int64_t kMostParts = 2048, kAlignedBits = 128;

struct DotSizes {
  double batch = 1, rows = 1, columns = 1, sum = 1;
  double leftBits = 0, rightBits = 0, sumBits = 0, resultBits = 0, operations = 2;
};

double sizeOf(Shape shape, std::span<const int64_t> dimensions) {
  double size = 1;
  for (const int64_t d : dimensions) size *= static_cast<double>(shape.dimension(static_cast<size_t>(d)));
  return size;
}

// Of what the chain of work on one array behind the operand reads: that is fused.
double readBits(const Instruction* value) {
  while (isElementwise(value->opcode()) && value->operandCount() == 1) value = value->operand(0);
  return elementBits(value->shape().elementType());
}

double operationsOf(const Instruction& dot) {
  switch (dot.get<Attr::Algorithm>().value_or(DotAlgorithm::Unset)) {
    case DotAlgorithm::BF16BF16F32X3:
    case DotAlgorithm::TF32TF32F32X3:
      return 12;
    case DotAlgorithm::BF16BF16F32X6:
      return 20;
    case DotAlgorithm::BF16BF16F32X9:
      return 28;
    default:
      return 2;
  }
}

DotSizes sizesOf(const Instruction& dot) {
  const DotSide left = dotSide(dot, 0), right = dotSide(dot, 1);
  const Shape lhs = dot.operand(0)->shape(), rhs = dot.operand(1)->shape();
  const int bits = elementBits(dot.shape().elementType());
  return {.batch = sizeOf(lhs, left.batch),
          .rows = sizeOf(lhs, left.free),
          .columns = sizeOf(rhs, right.free),
          .sum = sizeOf(lhs, left.contracting),
          .leftBits = readBits(dot.operand(0)),
          .rightBits = readBits(dot.operand(1)),
          .sumBits = static_cast<double>(std::max(bits, 32)),
          .resultBits = static_cast<double>(bits),
          .operations = operationsOf(dot)};
}

// What an operation, a byte, a byte of the reduction and its launch cost, fitted by XLA to measurements.
struct Weights {
  double operation, byte, reductionByte, reductionLaunch;
};

Weights weightsFor(int64_t capability) {
  if (capability >= 100) return {100, 0.0848863, 189.711, 1.21563e8};
  if (capability >= 90) return {100, 0.194136, 193.1384, 4.36e7};
  return {100, 0.0666955, 467.815, 5.65307e7};
}

double estimate(const DotSizes& dot, double parts, const SplitKSettings& settings) {
  const Weights weights = weightsFor(settings.capability);
  const double batch = dot.batch * parts, rows = std::min(dot.rows, kTile),
               columns = std::min(dot.columns, kTile);
  const double tiles = batch * std::ceil(dot.rows / kTile) * std::ceil(dot.columns / kTile);
  const double slots = static_cast<double>(settings.processors) * kTile * kTile / (rows * columns);
  const double compute = dot.operations * rows * columns * std::ceil(dot.sum / parts) *
                         std::max(1.0, tiles / slots) * weights.operation;
  const double read = dot.batch * dot.sum * (dot.rows * dot.leftBits + dot.columns * dot.rightBits) / 8;
  const double written = dot.rows * dot.columns * batch * (parts > 1 ? dot.sumBits : dot.resultBits) / 8;
  const double product = std::max(compute, (read + written) * weights.byte);
  if (parts <= 1) return product;
  const double reduced = dot.rows * dot.columns * (batch * dot.sumBits + dot.batch * dot.resultBits) / 8;
  return product + weights.reductionLaunch + reduced * weights.reductionByte;
}

int64_t partsOf(const Instruction& dot, const SplitKSettings& settings) {
  if (settings.forced > 0) return settings.forced;
  const DotSizes sizes = sizesOf(dot);
  int64_t best = 1;
  for (int64_t parts = 2; parts <= kMostParts; parts *= 2) {
    if (estimate(sizes, static_cast<double>(parts), settings) <
        estimate(sizes, static_cast<double>(best), settings))
      best = parts;
  }
  return best;
}

bool isSplittable(const Instruction& dot) {
  if (dot.opcode() != Opcode::Dot || dot.operandCount() != 2 || dot.has(Attr::SparsityConfig) ||
      dot.has(Attr::ControlPredecessors) || (dot.users().empty() && !dot.isRoot()))
    return false;
  for (const Shape shape : {dot.shape(), dot.operand(0)->shape(), dot.operand(1)->shape()}) {
    if (!liesRowMajor(shape) || shape.elementCount() == 0 || isComplex(shape.elementType()) ||
        shape.elementType() == ElementType::S32 || shape.elementType() == ElementType::Pred)
      return false;
  }
  return dot.get<Attr::LhsContractingDims>().size() == 1;
}

// The sum's length, up to where parts of aligned elements divide it.
int64_t paddedSum(const Instruction& dot, int64_t parts) {
  const auto along = static_cast<size_t>(dotSide(dot, 0).contracting[0]);
  const int64_t bits = static_cast<int64_t>(std::min(readBits(dot.operand(0)), readBits(dot.operand(1))));
  const int64_t step = saturatingMultiply(parts, kAlignedBits / std::clamp<int64_t>(bits, 1, kAlignedBits));
  const int64_t length = dot.operand(0)->shape().dimension(along);
  return (length + step - 1) / step * step;
}

void pad(Instruction& dot, size_t side, int64_t length) {
  Instruction* operand = dot.operand(side);
  std::vector<int64_t> sizes(operand->shape().dimensions().begin(), operand->shape().dimensions().end());
  sizes[static_cast<size_t>(dotSide(dot, side).contracting[0])] = length;
  Instruction* zero = algebra::makeSplat(dot, Shape::scalar(operand->shape().elementType()), 0);
  dot.setOperand(side, padTo(operand, sizes, zero, dot));
}

}  // namespace

Result<bool> rewriteSplitK(Module& module, PassContext& context, const SplitKSettings& settings) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* dot : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!isSplittable(*dot)) continue;
      const int64_t parts = partsOf(*dot, settings);
      if (parts <= 1) continue;
      if (!context.mayChange(*dot)) return changed;
      const int64_t length = paddedSum(*dot, parts);
      for (const size_t side : {0, 1}) pad(*dot, side, length);
      Instruction* sum = splitSum(*dot, parts);
      context.remark(*dot, "split", fmt::format("{} parts, added by %{}", parts, sum->name()));
      computation->replaceAllUses(dot, sum);
      computation->remove(dot);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
