#include "core/compiler/passes/canonicalize/topk_rewriter.h"

#include <algorithm>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool isNumber(const Instruction* value, double number) {
  while (value->opcode() == Opcode::Convert) value = value->operand(0);
  return algebra::isAll(*value, number);
}

// The bits of a float as an integer of the same order: as they are, below zero 2^31 - 1 less them.
bool isOrderedBits(const Instruction& value, const Instruction* of) {
  const auto isBits = [&](const Instruction* bits) {
    return bits->opcode() == Opcode::BitcastConvert && bits->operand(0) == of;
  };
  if (value.opcode() != Opcode::Select || !isBits(value.operand(2))) return false;
  const Instruction &below = *value.operand(0), &turned = *value.operand(1);
  if (below.opcode() != Opcode::Compare || below.get<Attr::Direction>() != ComparisonDirection::Lt ||
      !isBits(below.operand(0)) || !isNumber(below.operand(1), 0) ||
      turned.opcode() != Opcode::BitcastConvert || turned.operand(0)->opcode() != Opcode::Subtract)
    return false;
  const Instruction& difference = *turned.operand(0);
  return isNumber(difference.operand(0), INT32_MAX) && isBits(difference.operand(1));
}

bool putsLargestFirst(const Computation& comparator) {
  const Instruction& root = *comparator.root();
  if (root.opcode() != Opcode::Compare || root.get<Attr::Direction>() != ComparisonDirection::Gt)
    return false;
  for (size_t k = 0; k < 2; ++k) {
    const Instruction *side = root.operand(k), *parameter = comparator.parameters()[k];
    if (side != parameter && !isOrderedBits(*side, parameter)) return false;
  }
  return true;
}

// Numbers each element by its place along the dimension.
bool isPlaces(const Instruction& value, int64_t dimension) {
  if (value.shape().elementType() != ElementType::S32) return false;
  if (value.opcode() == Opcode::Iota) return value.get<Attr::IotaDimension>() == dimension;
  return value.opcode() == Opcode::Broadcast && value.operand(0)->opcode() == Opcode::Iota &&
         value.operand(0)->shape().rank() == 1 && value.dimensions()[0] == dimension;
}

// How many elements the slice takes from the front along one dimension, and all along the others.
std::optional<int64_t> takenFromFront(const Instruction& slice, size_t dimension) {
  if (slice.opcode() != Opcode::Slice) return std::nullopt;
  const auto ranges = slice.get<Attr::Slice>();
  for (size_t d = 0; d < ranges.size(); ++d) {
    const bool isAll = ranges[d].start == 0 && ranges[d].limit == slice.operand(0)->shape().dimension(d);
    if (ranges[d].stride != 1 || (d != dimension && !isAll)) return std::nullopt;
  }
  return ranges[dimension].limit;
}

// The slices that read the sort, by array; empty where something else does.
std::vector<std::pair<Instruction*, size_t>> slicesOf(const Instruction& sort) {
  std::vector<std::pair<Instruction*, size_t>> slices;
  for (Instruction* user : sort.users()) {
    if (sort.operandCount() == 1) {
      slices.emplace_back(user, 0);
      continue;
    }
    if (user->opcode() != Opcode::GetTupleElement || user->users().size() != 1 || user->isRoot()) return {};
    slices.emplace_back(user->users()[0], static_cast<size_t>(user->tupleIndex()));
  }
  return slices;
}

// How many elements are read; nullopt where the sort stays.
std::optional<int64_t> topOf(const Instruction& sort) {
  if (sort.opcode() != Opcode::Sort || sort.operandCount() > 2 || sort.isRoot() ||
      sort.has(Attr::ControlPredecessors))
    return std::nullopt;
  const Shape data = sort.operand(0)->shape();
  const int64_t along = sort.dimensions()[0], rank = static_cast<int64_t>(data.rank());
  if ((data.elementType() != ElementType::F32 && data.elementType() != ElementType::BF16) ||
      !liesRowMajor(data) || (along != 0 && along != rank - 1) ||
      !putsLargestFirst(*sort.get<Attr::ToApply>()) ||
      (sort.operandCount() == 2 && !isPlaces(*sort.operand(1), along)))
    return std::nullopt;
  std::optional<int64_t> top;
  for (const auto& [slice, array] : slicesOf(sort)) {
    const auto taken = takenFromFront(*slice, static_cast<size_t>(along));
    if (!taken || (top && *taken != *top)) return std::nullopt;
    top = taken;
  }
  return top && *top > 0 ? top : std::nullopt;
}

// [n], or [rows, n] with the sorted dimension last.
Instruction* asRows(Instruction& sort) {
  Instruction* data = sort.operand(0);
  const size_t rank = data->shape().rank();
  if (rank == 1) return data;
  const bool isFirst = sort.dimensions()[0] == 0;
  const int64_t size = data->shape().dimension(isFirst ? 0 : rank - 1),
                rows = data->shape().elementCount() / std::max<int64_t>(size, 1);
  if (!isFirst) return reshapeTo(data, std::array{rows, size}, sort);
  return transposeBy(reshapeTo(data, std::array{size, rows}, sort), std::array<int64_t, 2>{1, 0}, sort);
}

// One of its results, with the sort's dimensions but `top` along the sorted one.
Instruction* asSorted(Instruction& sort, Instruction* result, int64_t top) {
  const Shape data = sort.operand(0)->shape();
  if (data.rank() == 1) return result;
  std::vector<int64_t> sizes(data.dimensions().begin(), data.dimensions().end());
  sizes[static_cast<size_t>(sort.dimensions()[0])] = top;
  if (sort.dimensions()[0] == 0) result = transposeBy(result, std::array<int64_t, 2>{1, 0}, sort);
  return reshapeTo(result, sizes, sort);
}

Instruction* makeCall(Instruction& sort, int64_t top) {
  Instruction* rows = asRows(sort);
  std::vector<int64_t> sizes(rows->shape().dimensions().begin(), rows->shape().dimensions().end());
  sizes.back() = top;
  const Shape shapes[] = {arrayLike(rows->shape(), rows->shape().elementType(), sizes),
                          arrayLike(rows->shape(), ElementType::S32, sizes)};
  Instruction* call = sort.parent().create(Opcode::CustomCall, Shape::tuple(shapes), {rows}, {}, &sort);
  call->set<Attr::CustomCallTarget>("TopK");
  call->set<Attr::ToApply>(sort.get<Attr::ToApply>());
  const bool isStable = sort.get<Attr::IsStable>().value_or(false);
  call->set<Attr::BackendConfig>(fmt::format("{{is_stable = {}}}", isStable));
  return call;
}

void replace(Instruction& sort, int64_t top) {
  Instruction* call = makeCall(sort, top);
  for (const auto& [slice, array] : slicesOf(sort)) {
    Instruction* result = asSorted(sort, elementOfTuple(call, static_cast<int64_t>(array), sort), top);
    if (std::ranges::equal(result->shape().dimensions(), slice->shape().dimensions())) {
      sort.parent().replaceAllUses(slice, result);
    } else {
      slice->setOperand(0, result);
    }
  }
}

}  // namespace

Result<bool> rewriteTopK(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* sort : computation->instructions()) {
      if (context.cancelled()) return changed;
      const auto top = topOf(*sort);
      if (!top) continue;
      if (!context.mayChange(*sort)) return changed;
      context.remark(*sort, "rewritten", fmt::format("only the first {} are read", *top));
      replace(*sort, *top);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
