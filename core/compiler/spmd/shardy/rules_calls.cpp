// Rules of decompositions, transforms, collectives and custom calls.
#include "core/compiler/spmd/shardy/sharding_rule.h"
#include "core/compiler/spmd/tiling.h"

namespace hilo::sdy {
namespace {

using Kind = RuleFactor::Kind;

constexpr std::string_view kElementwiseCalls[] = {
    "annotate_device_placement",
    "Cholesky",
    "CompactWyHelper",
    "InspectSharding",
    "InvertDiagBlocksLowerTriangular",
    "InvertDiagBlocksUpperTriangular",
    "LayoutConstraint",
    "mhlo.erf",
    "MoveToDevice",
    "MoveToHost",
    "Sharding",
    "X64SplitHigh",
    "X64SplitLow",
    "xla.megascale.provide_metadata",
    "_SPMDInternalOp_MultiPad",
    "_SPMDInternalOp_RotateRight",
    "_SPMDInternalOp_MultiRotate",
    "_SPMDInternalOp_MultiSlice",
    "_SPMDInternalOp_Wrap",
};

// By the dimensions of the first result; operands of another rank take part where they have them.
std::optional<ShardingRule> elementwiseCall(const Instruction& call) {
  const std::vector<Shape> results = leavesOf(call.shape());
  if (results.empty() || !results[0].isArray()) return std::nullopt;
  RuleBuilder builder(call);
  for (size_t d = 0; d < results[0].rank(); ++d)
    builder.addToAll(static_cast<int64_t>(d), results[0].dimension(d));
  return builder.take();
}

// A matrix in, matrices and a vector out: the leading dimensions are a batch.
std::optional<ShardingRule> decomposition(const Instruction& call, bool isEigen) {
  const Shape in = call.operandCount() == 1 ? call.operand(0)->shape() : Shape();
  const std::vector<Shape> results = leavesOf(call.shape());
  if (!in.isArray() || in.rank() < 2 || results.size() != 2 || results[0].rank() != in.rank() ||
      results[1].rank() + 1 != in.rank())
    return std::nullopt;
  RuleBuilder builder(call);
  for (size_t d = 0; d + 2 < in.rank(); ++d) builder.addToAll(static_cast<int64_t>(d), in.dimension(d));
  const auto row = static_cast<int64_t>(in.rank()) - 2, column = row + 1;
  const Kind kind = isEigen ? Kind::Pass : Kind::Whole;
  const auto add = [&](int64_t operand, int64_t first, int64_t second, int64_t size) {
    builder.add(std::vector{operand}, std::vector{first, second}, size, kind);
  };
  add(row, row, -1, in.dimension(static_cast<size_t>(row)));
  add(column, column, isEigen ? row : -1, in.dimension(static_cast<size_t>(column)));
  if (!isEigen) add(-1, -1, row, results[1].dimension(static_cast<size_t>(row)));
  return builder.take();
}

// The reflectors of a matrix and their weights, a vector.
std::optional<ShardingRule> householderProduct(const Instruction& call) {
  if (call.operandCount() != 2 || !call.shape().isArray()) return std::nullopt;
  const Shape matrix = call.operand(0)->shape(), weights = call.operand(1)->shape();
  if (!matrix.isArray() || !weights.isArray() || matrix.rank() < 2 || weights.rank() + 1 != matrix.rank() ||
      call.shape().rank() != matrix.rank())
    return std::nullopt;
  RuleBuilder builder(call);
  const size_t row = matrix.rank() - 2;
  for (size_t d = 0; d < row; ++d) builder.addToAll(static_cast<int64_t>(d), matrix.dimension(d));
  for (size_t d = row; d < matrix.rank(); ++d)
    builder.add({static_cast<int64_t>(d), -1}, static_cast<int64_t>(d), matrix.dimension(d), Kind::Whole);
  builder.add({-1, static_cast<int64_t>(row)}, -1, weights.dimension(row), Kind::Whole);
  return builder.take();
}

// ApproxTopK, PartialReduce: the reduced dimension of operands passes, the result's is one of its own.
std::optional<ShardingRule> partialReduction(const Instruction& call) {
  const std::vector<Shape> results = leavesOf(call.shape());
  if (call.operandCount() != 4 || results.size() != 2) return std::nullopt;
  const Shape in = call.operand(0)->shape();
  if (!in.isArray() || !results[0].isArray() || results[0].rank() != in.rank()) return std::nullopt;
  RuleBuilder builder(call);
  for (size_t i = 0; i < in.rank(); ++i) {
    const auto d = static_cast<int64_t>(i);
    const std::vector<int64_t> none(2, -1), both(2, d), operands = {d, d, -1, -1};
    if (in.dimension(i) == results[0].dimension(i)) {
      builder.add(operands, both, in.dimension(i));
      continue;
    }
    builder.add(operands, none, in.dimension(i));
    builder.add(std::vector<int64_t>(4, -1), both, results[0].dimension(i), Kind::Whole, true);
  }
  return builder.take();
}

// The state of a random generator stays whole.
std::optional<ShardingRule> combineX64(const Instruction& call) {
  const auto isGenerator = [](const Instruction* user) { return user->opcode() == Opcode::RngBitGenerator; };
  if (!call.shape().isArray()) return std::nullopt;
  if (std::ranges::none_of(call.users(), isGenerator) || call.shape().rank() != 1)
    return elementwiseCall(call);
  RuleBuilder builder(call);
  builder.addToAll(0, call.shape().dimension(0), Kind::Whole, true);
  return builder.take();
}

}  // namespace

std::optional<ShardingRule> customCallRule(const Instruction& call) {
  const std::string_view target = call.get<Attr::CustomCallTarget>();
  const bool hasTuple = std::ranges::any_of(
      call.operands(), [](const Instruction* operand) { return operand->shape().isTuple(); });
  if (hasTuple) return std::nullopt;
  if (std::ranges::find(kElementwiseCalls, target) != std::end(kElementwiseCalls))
    return elementwiseCall(call);
  if (target == "Eigh" || target == "Qr" || target == "QrDecompositionBlock")
    return decomposition(call, target == "Eigh");
  if (target == "ProductOfElementaryHouseholderReflectors") return householderProduct(call);
  if (target == "mhlo.topk" && call.operandCount() == 1) return topKRule(call);
  if (target == "ApproxTopK" || target == "PartialReduce") return partialReduction(call);
  if (target == "X64Combine") return combineX64(call);
  return std::nullopt;
}

std::optional<ShardingRule> fftRule(const Instruction& fft) {
  RuleBuilder builder(fft);
  const Shape in = fft.operand(0)->shape(), out = fft.shape();
  const size_t kept = in.rank() - fft.get<Attr::FftLength>().size();
  for (size_t d = 0; d < in.rank(); ++d) {
    const bool isLast = d + 1 == in.rank();
    builder.addToAll(static_cast<int64_t>(d), in.dimension(d), d < kept ? Kind::Pass : Kind::Whole,
                     d >= kept && isLast && in.dimension(d) != out.dimension(d));
  }
  return builder.take();
}

std::optional<ShardingRule> triangularSolveRule(const Instruction& solve) {
  RuleBuilder builder(solve);
  const Shape a = solve.operand(0)->shape(), b = solve.operand(1)->shape();
  for (size_t d = 0; d + 2 < a.rank(); ++d) builder.addToAll(static_cast<int64_t>(d), a.dimension(d));
  const auto row = static_cast<int64_t>(a.rank()) - 2, column = row + 1;
  const bool isLeft = solve.get<Attr::LeftSide>().value_or(false);
  const bool isTransposed =
      solve.get<Attr::TransposeAKind>().value_or(TransposeA::NoTranspose) != TransposeA::NoTranspose;
  // The dimension of `a` that meets b's: of a left solve its columns, unless it is transposed.
  const int64_t summed = isLeft != isTransposed ? column : row, other = summed == row ? column : row;
  const int64_t matched = isLeft ? row : column, free = isLeft ? column : row;
  const auto size = [](Shape shape, int64_t d) { return shape.dimension(static_cast<size_t>(d)); };
  if (!isLeft) builder.add({-1, free}, free, size(b, free), Kind::Whole);
  builder.add({other, matched}, -1, size(a, other), Kind::Whole);
  if (isLeft) builder.add({-1, free}, free, size(b, free), Kind::Whole);
  builder.add({summed, -1}, matched, size(a, summed), Kind::Whole);
  return builder.take();
}

std::optional<ShardingRule> rngBitGeneratorRule(const Instruction& generator) {
  const std::vector<Shape> results = leavesOf(generator.shape());
  const Shape state = generator.operand(0)->shape();
  const bool hasState = results.size() == 2;
  RuleBuilder builder(generator);
  const auto add = [&](int64_t operand, int64_t ofState, int64_t ofOutput, int64_t size, Kind kind,
                       bool blocked) {
    const std::vector<int64_t> both = {ofState, ofOutput}, one = {ofOutput};
    builder.add(std::vector{operand}, hasState ? both : one, size, kind, blocked);
  };
  for (size_t d = 0; d < state.rank(); ++d)
    add(static_cast<int64_t>(d), static_cast<int64_t>(d), -1, state.dimension(d), Kind::Whole, true);
  const Shape output = results.back();
  for (size_t d = 0; d < output.rank(); ++d)
    add(-1, -1, static_cast<int64_t>(d), output.dimension(d), Kind::Pass, false);
  return builder.take();
}

// All but the two dimensions of the matrix pass.
std::optional<ShardingRule> choleskyRule(const Instruction& cholesky) {
  RuleBuilder builder(cholesky);
  const Shape shape = cholesky.shape();
  for (size_t d = 0; d < shape.rank(); ++d)
    builder.addToAll(static_cast<int64_t>(d), shape.dimension(d),
                     d + 2 < shape.rank() ? Kind::Pass : Kind::Whole);
  return builder.take();
}

// Scale, offset, mean and variance have the feature alone.
std::optional<ShardingRule> batchNormInferenceRule(const Instruction& norm) {
  RuleBuilder builder(norm);
  const int64_t feature = norm.get<Attr::FeatureIndex>().value_or(0);
  for (size_t i = 0; i < norm.shape().rank(); ++i) {
    const auto d = static_cast<int64_t>(i);
    std::vector<int64_t> operands(norm.operandCount(), d == feature ? 0 : -1);
    operands[0] = d;
    builder.add(operands, std::vector{d}, norm.shape().dimension(i));
  }
  return builder.take();
}

// Collectives that change the size of a dimension: it is whole on each side.
std::optional<ShardingRule> gatheringRule(const Instruction& collective) {
  const std::vector<Shape> results = leavesOf(collective.shape());
  const Shape from = collective.operand(0)->shape();
  const auto hasRank = [&](Shape shape) { return shape.isArray() && shape.rank() == from.rank(); };
  if (!from.isArray() || results.empty() || !std::ranges::all_of(results, hasRank)) return std::nullopt;
  RuleBuilder builder(collective);
  const std::vector<int64_t> noOperand(collective.operandCount(), -1), noResult(results.size(), -1);
  const auto changed = collective.dimensions();
  for (size_t i = 0; i < from.rank(); ++i) {
    const auto d = static_cast<int64_t>(i);
    if (std::ranges::find(changed, d) == changed.end()) {
      builder.addToAll(d, from.dimension(i));
      continue;
    }
    builder.add(std::vector<int64_t>(collective.operandCount(), d), noResult, from.dimension(i), Kind::Whole);
    builder.add(noOperand, std::vector<int64_t>(results.size(), d), results[0].dimension(i), Kind::Whole);
  }
  return builder.take();
}

}  // namespace hilo::sdy
