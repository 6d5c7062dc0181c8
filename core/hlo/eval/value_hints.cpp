#include "core/hlo/eval/value_hints.h"

#include <absl/container/flat_hash_set.h>

#include "core/hlo/eval/never_negative.h"
#include "core/hlo/ir/op_facts.h"

namespace hilo {
namespace {

constexpr size_t kMaxPlaces = 4096;

// Floats that must be positive where what is made of them must be: a variance to which an epsilon is added,
// the mean of squares an optimizer keeps.
bool keepsSign(const Instruction& user, size_t operand) {
  if (!user.shape().isArray() || !isFloat(user.shape().elementType()) || user.operandCount() != 2)
    return false;
  const Instruction *same = user.operand(operand), *other = user.operand(1 - operand);
  switch (user.opcode()) {
    case Opcode::Add:
    case Opcode::Multiply:
      return same != other && isNeverNegative(*other);
    case Opcode::Divide:
      return operand == 0 && same != other;
    default:
      return false;
  }
}

void atMost(ValueHint& hint, int64_t limit) {
  hint.limit = std::min(hint.limit, std::max<int64_t>(limit, 1));
}

int64_t dimensionOr(Shape shape, int64_t d, int64_t otherwise) {
  return shape.isArray() && d >= 0 && d < static_cast<int64_t>(shape.rank()) ? shape.dimension(d) : otherwise;
}

// Start indices that keep a window inside: [0, dimension - size].
void limitStarts(ValueHint& hint, Shape within, std::span<const int64_t> dims,
                 std::span<const int64_t> sizes) {
  for (const int64_t d : dims) {
    const int64_t size = d >= 0 && d < static_cast<int64_t>(sizes.size()) ? sizes[d] : 1;
    atMost(hint, dimensionOr(within, d, 1) - size + 1);
  }
}

void limitScatterIndices(ValueHint& hint, const Instruction& scatter) {
  const Shape operand = scatter.operand(0)->shape(),
              update = scatter.operand(scatter.operandCount() - 1)->shape();
  if (!operand.isArray() || !update.isArray()) return;
  const auto inserted = scatter.get<Attr::InsertedWindowDims>(),
             batching = scatter.get<Attr::InputBatchingDims>();
  const auto windowDims = scatter.get<Attr::UpdateWindowDims>();
  std::vector<int64_t> sizes(operand.rank(), 1);
  size_t next = 0;
  for (size_t d = 0; d < operand.rank() && next < windowDims.size(); ++d) {
    const auto isIn = [&](std::span<const int64_t> list) {
      return std::ranges::find(list, static_cast<int64_t>(d)) != list.end();
    };
    if (!isIn(inserted) && !isIn(batching)) sizes[d] = dimensionOr(update, windowDims[next++], 1);
  }
  limitStarts(hint, operand, scatter.get<Attr::ScatterDimsToOperandDims>(), sizes);
}

// Start operands of dynamic-slice (from 1) and dynamic-update-slice (from 2).
void limitSliceStarts(ValueHint& hint, const Instruction& user, size_t operand) {
  const bool isUpdate = user.opcode() == Opcode::DynamicUpdateSlice;
  const size_t first = isUpdate ? 2 : 1;
  if (operand < first) return;
  const Shape within = user.operand(0)->shape(), window = isUpdate ? user.operand(1)->shape() : user.shape();
  if (!within.isArray() || !window.isArray()) return;
  std::vector<int64_t> dims;
  if (user.operand(operand)->shape().rank() == 1) {
    for (size_t d = 0; d < within.rank(); ++d) dims.push_back(static_cast<int64_t>(d));
  } else {
    dims.push_back(static_cast<int64_t>(operand - first));
  }
  limitStarts(hint, within, dims, window.dimensions());
}

void applyUse(ValueHint& hint, const Instruction& user, size_t operand) {
  const Shape shape = user.operand(operand)->shape();
  switch (user.opcode()) {
    case Opcode::Log:
    case Opcode::LogPlusOne:
    case Opcode::Sqrt:
    case Opcode::Rsqrt:
    case Opcode::Cholesky:
      hint.positive = true;
      break;
    case Opcode::Power:
      hint.positive = hint.positive || operand == 0;
      break;
    case Opcode::Divide:
    case Opcode::Remainder:
      if (operand == 1) hint.lowest = 1, hint.positive = true;
      break;
    case Opcode::ShiftLeft:
    case Opcode::ShiftRightArithmetic:
    case Opcode::ShiftRightLogical:
      if (operand == 1) atMost(hint, elementBits(shape.elementType()));
      break;
    case Opcode::Gather:
      if (operand == 1)
        limitStarts(hint, user.operand(0)->shape(), user.get<Attr::StartIndexMap>(),
                    user.get<Attr::SliceSizes>());
      break;
    case Opcode::Scatter:
      if (operand == user.operandCount() / 2) limitScatterIndices(hint, user);
      break;
    case Opcode::DynamicSlice:
    case Opcode::DynamicUpdateSlice:
      limitSliceStarts(hint, user, operand);
      break;
    case Opcode::Conditional:
      if (operand == 0) atMost(hint, static_cast<int64_t>(user.operandCount()) - 1);
      break;
    case Opcode::SetDimensionSize:
      if (operand == 1 && !user.dimensions().empty())
        atMost(hint, dimensionOr(user.operand(0)->shape(), user.dimensions()[0], 0) + 1);
      break;
    case Opcode::Sort:
    case Opcode::TopK:
      hint.isSortKey = hint.isSortKey || operand == 0;
      break;
    case Opcode::RaggedDot:
      if (operand == 2 && !user.get<Attr::LhsRaggedDims>().empty()) {
        hint.isGroupSizes = true;
        hint.groupRows = dimensionOr(user.operand(0)->shape(), user.get<Attr::LhsRaggedDims>()[0], 0);
      }
      break;
    case Opcode::RngBitGenerator:
      hint.isBits = true;
      break;
    case Opcode::BatchNormInference:
    case Opcode::BatchNormGrad:
      hint.positive = hint.positive || operand == (user.opcode() == Opcode::BatchNormGrad ? 3 : 4);
      break;
    default:
      break;
  }
}

}  // namespace

ValueTracer::ValueTracer(const Module& module) {
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      for (const Computation* called : instruction->calledComputations()) {
        if (called != nullptr) callers_[called].push_back(instruction);
      }
    }
  }
}

