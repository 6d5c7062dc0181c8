#include "core/compiler/passes/layout/layout_flow.h"

#include <algorithm>
#include <numeric>

#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// Fewer elements a result are not worth another order.
constexpr int64_t kLeastReduced = 32;

bool liesAsOperands(Opcode opcode) {
  switch (opcode) {
    case Opcode::BitcastConvert:
    case Opcode::Concatenate:
    case Opcode::AllGather:
    case Opcode::AllReduce:
    case Opcode::AllToAll:
    case Opcode::CollectiveBroadcast:
    case Opcode::CollectivePermute:
    case Opcode::ReduceScatter:
    case Opcode::DynamicSlice:
    case Opcode::DynamicUpdateSlice:
    case Opcode::Fft:
    case Opcode::Pad:
    case Opcode::ReduceWindow:
    case Opcode::Reverse:
    case Opcode::Scatter:
    case Opcode::SelectAndScatter:
    case Opcode::Slice:
    case Opcode::Sort:
    case Opcode::TriangularSolve:
    case Opcode::Cholesky:
      return true;
    default:
      return isElementwise(opcode) && opcode != Opcode::Copy;
  }
}

bool isOrdinary(const Instruction& i) {
  const auto isPlain = [](const Instruction* value) { return isPlainArray(value->shape()); };
  return isPlain(&i) && !i.shape().isDynamic() && std::ranges::all_of(i.operands(), isPlain);
}

bool differsInRank(const Instruction& convert) {
  return convert.operand(0)->shape().rank() != convert.shape().rank();
}

DimensionOrder lastAsMinor(DimensionOrder order) {
  const auto last = static_cast<int64_t>(order.size()) - 1;
  std::erase(order, last);
  order.push_back(last);
  return order;
}

// Of the other side of a bitcast-convert, which has one dimension more or one less, the last.
DimensionOrder resizedOrder(DimensionOrder order, size_t rank) {
  if (rank > order.size()) {
    order.push_back(static_cast<int64_t>(order.size()));
  } else {
    std::erase(order, static_cast<int64_t>(rank));
  }
  return order;
}

// A fold of the reduced dimensions side by side, in front of which the kept ones lie as in the result.
DimensionOrder rowReductionOrder(const Instruction& reduce, const DimensionOrder& result) {
  std::vector<int64_t> kept;
  for (size_t d = 0; d < reduce.operand(0)->shape().rank(); ++d) {
    if (std::ranges::find(reduce.dimensions(), static_cast<int64_t>(d)) == reduce.dimensions().end())
      kept.push_back(static_cast<int64_t>(d));
  }
  DimensionOrder order;
  for (const int64_t d : result) order.push_back(kept[static_cast<size_t>(d)]);
  order.insert(order.end(), reduce.dimensions().begin(), reduce.dimensions().end());
  return order;
}

int64_t reducedElements(const Instruction& reduce) {
  int64_t elements = 1;
  for (const int64_t d : reduce.dimensions())
    elements *= reduce.operand(0)->shape().dimension(static_cast<size_t>(d));
  return elements;
}

bool isUrgentReshape(const Instruction& reshape) {
  const auto sizes = [](Shape shape) {
    std::vector<int64_t> real;
    for (const int64_t size : shape.dimensions()) {
      if (size != 1) real.push_back(size);
    }
    return real;
  };
  return reshape.operand(0)->shape().rank() == 1 ||
         sizes(reshape.shape()) == sizes(reshape.operand(0)->shape());
}

// Of one dimension beside others of one element there is nothing to choose.
bool isLine(Shape shape) {
  return std::ranges::count_if(shape.dimensions(), [](int64_t size) { return size != 1; }) == 1;
}

}  // namespace

