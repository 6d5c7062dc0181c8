#include "core/compiler/passes/layout/library_orders.h"

#include <algorithm>

#include "core/compiler/passes/dot_dimensions.h"
#include "core/compiler/passes/layout/convolution_orders.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

using DimensionGroups = std::vector<std::vector<int64_t>>;

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
bool isMatrix(const DimensionOrder& order, const DimensionGroups& groups) {
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

DimensionOrder joined(const DimensionGroups& groups) {
  DimensionOrder order;
  for (const auto& group : groups) order.insert(order.end(), group.begin(), group.end());
  return order;
}

// What the module states of a value that keeps it.
std::optional<DimensionOrder> orderKept(const Instruction& value) {
  if (layoutFlow(value) != LayoutFlow::Fixed || !isPlainArray(value.shape())) return std::nullopt;
  return majorToMinor(value.shape());
}

// Whether a value comes of one whose elements are smaller than a byte, through elementwise work.
bool comesOfPacked(const Instruction& value, int& budget) {
  if (--budget < 0 || !value.shape().isArray()) return false;
  if (elementBits(value.shape().elementType()) < 8) return true;
  if (value.operandCount() == 1) return comesOfPacked(*value.operand(0), budget);
  return value.operandCount() == 2 && isElementwise(value.opcode()) &&
         (comesOfPacked(*value.operand(0), budget) || comesOfPacked(*value.operand(1), budget));
}

// Of 8-bit operands the tensor cores read runs of the contracted dimension.
bool wantsContractedMinor(const Instruction& dot, size_t side, const GpuLayoutSettings& settings) {
  const ElementType lhs = dot.operand(0)->shape().elementType(), rhs = dot.operand(1)->shape().elementType();
  const auto isFp8 = [](ElementType type) {
    return type == ElementType::F8E4M3FN || type == ElementType::F8E5M2FNUZ;
  };
  if (lhs == ElementType::S8 && rhs == ElementType::S8 && dot.shape().elementType() == ElementType::S32)
    return true;
  if (isFp8(lhs) && isFp8(rhs) && settings.capability / 10 != 10) return true;
  int budget = 64;
  return settings.packsAlongContracted && comesOfPacked(*dot.operand(side), budget);
}

DimensionOrder contractedMinor(const DotSide& dims, const std::optional<DimensionOrder>& kept) {
  const DimensionGroups groups = {dims.batch, dims.free, dims.contracting};
  const auto isContracted = [&](int64_t d) {
    return std::ranges::find(dims.contracting, d) != dims.contracting.end();
  };
  if (kept && isMatrix(*kept, groups) &&
      std::all_of(kept->end() - static_cast<std::ptrdiff_t>(dims.contracting.size()), kept->end(),
                  isContracted))
    return *kept;
  return joined(groups);
}

std::optional<DimensionOrder> dotOperandOrder(const Instruction& dot, size_t side,
                                              const GpuLayoutSettings& settings) {
  const DotSide dims = dotSide(dot, side);
  const auto kept = orderKept(*dot.operand(side));
  if (wantsContractedMinor(dot, side, settings)) return contractedMinor(dims, kept);
  if (dims.batch.empty() && dims.contracting.size() <= 1 && dims.free.size() <= 1) return std::nullopt;
  const DimensionGroups groups = {dims.batch, dims.contracting, dims.free};
  if (kept && isMatrix(*kept, groups)) return kept;
  DimensionOrder order = rowMajorOrder(dot.operand(side)->shape().rank());
  return isMatrix(order, groups) ? order : joined(groups);
}

DimensionGroups dotResultGroups(const Instruction& dot) {
  const DotSide lhs = dotSide(dot, 0), rhs = dotSide(dot, 1);
  DimensionGroups groups(3);
  int64_t next = 0;
  for (size_t k = 0; k < 3; ++k) {
    const size_t count = k == 0 ? lhs.batch.size() : k == 1 ? lhs.free.size() : rhs.free.size();
    for (size_t n = 0; n < count; ++n) groups[k].push_back(next++);
  }
  return groups;
}

bool isCallTo(const Instruction& i, std::string_view target) {
  return i.opcode() == Opcode::CustomCall && i.get<Attr::CustomCallTarget>() == target;
}

// Of several results each lies as the operand it is of.
bool liesAsOperand(Opcode opcode) {
  return opcode == Opcode::AllReduce || opcode == Opcode::Sort || opcode == Opcode::Scan ||
         opcode == Opcode::Send;
}
std::optional<DimensionOrder> orderOfElement(const Instruction& taker, size_t index) {
  const auto elements = taker.shape().tupleShapes();
  if (index >= elements.size() || !isPlainArray(elements[index])) return std::nullopt;
  return majorToMinor(elements[index]);
}

// Reduced together, arrays lie alike: as the first one that keeps its order.
DimensionOrder orderReducedIn(const Instruction& reduce) {
  const size_t arrays = reduce.operandCount() / 2;
  for (size_t k = 0; k < arrays; ++k) {
    if (auto kept = orderKept(*reduce.operand(k))) return *std::move(kept);
  }
  return majorToMinor(reduce.operand(0)->shape());
}

}  // namespace