ValueHint ValueTracer::trace(const Instruction& value, std::span<const int64_t> path) const {
  ValueHint hint;
  absl::flat_hash_set<Place> seen;
  std::vector<Place> pending = {{&value, {path.begin(), path.end()}}};
  while (!pending.empty() && seen.size() < kMaxPlaces) {
    const Place place = std::move(pending.back());
    pending.pop_back();
    if (!seen.insert(place).second) continue;
    if (place.path.empty()) {
      for (const Instruction* user : place.value->users()) {
        for (size_t k = 0; k < user->operandCount(); ++k) {
          if (user->operand(k) == place.value) applyUse(hint, *user, k);
        }
      }
    }
    follow(place, pending);
  }
  return hint;
}

void ValueTracer::follow(const Place& place, std::vector<Place>& next) const {
  for (const Instruction* user : place.value->users()) {
    for (size_t k = 0; k < user->operandCount(); ++k) {
      if (user->operand(k) == place.value) followIntoUse(place, *user, k, next);
    }
  }
  if (!place.value->isRoot()) return;
  const auto callers = callers_.find(&place.value->parent());
  if (callers == callers_.end()) return;
  for (const Instruction* caller : callers->second) {
    switch (caller->opcode()) {
      case Opcode::While:
        if (caller->get<Attr::Body>() != &place.value->parent()) break;
        next.push_back({caller, place.path});
        if (!place.value->parent().parameters().empty() && place.value->parent().parameters()[0] != nullptr) {
          next.push_back({place.value->parent().parameters()[0], place.path});
        }
        break;
      case Opcode::Call:
      case Opcode::Fusion:
      case Opcode::Conditional:
        next.push_back({caller, place.path});
        break;
      default:
        break;
    }
  }
}

void ValueTracer::followIntoUse(const Place& place, const Instruction& user, size_t operand,
                                std::vector<Place>& next) const {
  const auto intoParameter = [&](const Computation* computation, size_t number) {
    if (computation == nullptr || number >= computation->parameters().size() ||
        computation->parameters()[number] == nullptr)
      return;
    next.push_back({computation->parameters()[number], place.path});
  };
  switch (user.opcode()) {
    case Opcode::GetTupleElement:
      if (!place.path.empty() && user.get<Attr::Index>() == place.path[0]) {
        next.push_back({&user, {place.path.begin() + 1, place.path.end()}});
      }
      break;
    case Opcode::Tuple: {
      Place inside{&user, {static_cast<int64_t>(operand)}};
      inside.path.insert(inside.path.end(), place.path.begin(), place.path.end());
      next.push_back(std::move(inside));
      break;
    }
    case Opcode::Call:
      intoParameter(user.get<Attr::ToApply>(), operand);
      break;
    case Opcode::Fusion:
    case Opcode::AsyncStart:
      intoParameter(user.get<Attr::Calls>(), operand);
      break;
    case Opcode::While:
      intoParameter(user.get<Attr::Body>(), 0);
      intoParameter(user.get<Attr::Condition>(), 0);
      next.push_back({&user, place.path});
      break;
    case Opcode::Conditional: {
      const auto called = user.calledComputations();
      if (operand >= 1 && operand - 1 < called.size()) intoParameter(called[operand - 1], 0);
      break;
    }
    default:
      if ((hasFact(user.opcode(), OpFact::MovesElements) &&
           (user.opcode() != Opcode::DynamicSlice || operand == 0)) ||
          keepsSign(user, operand))
        next.push_back({&user, place.path});
      break;
  }
}

}  // namespace hilo
