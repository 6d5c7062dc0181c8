// Rules of what moves elements.
#include <numeric>

#include "core/compiler/spmd/shardy/sharding_rule.h"

namespace hilo::sdy {
namespace {

using Kind = RuleFactor::Kind;

bool contains(std::span<const int64_t> list, int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

// Dimension by dimension of operand and result; `mismatch` where their sizes differ.
std::optional<ShardingRule> bySize(const Instruction& instruction, Kind mismatch, bool isBlocked) {
  RuleBuilder builder(instruction);
  const Shape from = instruction.operand(0)->shape(), to = instruction.shape();
  for (size_t d = 0; d < from.rank(); ++d) {
    const bool isSame = from.dimension(d) == to.dimension(d);
    builder.addToAll(static_cast<int64_t>(d), from.dimension(d), isSame ? Kind::Pass : mismatch,
                     !isSame && isBlocked);
  }
  return builder.take();
}

// Operands of a concatenation that are parts of one and the same array change places with each other.
Kind kindOfConcatenation(const Instruction& concatenate) {
  const auto whole = [](const Instruction* i) { return i->opcode() == Opcode::Slice ? i->operand(0) : i; };
  const auto operands = concatenate.operands();
  const auto isSlice = [](const Instruction* i) { return i->opcode() == Opcode::Slice; };
  const bool allSlices = std::ranges::all_of(operands, isSlice);
  const bool sameArray =
      std::ranges::all_of(operands, [&](const Instruction* i) { return whole(i) == whole(operands[0]); });
  return allSlices || (sameArray && std::ranges::any_of(operands, isSlice)) ? Kind::Permute : Kind::Whole;
}

// Walks the sizes on both sides of a reshape, and takes common factors from the outer end.
class ReshapeWalk {
 public:
  explicit ReshapeWalk(const Instruction& reshape)
      : from_(reshape.operand(0)->shape()), to_(reshape.shape()), builder_(reshape) {}

  ShardingRule run() {
    while (in_ < rank(from_) || out_ < rank(to_)) step();
    return builder_.take();
  }

 private:
  static int64_t rank(Shape shape) { return static_cast<int64_t>(shape.rank()); }
  static int64_t size(Shape shape, int64_t d) { return shape.dimension(static_cast<size_t>(d)); }
  bool skipOnes();
  void step();
  void addIn(int64_t factor) {
    builder_.add({in_}, -1, factor);
    factorsIn_ *= factor;
  }
  void addOut(int64_t factor) {
    builder_.add({-1}, out_, factor);
    factorsOut_ *= factor;
  }

  Shape from_, to_;
  RuleBuilder builder_;
  int64_t in_ = 0, out_ = 0;
  // Products of sizes begun, and of factors taken.
  int64_t sizesIn_ = 1, sizesOut_ = 1, factorsIn_ = 1, factorsOut_ = 1;
};

bool ReshapeWalk::skipOnes() {
  if (in_ < rank(from_) && size(from_, in_) == 1) {
    builder_.add({in_++}, -1, 1);
    return true;
  }
  if (out_ < rank(to_) && size(to_, out_) == 1) {
    builder_.add({-1}, out_++, 1);
    return true;
  }
  return false;
}

// The factor that brings the side behind up to the other, where there is one.
int64_t catchUp(int64_t next, int64_t common, int64_t behind, int64_t ahead) {
  if (ahead % behind == 0 && next % (ahead / behind) == 0) return ahead / behind;
  return next > common ? next / common : next;
}

void ReshapeWalk::step() {
  if (skipOnes()) return;
  if (in_ < rank(from_) && sizesIn_ == factorsIn_) sizesIn_ *= size(from_, in_);
  if (out_ < rank(to_) && sizesOut_ == factorsOut_) sizesOut_ *= size(to_, out_);
  const int64_t nextIn = sizesIn_ / factorsIn_, nextOut = sizesOut_ / factorsOut_;
  const int64_t common = std::gcd(nextIn, nextOut);
  if (factorsIn_ == factorsOut_ && common > 1) {
    builder_.add({in_}, out_, common);
    factorsIn_ *= common;
    factorsOut_ *= common;
  } else if (factorsIn_ == factorsOut_) {
    addIn(nextIn);
    addOut(nextOut);
  } else if (factorsIn_ < factorsOut_) {
    addIn(catchUp(nextIn, common, factorsIn_, factorsOut_));
  } else {
    addOut(catchUp(nextOut, common, factorsOut_, factorsIn_));
  }
  if (in_ < rank(from_) && sizesIn_ == factorsIn_) ++in_;
  if (out_ < rank(to_) && sizesOut_ == factorsOut_) ++out_;
}

}  // namespace

std::optional<ShardingRule> elementsRule(const Instruction& instruction) {
  if (!instruction.shape().isArray()) return std::nullopt;
  RuleBuilder builder(instruction);
  const Shape shape = instruction.shape();
  for (size_t d = 0; d < shape.rank(); ++d) builder.addToAll(static_cast<int64_t>(d), shape.dimension(d));
  return builder.take();
}

std::optional<ShardingRule> sizesRule(const Instruction& instruction) {
  return bySize(instruction, Kind::Permute, false);
}

std::optional<ShardingRule> dynamicSliceRule(const Instruction& instruction) {
  return bySize(instruction, Kind::Whole, true);
}

std::optional<ShardingRule> dynamicUpdateSliceRule(const Instruction& update) {
  RuleBuilder builder(update);
  const Shape array = update.shape(), part = update.operand(1)->shape();
  const auto starts = update.operands().subspan(2);
  const bool isConstant = std::ranges::all_of(
      starts, [](const Instruction* start) { return start->opcode() == Opcode::Constant; });
  for (size_t i = 0; i < array.rank(); ++i) {
    const auto d = static_cast<int64_t>(i);
    if (array.dimension(i) == part.dimension(i)) {
      builder.add({d, d}, d, array.dimension(i));
      continue;
    }
    builder.add({d, -1}, d, array.dimension(i));
    builder.add({-1, d}, -1, part.dimension(i), isConstant ? Kind::Pass : Kind::Whole);
  }
  return builder.take();
}

std::optional<ShardingRule> concatenateRule(const Instruction& concatenate) {
  RuleBuilder builder(concatenate);
  const int64_t along = concatenate.dimensions()[0];
  const Shape shape = concatenate.shape();
  for (size_t d = 0; d < shape.rank(); ++d) {
    const bool isJoined = static_cast<int64_t>(d) == along;
    builder.addToAll(static_cast<int64_t>(d), shape.dimension(d),
                     isJoined ? kindOfConcatenation(concatenate) : Kind::Pass);
  }
  return builder.take();
}

std::optional<ShardingRule> reverseRule(const Instruction& reverse) {
  RuleBuilder builder(reverse);
  for (size_t i = 0; i < reverse.shape().rank(); ++i) {
    const auto d = static_cast<int64_t>(i);
    builder.addToAll(d, reverse.shape().dimension(i),
                     contains(reverse.dimensions(), d) ? Kind::Permute : Kind::Pass);
  }
  return builder.take();
}

std::optional<ShardingRule> reshapeRule(const Instruction& reshape) {
  if (reshape.shape().elementCount() == 0) return std::nullopt;
  return ReshapeWalk(reshape).run();
}

// The dimension that the narrower element type has besides stays whole.
std::optional<ShardingRule> bitcastConvertRule(const Instruction& convert) {
  RuleBuilder builder(convert);
  const Shape from = convert.operand(0)->shape(), to = convert.shape();
  const Shape shorter = from.rank() < to.rank() ? from : to;
  for (size_t d = 0; d < shorter.rank(); ++d)
    builder.add({static_cast<int64_t>(d)}, static_cast<int64_t>(d), shorter.dimension(d));
  const auto last = static_cast<int64_t>(shorter.rank());
  if (from.rank() < to.rank()) builder.add({-1}, last, to.dimension(shorter.rank()), Kind::Whole);
  if (from.rank() > to.rank()) builder.add({last}, -1, from.dimension(shorter.rank()), Kind::Whole);
  return builder.take();
}

std::optional<ShardingRule> sortRule(const Instruction& sort) {
  RuleBuilder builder(sort);
  const Shape shape = sort.operand(0)->shape();
  const int64_t along = sort.dimensions()[0];
  bool isAlone = true;  // no other dimension could be cut in its place
  for (size_t d = 0; d < shape.rank(); ++d)
    isAlone = isAlone && (static_cast<int64_t>(d) == along || shape.dimension(d) == 1);
  for (size_t i = 0; i < shape.rank(); ++i) {
    const auto d = static_cast<int64_t>(i);
    builder.addToAll(d, shape.dimension(i), d == along ? Kind::Whole : Kind::Pass, d == along && isAlone);
  }
  return builder.take();
}

std::optional<ShardingRule> topKRule(const Instruction& topK) {
  RuleBuilder builder(topK);
  const Shape shape = topK.operand(0)->shape();
  for (size_t d = 0; d < shape.rank(); ++d) {
    const bool isLast = d + 1 == shape.rank();
    builder.addToAll(static_cast<int64_t>(d), shape.dimension(d), isLast ? Kind::Whole : Kind::Pass, isLast);
  }
  return builder.take();
}

}  // namespace hilo::sdy