bool dotGives(const Instruction& dot, const DimensionOrder& order) {
  return isMatrix(order, dotResultGroups(dot));
}

bool asksForResult(const Instruction& dot) {
  const DotSide lhs = dotSide(dot, 0), rhs = dotSide(dot, 1);
  return !lhs.batch.empty() || lhs.free.size() > 1 || rhs.free.size() > 1;
}

StatedOrders ordersAskedBy(const Instruction& i, const GpuLayoutSettings& settings) {
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
      for (size_t side = 0; side < 2; ++side) asked.operands[side] = dotOperandOrder(i, side, settings);
      break;
    case Opcode::RaggedDot:
      for (size_t k = 0; k < 2; ++k) asked.operands[k] = rowMajorOrder(i.operand(k)->shape().rank());
      asked.result = rowMajorOrder(rank);
      break;
    case Opcode::Transpose:
      // The result of a dot, so that the transpose of it lies in the order of its dimensions.
      if (const Instruction& dot = *i.operand(0); dot.opcode() == Opcode::Dot && dot.users().size() == 1) {
        const DimensionOrder order(i.dimensions().begin(), i.dimensions().end());
        if (dotGives(dot, order)) asked.operands[0] = order;
      }
      break;
    case Opcode::BitcastConvert:
      // As the side with more dimensions is stated.
      if (layoutFlow(i) != LayoutFlow::Resize) break;
      if (const size_t operandRank = i.operand(0)->shape().rank(); operandRank > rank) {
        asked.operands[0] = possibleOperandOrder(i, majorToMinor(i.operand(0)->shape()));
      } else {
        asked.result = possibleResultOrder(i, majorToMinor(i.shape()));
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
    case Opcode::RaggedAllToAll:
      all(movedToMajor(rank, 0));
      break;
    case Opcode::Convolution:
      for (size_t k = 0; k < 2; ++k) asked.operands[k] = convolutionOperandOrder(i, k, settings);
      asked.result = convolutionResultOrder(i, settings);
      break;
    case Opcode::CustomCall:
      if (isMemoryMove(i)) all(rowMajorOrder(rank));
      break;
    default:
      break;
  }
  return asked;
}

std::optional<DimensionOrder> orderTaken(const Instruction& taker, size_t index,
                                         const GpuLayoutSettings& settings) {
  const Shape stated = taker.operand(index)->shape();
  if (isLayoutConstraint(taker)) return majorToMinor(taker.shape());
  const bool hasSeveral = taker.shape().isTuple();
  if (taker.opcode() == Opcode::Reduce && hasSeveral && index < taker.operandCount() / 2)
    return orderReducedIn(taker);
  if (liesAsOperand(taker.opcode()) && hasSeveral) return orderOfElement(taker, index);
  if (taker.opcode() != Opcode::CustomCall) return majorToMinor(stated);
  if (auto order = convolutionOperandOrder(taker, index, settings)) return order;
  if (isCallTo(taker, "__gpu$TopK")) return rowMajorOrder(stated.rank());
  if (isCallTo(taker, "xla.gpu.ext.cub_sort_unassigned_scratch_size")) return orderOfElement(taker, index);
  if (operandWrittenOver(taker) == index) return majorToMinor(taker.shape());
  if (!taker.has(Attr::OperandLayoutConstraints))
    return stated.layout() == nullptr ? std::nullopt : std::optional(majorToMinor(stated));
  const auto constraints = taker.get<Attr::OperandLayoutConstraints>();
  return index < constraints.size() && isPlainArray(constraints[index]) ? majorToMinor(constraints[index])
                                                                        : majorToMinor(stated);
}

}  // namespace hilo
