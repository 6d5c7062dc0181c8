// Rules of operations that run over groups or steps: ragged dots and scans. As XLA's mhlo_extensions.cc.
#include "core/compiler/spmd/shardy/sharding_rule.h"
#include "core/compiler/spmd/tiling.h"

namespace hilo::sdy {
namespace {

using Kind = RuleFactor::Kind;

bool contains(std::span<const int64_t> list, int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

int64_t sizeOf(const Instruction* array, int64_t d) {
  return array->shape().dimension(static_cast<size_t>(d));
}

// Which of a ragged dot's dimensions differs in length by group.
enum class RaggedMode : uint8_t { Free, Summed, Batch };

class RaggedDot {
 public:
  explicit RaggedDot(const Instruction& dot)
      : builder_(dot),
        lhs_(dot.operand(0)),
        rhs_(dot.operand(1)),
        groups_(dot.operand(2)),
        lhsBatch_(dot.get<Attr::LhsBatchDims>()),
        rhsBatch_(dot.get<Attr::RhsBatchDims>()),
        lhsSum_(dot.get<Attr::LhsContractingDims>()),
        rhsSum_(dot.get<Attr::RhsContractingDims>()),
        rhsGroup_(dot.get<Attr::RhsGroupDims>()),
        ragged_(dot.get<Attr::LhsRaggedDims>()[0]),
        mode_(contains(lhsSum_, ragged_)     ? RaggedMode::Summed
              : contains(lhsBatch_, ragged_) ? RaggedMode::Batch
                                             : RaggedMode::Free),
        result_(mode_ == RaggedMode::Summed ? 1 : 0) {}

  ShardingRule run() {
    addBatch();
    addFree();
    addSummed();
    addGroups();
    return builder_.take();
  }

 private:
  // The next dimension of the group sizes, while the dimensions before the ragged one go by.
  int64_t nextGroup(bool has) {
    const auto rank = static_cast<int64_t>(groups_->shape().rank());
    return has && group_ < rank ? group_++ : -1;
  }
  void addBatch();
  void addFree();
  void addSummed();
  void addGroups();

  RuleBuilder builder_;
  const Instruction *lhs_, *rhs_, *groups_;
  std::span<const int64_t> lhsBatch_, rhsBatch_, lhsSum_, rhsSum_, rhsGroup_;
  int64_t ragged_;
  RaggedMode mode_;
  int64_t result_, group_ = 0;
};

void RaggedDot::addBatch() {
  for (size_t i = 0; i < lhsBatch_.size(); ++i)
    builder_.add({lhsBatch_[i], rhsBatch_[i], nextGroup(mode_ != RaggedMode::Batch)}, result_++,
                 sizeOf(lhs_, lhsBatch_[i]));
}

void RaggedDot::addFree() {
  bool isBefore = mode_ == RaggedMode::Free;
  for (int64_t d = 0; d < static_cast<int64_t>(lhs_->shape().rank()); ++d) {
    if (contains(lhsSum_, d) || contains(lhsBatch_, d)) continue;
    isBefore = isBefore && d != ragged_;
    builder_.add({d, -1, nextGroup(isBefore)}, result_++, sizeOf(lhs_, d),
                 d == ragged_ ? Kind::Whole : Kind::Pass);
  }
  for (int64_t d = 0; d < static_cast<int64_t>(rhs_->shape().rank()); ++d) {
    if (contains(rhsSum_, d) || contains(rhsBatch_, d) || contains(rhsGroup_, d)) continue;
    builder_.add({-1, d, -1}, result_++, sizeOf(rhs_, d));
  }
}

void RaggedDot::addSummed() {
  bool isBefore = mode_ == RaggedMode::Summed;
  for (size_t i = 0; i < lhsSum_.size(); ++i) {
    const bool isRagged = lhsSum_[i] == ragged_;
    isBefore = isBefore && !isRagged;
    builder_.add({lhsSum_[i], rhsSum_[i], nextGroup(isBefore)}, -1, sizeOf(lhs_, lhsSum_[i]),
                 isRagged ? Kind::Whole : Kind::Sum);
  }
}

void RaggedDot::addGroups() {
  if (mode_ == RaggedMode::Free && !rhsGroup_.empty())
    builder_.add({-1, rhsGroup_[0], nextGroup(true)}, -1, sizeOf(rhs_, rhsGroup_[0]), Kind::Whole);
  if (mode_ != RaggedMode::Summed) return;
  const int64_t group = nextGroup(true);
  if (group >= 0) builder_.add({-1, -1, group}, 0, sizeOf(groups_, group), Kind::Whole);
}

// Whether each step of a scan works element by element.
bool isElementwiseBody(const Computation& body) {
  return std::ranges::all_of(body.instructions(), [](const Instruction* i) {
    const bool isPlain = i->opcode() == Opcode::Parameter || i->opcode() == Opcode::Tuple;
    const bool isScalar = i->opcode() == Opcode::Constant && i->shape().rank() == 0;
    const bool isSpread = i->opcode() == Opcode::Broadcast && i->operand(0)->shape().rank() == 0;
    return isPlain || isScalar || isSpread || isElementwise(i->opcode());
  });
}

}  // namespace

std::optional<ShardingRule> raggedDotRule(const Instruction& dot) {
  if (dot.operandCount() != 3 || dot.get<Attr::LhsRaggedDims>().size() != 1) return std::nullopt;
  return RaggedDot(dot).run();
}

// Inputs and outputs have the dimension that is stepped along, what is carried has not.
std::optional<ShardingRule> scanRule(const Instruction& scan) {
  const auto carries = static_cast<size_t>(scan.get<Attr::NumCarries>().value_or(0));
  const std::vector<Shape> results = leavesOf(scan.shape());
  const Computation* body = scan.get<Attr::ToApply>();
  if (scan.operandCount() <= carries || results.size() <= carries || body == nullptr) return std::nullopt;
  const size_t inputs = scan.operandCount() - carries, outputs = results.size() - carries;
  const Shape shape = scan.operand(0)->shape();
  const bool keepsShapes = inputs == outputs && inputs == carries &&
                           std::ranges::all_of(results, [&](Shape result) { return result.isArray(); }) &&
                           std::ranges::equal(results[0].dimensions(), shape.dimensions());
  if (!keepsShapes || scan.dimensions().empty()) return std::nullopt;
  const int64_t along = scan.dimensions()[0];
  const bool isAssociative = scan.get<Attr::IsAssociative>().value_or(false);
  const Kind beside = isElementwiseBody(*body) ? Kind::Pass : Kind::Whole;
  RuleBuilder builder(scan);
  for (int64_t d = 0, carried = 0; d < static_cast<int64_t>(shape.rank()); ++d) {
    std::vector<int64_t> dimensions(inputs, d);
    const bool isStep = d == along;
    dimensions.insert(dimensions.end(), carries, isStep ? -1 : carried++);
    builder.add(dimensions, dimensions, shape.dimension(static_cast<size_t>(d)),
                isStep ? (isAssociative ? Kind::Permute : Kind::Whole) : beside);
  }
  return builder.take();
}

}  // namespace hilo::sdy
