#include "core/compiler/passes/collectives/windowed/split_all_to_all.h"

#include <algorithm>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/pass/next_channel.h"
#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/gpu_config.h"
#include "core/compiler/passes/loops/loop_parts.h"
#include "core/hlo/ir/side_effects.h"

namespace hilo {
namespace {

bool isReadOnce(const Instruction& i) { return i.users().size() == 1 && !i.isRoot(); }

bool isSplit(const Instruction& i) {
  return i.opcode() == Opcode::AllToAll && i.operandCount() == 1 && i.shape().isArray() &&
         i.dimensions().size() == 1 && !i.has(Attr::ConstrainLayout) && i.has(Attr::ReplicaGroups) &&
         !i.has(Attr::ControlPredecessors);
}

// What the dimension is after (or, `backwards`, before) the operation; nullopt where it is taken apart.
std::optional<int64_t> mapped(const Instruction& i, int64_t d, bool backwards) {
  if (i.opcode() == Opcode::Copy) return d;
  if (i.opcode() == Opcode::Transpose) {
    const auto order = i.dimensions();
    return backwards ? order[static_cast<size_t>(d)] : std::ranges::find(order, d) - order.begin();
  }
  const Shape from = backwards ? i.shape() : i.operand(0)->shape();
  const Shape to = backwards ? i.operand(0)->shape() : i.shape();
  int64_t before = 1, others = 1;
  for (int64_t k = 0; k < d; ++k) before *= from.dimension(static_cast<size_t>(k));
  const int64_t size = from.dimension(static_cast<size_t>(d));
  for (size_t k = 0; k < to.rank(); others *= to.dimension(k++)) {
    if (others == before && to.dimension(k) == size) return static_cast<int64_t>(k);
  }
  return std::nullopt;
}

// A dot next to an all-to-all, and what stands between them, operands first.
struct Pair {
  Instruction *dot = nullptr, *allToAll = nullptr;
  std::vector<Instruction*> between;
  int64_t split = 0;  // the dimension at the dot's end
  bool dotFirst = false;
};

// From `last` against the flow of data to the first that is not passed through.
std::optional<Pair> pairFrom(Instruction& last) {
  Pair pair{.dotFirst = last.opcode() == Opcode::AllToAll};
  Instruction* value = last.operand(0);
  for (; isReadOnce(*value) && !value->has(Attr::ControlPredecessors) &&
         (value->opcode() == Opcode::Transpose || value->opcode() == Opcode::Reshape ||
          value->opcode() == Opcode::Copy);
       value = value->operand(0))
    pair.between.push_back(value);
  std::ranges::reverse(pair.between);
  if (!isReadOnce(*value) || value->has(Attr::ControlPredecessors)) return std::nullopt;
  pair.allToAll = pair.dotFirst ? &last : value;
  pair.dot = pair.dotFirst ? value : &last;
  if (!isSplit(*pair.allToAll) || pair.dot->opcode() != Opcode::Dot) return std::nullopt;
  return pair;
}

bool findSplit(Pair& pair) {
  std::optional<int64_t> split = pair.allToAll->dimensions()[0];
  std::vector<Instruction*> order = pair.between;
  if (pair.dotFirst) std::ranges::reverse(order);
  for (const Instruction* i : order) {
    if (split) split = mapped(*i, *split, pair.dotFirst);
  }
  pair.split = split.value_or(-1);
  return split.has_value();
}

// Into how many parts; nullopt where it cannot be.
std::optional<int64_t> partsOf(const Pair& pair) {
  const DotSide lhs = dotSide(*pair.dot, 0), rhs = dotSide(*pair.dot, 1);
  const auto parts = groupSizeOf(*pair.allToAll);
  if (!parts || *parts < 1 || lhs.contracting.size() != 1) return std::nullopt;
  if (!pair.dotFirst && lhs.contracting[0] == pair.split) return std::nullopt;
  const Shape shape = pair.dot->operand(1)->shape();
  if (shape.dimension(static_cast<size_t>(rhs.contracting[0])) % *parts != 0) return std::nullopt;
  return parts;
}

// Brings the all-to-all next to the dot, past what is in between.
void bringTogether(Pair& pair) {
  if (pair.between.empty()) return;
  Computation& computation = pair.dot->parent();
  Instruction* value = pair.dotFirst ? pair.dot : pair.allToAll->operand(0);
  Instruction* before = pair.dotFirst ? pair.allToAll : pair.dot;
  const int64_t channel = nextChannel(pair.dot->module());
  const auto exchange = [&](Instruction* operand) {
    Instruction* made = computation.createLike(*pair.allToAll, {{operand}}, before);
    made->setShape(operand->shape());
    made->set<Attr::Dimensions>(std::vector<int64_t>{pair.split});
    if (pair.allToAll->has(Attr::ChannelId)) made->set<Attr::ChannelId>(channel);
    return made;
  };
  Instruction* moved = pair.dotFirst ? value = exchange(value) : nullptr;
  for (const Instruction* i : pair.between) value = computation.createLike(*i, {{value}}, before);
  if (pair.dotFirst) {
    computation.replaceAllUses(pair.allToAll, value);
  } else {
    pair.dot->setOperand(0, moved = exchange(value));
  }
  pair.allToAll = moved;
}

Instruction* sliceAt(Instruction* value, int64_t d, int64_t start, int64_t size, Instruction& before) {
  std::vector<SliceRange> ranges;
  for (const int64_t limit : value->shape().dimensions()) ranges.push_back({.start = 0, .limit = limit});
  ranges[static_cast<size_t>(d)] = {.start = start, .limit = start + size};
  const Shape whole = value->shape();
  std::vector<int64_t> sizes(whole.dimensions().begin(), whole.dimensions().end());
  sizes[static_cast<size_t>(d)] = size;
  const Shape part = Shape::array(whole.elementType(), sizes);
  Instruction* slice = before.parent().create(
      Opcode::Slice, whole.layout() == nullptr ? part : part.withLayout(whole.layout()), {value}, {},
      &before);
  slice->set<Attr::Slice>(ranges);
  return slice;
}

void split(const Pair& pair, int64_t parts) {
  Instruction& last = pair.dotFirst ? *pair.allToAll : *pair.dot;
  Computation& computation = last.parent();
  Instruction* lhs = pair.dotFirst ? pair.dot->operand(0) : pair.allToAll->operand(0);
  Instruction* rhs = pair.dot->operand(1);
  const int64_t left = dotSide(*pair.dot, 0).contracting[0], right = dotSide(*pair.dot, 1).contracting[0];
  const int64_t size = rhs->shape().dimension(static_cast<size_t>(right)) / parts;
  int64_t channel = nextChannel(last.module()), queue = channel;
  const auto exchange = [&](Instruction* operand) {
    Instruction* made = computation.createLike(*pair.allToAll, {{operand}}, &last);
    made->setShape(operand->shape());
    if (pair.allToAll->has(Attr::ChannelId)) made->set<Attr::ChannelId>(channel++);
    return made;
  };
  Instruction* sum = makeZero(computation, last.shape());
  computation.moveBefore(sum, &last);
  if (sum->operandCount() > 0) computation.moveBefore(sum->operand(0), sum);
  for (int64_t k = 0; k < parts; ++k) {
    Instruction* mine = sliceAt(lhs, left, k * size, size, last);
    Instruction* theirs = sliceAt(rhs, right, k * size, size, last);
    if (!pair.dotFirst) mine = exchange(mine);
    Instruction* part = computation.createLike(*pair.dot, {{mine, theirs}}, &last);
    setGpuConfig(*part, "", "operation_queue_id", fmt::format("\"{}\"", queue++));
    if (pair.dotFirst) part = exchange(part);
    sum = computation.create(Opcode::Add, last.shape(), {part, sum}, {}, &last);
  }
  computation.replaceAllUses(&last, sum);
}

}  // namespace

bool splitAllToAlls(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    std::vector<Instruction*> ends;
    for (Instruction* i : computation->instructions()) {
      if (i->opcode() == Opcode::Dot || isSplit(*i)) ends.push_back(i);
    }
    for (Instruction* end : ends) {
      if (context.cancelled()) return changed;
      if ((end->users().empty() && !end->isRoot()) || end->has(Attr::ControlPredecessors)) continue;
      std::optional<Pair> pair = pairFrom(*end);
      if (!pair || !findSplit(*pair)) continue;
      const auto parts = partsOf(*pair);
      if (!parts || !context.mayChange(*end)) continue;
      context.remark(*end, "split", fmt::format("into {} parts", *parts));
      bringTogether(*pair);
      split(*pair, *parts);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