DimensionOrder rowMajorOrder(size_t rank) {
  DimensionOrder order(rank);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

bool isLayoutConstraint(const Instruction& i) {
  return i.opcode() == Opcode::CustomCall && i.get<Attr::CustomCallTarget>() == "LayoutConstraint" &&
         i.operandCount() == 1;
}

bool isMemoryMove(const Instruction& i) {
  if (i.opcode() != Opcode::CustomCall || i.operandCount() != 1) return false;
  const std::string_view target = i.get<Attr::CustomCallTarget>();
  return target == "MoveToHost" || target == "MoveToDevice";
}

std::optional<size_t> operandWrittenOver(const Instruction& call) {
  if (!isPlainArray(call.shape())) return std::nullopt;
  for (const AliasEntry& alias : call.get<Attr::OutputToOperandAliasing>()) {
    if (alias.outputIndex.empty() && alias.parameterIndex.empty())
      return static_cast<size_t>(alias.parameter);
  }
  return std::nullopt;
}

LayoutFlow layoutFlow(const Instruction& i) {
  if (!isOrdinary(i)) return LayoutFlow::Fixed;
  switch (i.opcode()) {
    case Opcode::Transpose:
      return LayoutFlow::Transpose;
    case Opcode::Reshape:
      return LayoutFlow::Reshape;
    case Opcode::Broadcast:
      return LayoutFlow::Broadcast;
    case Opcode::Reduce:
      return LayoutFlow::Reduce;
    case Opcode::Dot:
    case Opcode::Copy:
    case Opcode::Constant:
    case Opcode::Iota:
    case Opcode::Gather:
    case Opcode::RaggedAllToAll:
    case Opcode::RaggedDot:
    case Opcode::Convolution:
      return LayoutFlow::Free;
    case Opcode::CustomCall:
      if (isMemoryMove(i)) return LayoutFlow::Free;
      // What states its layouts keeps them.
      if (i.has(Attr::OperandLayoutConstraints) || !operandWrittenOver(i)) return LayoutFlow::Fixed;
      return LayoutFlow::Passed;
    case Opcode::BitcastConvert:
      return differsInRank(i) ? LayoutFlow::Resize : LayoutFlow::Same;
    default:
      return liesAsOperands(i.opcode()) ? LayoutFlow::Same : LayoutFlow::Fixed;
  }
}

DimensionOrder possibleResultOrder(const Instruction& i, DimensionOrder order) {
  const bool isWider = layoutFlow(i) == LayoutFlow::Resize && i.shape().rank() > i.operand(0)->shape().rank();
  return isWider ? lastAsMinor(std::move(order)) : order;
}

DimensionOrder possibleOperandOrder(const Instruction& i, DimensionOrder order) {
  const bool isWider = layoutFlow(i) == LayoutFlow::Resize && i.operand(0)->shape().rank() > i.shape().rank();
  return isWider ? lastAsMinor(std::move(order)) : order;
}

std::optional<FlowingOrder> operandOrderFor(const Instruction& i, size_t index, const DimensionOrder& order) {
  const Shape operand = i.operand(index)->shape();
  switch (layoutFlow(i)) {
    case LayoutFlow::Same:
      if (operand.rank() != i.shape().rank()) return std::nullopt;
      return FlowingOrder{order, true, true};
    case LayoutFlow::Passed:
      if (index != operandWrittenOver(i)) return std::nullopt;
      return FlowingOrder{order, true, true};
    case LayoutFlow::Transpose:
      return FlowingOrder{backThroughTranspose(order, i.dimensions()), false, true};
    case LayoutFlow::Reshape: {
      if (isLine(operand) && isLine(i.shape())) return std::nullopt;
      auto aligned = throughReshape(i.shape(), order, operand);
      if (!aligned) return std::nullopt;
      return FlowingOrder{*std::move(aligned), false, isUrgentReshape(i)};
    }
    case LayoutFlow::Broadcast: {
      DimensionOrder kept;
      for (const int64_t d : order) {
        const auto at = std::ranges::find(i.dimensions(), d);
        if (at != i.dimensions().end()) kept.push_back(at - i.dimensions().begin());
      }
      return FlowingOrder{kept, true, false};
    }
    case LayoutFlow::Resize:
      return FlowingOrder{resizedOrder(order, operand.rank()), true, true};
    case LayoutFlow::Reduce:
      if (index > 0 || reducedElements(i) < kLeastReduced) return std::nullopt;
      return FlowingOrder{rowReductionOrder(i, order), false, false};
    case LayoutFlow::Fixed:
    case LayoutFlow::Free:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<FlowingOrder> resultOrderFor(const Instruction& i, size_t index, const DimensionOrder& order) {
  const Shape operand = i.operand(index)->shape();
  switch (layoutFlow(i)) {
    case LayoutFlow::Same:
      if (operand.rank() != i.shape().rank()) return std::nullopt;
      return FlowingOrder{order, true, true};
    case LayoutFlow::Passed:
      if (index != operandWrittenOver(i)) return std::nullopt;
      return FlowingOrder{order, true, true};
    case LayoutFlow::Transpose:
      return FlowingOrder{throughTranspose(order, i.dimensions()), true, true};
    case LayoutFlow::Reshape: {
      if (isLine(operand) && isLine(i.shape())) return std::nullopt;
      auto aligned = throughReshape(operand, order, i.shape());
      if (!aligned) return std::nullopt;
      return FlowingOrder{*std::move(aligned), false, isUrgentReshape(i)};
    }
    case LayoutFlow::Resize:
      return FlowingOrder{resizedOrder(order, i.shape().rank()), true, true};
    case LayoutFlow::Broadcast:
    case LayoutFlow::Reduce:
    case LayoutFlow::Fixed:
    case LayoutFlow::Free:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace hilo
