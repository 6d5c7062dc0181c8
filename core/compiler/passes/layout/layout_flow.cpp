#include "core/compiler/passes/layout/layout_flow.h"

#include <algorithm>
#include <numeric>

#include "core/compiler/passes/dots/dot_dimensions.h"
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

DimensionOrder movedToMajor(size_t rank, int64_t dimension) {
  DimensionOrder order = rowMajorOrder(rank);
  std::erase(order, dimension);
  order.insert(order.begin(), dimension);
  return order;
}

// Matrices with the rows side by side, as LAPACK has them.
DimensionOrder columnMajorMatrices(size_t rank) {
  DimensionOrder order = rowMajorOrder(rank);
  if (rank >= 2) std::swap(order[rank - 1], order[rank - 2]);
  return order;
}

// What a library takes: each group of dimensions is one stride; batches, the first group, are not minor.
bool isMatrix(const DimensionOrder& order, const std::vector<std::vector<int64_t>>& groups) {
  for (size_t at = 0; at < order.size();) {
    const auto group = std::ranges::find_if(
        groups, [&](const auto& dims) { return !dims.empty() && dims.front() == order[at]; });
    if (group == groups.end() || group->size() > order.size() - at ||
        !std::equal(group->begin(), group->end(), order.begin() + static_cast<std::ptrdiff_t>(at)))
      return false;
    const bool isLast = at + group->size() == order.size();
    if (isLast && at > 0 && group == groups.begin()) return false;
    at += group->size();
  }
  return true;
}

std::optional<DimensionOrder> dotOperandOrder(const Instruction& dot, size_t side) {
  const DotSide dims = dotSide(dot, side);
  if (dims.batch.empty() && dims.contracting.size() <= 1 && dims.free.size() <= 1) return std::nullopt;
  const std::vector<std::vector<int64_t>> groups = {dims.batch, dims.contracting, dims.free};
  DimensionOrder order = rowMajorOrder(dot.operand(side)->shape().rank());
  if (isMatrix(order, groups)) return order;
  order.clear();
  for (const auto& group : groups) order.insert(order.end(), group.begin(), group.end());
  return order;
}

std::vector<std::vector<int64_t>> dotResultGroups(const Instruction& dot) {
  const DotSide lhs = dotSide(dot, 0), rhs = dotSide(dot, 1);
  std::vector<std::vector<int64_t>> groups(3);
  int64_t next = 0;
  for (size_t k = 0; k < 3; ++k) {
    const size_t count = k == 0 ? lhs.batch.size() : k == 1 ? lhs.free.size() : rhs.free.size();
    for (size_t n = 0; n < count; ++n) groups[k].push_back(next++);
  }
  return groups;
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
      return LayoutFlow::Free;
    case Opcode::BitcastConvert:
      return differsInRank(i) ? LayoutFlow::Fixed : LayoutFlow::Same;
    default:
      return liesAsOperands(i.opcode()) ? LayoutFlow::Same : LayoutFlow::Fixed;
  }
}

std::optional<FlowingOrder> operandOrderFor(const Instruction& i, size_t index, const DimensionOrder& order) {
  const Shape operand = i.operand(index)->shape();
  switch (layoutFlow(i)) {
    case LayoutFlow::Same:
      if (operand.rank() != i.shape().rank()) return std::nullopt;
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
    case LayoutFlow::Transpose:
      return FlowingOrder{throughTranspose(order, i.dimensions()), true, true};
    case LayoutFlow::Reshape: {
      if (isLine(operand) && isLine(i.shape())) return std::nullopt;
      auto aligned = throughReshape(operand, order, i.shape());
      if (!aligned) return std::nullopt;
      return FlowingOrder{*std::move(aligned), false, isUrgentReshape(i)};
    }
    case LayoutFlow::Broadcast:
    case LayoutFlow::Reduce:
    case LayoutFlow::Fixed:
    case LayoutFlow::Free:
      return std::nullopt;
  }
  return std::nullopt;
}

bool dotGives(const Instruction& dot, const DimensionOrder& order) {
  return isMatrix(order, dotResultGroups(dot));
}

bool asksForResult(const Instruction& dot) {
  const DotSide lhs = dotSide(dot, 0), rhs = dotSide(dot, 1);
  return !lhs.batch.empty() || lhs.free.size() > 1 || rhs.free.size() > 1;
}

StatedOrders ordersAskedBy(const Instruction& i) {
  StatedOrders asked;
  asked.operands.resize(i.operandCount());
  const size_t rank = i.shape().isArray() ? i.shape().rank() : 0;
  const auto all = [&](const DimensionOrder& order) {
    for (size_t k = 0; k < i.operandCount(); ++k) {
      if (i.operand(k)->shape().isArray() && i.operand(k)->shape().rank() == rank) asked.operands[k] = order;
    }
    asked.result = order;
  };
  switch (i.opcode()) {
    case Opcode::Dot:
      for (size_t side = 0; side < 2; ++side) asked.operands[side] = dotOperandOrder(i, side);
      break;
    case Opcode::Transpose:
      // The result of a dot, so that the transpose of it lies in the order of its dimensions.
      if (const Instruction& dot = *i.operand(0); dot.opcode() == Opcode::Dot && dot.users().size() == 1) {
        const DimensionOrder order(i.dimensions().begin(), i.dimensions().end());
        if (dotGives(dot, order)) asked.operands[0] = order;
      }
      break;
    case Opcode::Fft:
    case Opcode::Sort:
      all(rowMajorOrder(rank));
      break;
    case Opcode::TriangularSolve:
    case Opcode::Cholesky:
      all(columnMajorMatrices(rank));
      break;
    case Opcode::AllGather:
    case Opcode::ReduceScatter:
    case Opcode::AllToAll:
      // One piece of memory from or to each partner.
      if (!i.dimensions().empty()) all(movedToMajor(rank, i.dimensions()[0]));
      break;
    default:
      break;
  }
  return asked;
}

}  // namespace hilo
