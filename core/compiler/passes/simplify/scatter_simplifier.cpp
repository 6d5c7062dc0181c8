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

bool wantsForm(const Instruction& i) {
  if (i.opcode() != Opcode::Scatter || !i.get<Attr::InputBatchingDims>().empty()) return false;
  const size_t arrays = i.operandCount() / 2;
  if (i.operandCount() != 2 * arrays + 1 || i.operand(0)->shape().rank() == 0 ||
      !std::ranges::all_of(i.operands(), [](const Instruction* o) { return liesRowMajor(o->shape()); }))
    return false;
  return (i.shape().isTuple() || liesRowMajor(i.shape())) && !isSimplifiedScatter(i);
}

Instruction* scatterOfList(Instruction& scatter, std::span<Instruction* const> operands, size_t arrays) {
  Instruction* made = scatter.parent().createLike(scatter, operands, &scatter);
  std::vector<Shape> results;
  for (size_t k = 0; k < arrays; ++k) results.push_back(operands[k]->shape());
  made->setShape(scatter.shape().isTuple() ? Shape::tuple(results) : results[0]);
  std::vector<int64_t> windows;
  for (size_t d = 0; d < operands[0]->shape().rank(); ++d) windows.push_back(static_cast<int64_t>(d) + 1);
  made->set<Attr::UpdateWindowDims>(windows);
  made->set<Attr::InsertedWindowDims>(std::vector<int64_t>{});
  made->set<Attr::IndexVectorDim>(1);
  return made;
}

Instruction* simplified(Instruction& scatter) {
  const size_t arrays = scatter.operandCount() / 2;
  const IndexList list =
      listOfIndices(scatter.operand(arrays), scatter.get<Attr::IndexVectorDim>().value_or(0), scatter);
  std::vector<Instruction*> operands(scatter.operands().begin(),
                                     scatter.operands().begin() + static_cast<ptrdiff_t>(arrays));
  operands.push_back(list.vectors);
  for (size_t k = 0; k < arrays; ++k) {
    operands.push_back(
        listedUpdates(scatter, scatter.operand(arrays + 1 + k), list.vectors->shape().dimension(0)));
  }
  return scatterOfList(scatter, operands, arrays);
}

// Into numbers, of which each has one update.
bool isOfNumbers(const Instruction& i) {
  if (i.opcode() != Opcode::Scatter || i.operand(0)->shape().rank() != 0) return false;
  return i.operand(i.operandCount() - 1)->shape().rank() == 0;
}

// What the combiner does, in place of the scatter.
Instruction* combined(Instruction& scatter) {
  const size_t arrays = scatter.operandCount() / 2;
  const Computation& combiner = *scatter.get<Attr::ToApply>();
  absl::flat_hash_map<const Instruction*, Instruction*> made;
  for (const Instruction* i : combiner.instructions()) {
    if (i->opcode() == Opcode::Parameter) {
      const auto k = static_cast<size_t>(i->parameterNumber());
      made[i] = scatter.operand(k < arrays ? k : k + 1);
      continue;
    }
    std::vector<Instruction*> operands;
    for (const Instruction* operand : i->operands()) operands.push_back(made.at(operand));
    made[i] = i->opcode() == Opcode::Constant ? scatter.parent().createConstant(i->literal(), &scatter)
                                              : scatter.parent().createLike(*i, operands, &scatter);
  }
  return made.at(combiner.root());
}

}  // namespace

// [window, a size for each dimension of the array].
Instruction* listedUpdates(Instruction& scatter, Instruction* updates, int64_t count) {
  const auto windows = scatter.get<Attr::UpdateWindowDims>(),
             inserted = scatter.get<Attr::InsertedWindowDims>();
  const Shape shape = updates->shape();
  std::vector<int64_t> windowsLast, sizes = {count};
  for (int64_t d = 0; d < static_cast<int64_t>(shape.rank()); ++d) {
    if (std::ranges::find(windows, d) == windows.end()) windowsLast.push_back(d);
  }
  windowsLast.insert(windowsLast.end(), windows.begin(), windows.end());
  size_t next = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(scatter.operand(0)->shape().rank()); ++d) {
    const bool isInserted = std::ranges::find(inserted, d) != inserted.end();
    sizes.push_back(isInserted ? 1 : shape.dimension(static_cast<size_t>(windows[next++])));
  }
  return reshapeTo(transposeBy(updates, windowsLast, scatter), sizes, scatter);
}

bool isSimplifiedScatter(const Instruction& scatter) {
  const size_t arrays = scatter.operandCount() / 2;
  const auto windows = scatter.get<Attr::UpdateWindowDims>();
  return scatter.operand(arrays)->shape().rank() == 2 &&
         scatter.get<Attr::IndexVectorDim>().value_or(0) == 1 &&
         scatter.get<Attr::InsertedWindowDims>().empty() && isIota(windows, 1) &&
         windows.size() + 1 == scatter.operand(arrays + 1)->shape().rank();
}

Result<bool> simplifyScatters(Module& module, PassContext& context) {
  const bool combines = rewriteEach(module, context, "combined", isOfNumbers, combined);
  return rewriteEach(module, context, "simplified", wantsForm, simplified) || combines;
}

}  // namespace hilo
