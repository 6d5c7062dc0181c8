#include "core/compiler/passes/simplify/scatter_simplifier.h"

#include <algorithm>

#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/index_list.h"

namespace hilo {
namespace {

bool isIota(std::span<const int64_t> dims, int64_t from) {
  for (size_t k = 0; k < dims.size(); ++k) {
    if (dims[k] != from + static_cast<int64_t>(k)) return false;
  }
  return true;
}

bool isSimplified(const Instruction& scatter, size_t arrays) {
  const auto windows = scatter.get<Attr::UpdateWindowDims>();
  return scatter.operand(arrays)->shape().rank() == 2 &&
         scatter.get<Attr::IndexVectorDim>().value_or(0) == 1 &&
         scatter.get<Attr::InsertedWindowDims>().empty() &&
         isIota(scatter.get<Attr::ScatterDimsToOperandDims>(), 0) && isIota(windows, 1) &&
         windows.size() + 1 == scatter.operand(arrays + 1)->shape().rank();
}

bool wantsForm(const Instruction& i) {
  if (i.opcode() != Opcode::Scatter || !i.get<Attr::InputBatchingDims>().empty()) return false;
  const size_t arrays = i.operandCount() / 2;
  if (i.operandCount() != 2 * arrays + 1 || i.operand(0)->shape().rank() == 0 ||
      !std::ranges::all_of(i.operands(), [](const Instruction* o) { return liesRowMajor(o->shape()); }))
    return false;
  return (i.shape().isTuple() || liesRowMajor(i.shape())) && !isSimplified(i, arrays);
}

// Indexed dimensions first, in the order of the index vectors; the others behind, in theirs.
std::vector<int64_t> orderOfArray(const Instruction& scatter) {
  const auto indexed = scatter.get<Attr::ScatterDimsToOperandDims>();
  std::vector<int64_t> order(indexed.begin(), indexed.end());
  for (int64_t d = 0; d < static_cast<int64_t>(scatter.operand(0)->shape().rank()); ++d) {
    if (std::ranges::find(indexed, d) == indexed.end()) order.push_back(d);
  }
  return order;
}

std::vector<int64_t> inverse(std::span<const int64_t> order) {
  std::vector<int64_t> inverted(order.size());
  for (size_t k = 0; k < order.size(); ++k) inverted[static_cast<size_t>(order[k])] = static_cast<int64_t>(k);
  return inverted;
}

// [window, a size for each dimension of the array, in its order above].
Instruction* listedUpdates(Instruction& scatter, Instruction* updates, int64_t count,
                           std::span<const int64_t> order) {
  const auto windows = scatter.get<Attr::UpdateWindowDims>(),
             inserted = scatter.get<Attr::InsertedWindowDims>();
  const Shape shape = updates->shape();
  std::vector<int64_t> windowsLast, sizes = {count}, moved = {0};
  for (int64_t d = 0; d < static_cast<int64_t>(shape.rank()); ++d) {
    if (std::ranges::find(windows, d) == windows.end()) windowsLast.push_back(d);
  }
  windowsLast.insert(windowsLast.end(), windows.begin(), windows.end());
  size_t next = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(order.size()); ++d) {
    const bool isInserted = std::ranges::find(inserted, d) != inserted.end();
    sizes.push_back(isInserted ? 1 : shape.dimension(static_cast<size_t>(windows[next++])));
  }
  for (const int64_t d : order) moved.push_back(d + 1);
  Instruction* whole = reshapeTo(transposeBy(updates, windowsLast, scatter), sizes, scatter);
  return transposeBy(whole, moved, scatter);
}

Instruction* scatterOfList(Instruction& scatter, std::span<Instruction* const> operands, size_t arrays) {
  Instruction* made = scatter.parent().createLike(scatter, operands, &scatter);
  std::vector<Shape> results;
  for (size_t k = 0; k < arrays; ++k) results.push_back(operands[k]->shape());
  made->setShape(scatter.shape().isTuple() ? Shape::tuple(results) : results[0]);
  std::vector<int64_t> windows, indexed;
  for (size_t d = 0; d < operands[0]->shape().rank(); ++d) windows.push_back(static_cast<int64_t>(d) + 1);
  for (size_t k = 0; k < scatter.get<Attr::ScatterDimsToOperandDims>().size(); ++k)
    indexed.push_back(static_cast<int64_t>(k));
  made->set<Attr::UpdateWindowDims>(windows);
  made->set<Attr::InsertedWindowDims>(std::vector<int64_t>{});
  made->set<Attr::ScatterDimsToOperandDims>(indexed);
  made->set<Attr::IndexVectorDim>(1);
  return made;
}

Instruction* simplified(Instruction& scatter) {
  const size_t arrays = scatter.operandCount() / 2;
  const std::vector<int64_t> order = orderOfArray(scatter), back = inverse(order);
  const IndexList list =
      listOfIndices(scatter.operand(arrays), scatter.get<Attr::IndexVectorDim>().value_or(0), scatter);
  std::vector<Instruction*> operands;
  for (size_t k = 0; k < arrays; ++k) operands.push_back(transposeBy(scatter.operand(k), order, scatter));
  operands.push_back(list.vectors);
  for (size_t k = 0; k < arrays; ++k) {
    operands.push_back(
        listedUpdates(scatter, scatter.operand(arrays + 1 + k), list.vectors->shape().dimension(0), order));
  }
  Instruction* made = scatterOfList(scatter, operands, arrays);
  if (!scatter.shape().isTuple()) return transposeBy(made, back, scatter);
  std::vector<Instruction*> results;
  for (size_t k = 0; k < arrays; ++k)
    results.push_back(transposeBy(elementOfTuple(made, static_cast<int64_t>(k), scatter), back, scatter));
  return scatter.parent().create(Opcode::Tuple, scatter.shape(), results, {}, &scatter);
}

}  // namespace

Result<bool> simplifyScatters(Module& module, PassContext& context) {
  return rewriteEach(module, context, "simplified", wantsForm, simplified);
}

}  // namespace hilo
