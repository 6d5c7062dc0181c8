#include "core/compiler/passes/simplify/scatter_slice_simplifier.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/functional/function_ref.h>

#include <algorithm>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/scatter_simplifier.h"

namespace hilo {
namespace {

bool startsAtFront(const Instruction& slice) {
  return std::ranges::all_of(slice.get<Attr::Slice>(),
                             [](const SliceRange& range) { return range.start == 0 && range.stride == 1; });
}

// Visits, in order, all that is made of the scatter's result elementwise, and the slices of that. False where
// a visit says so, or where something else reads it.
bool visitReaders(const Instruction& scatter, absl::FunctionRef<bool(Instruction&)> visit) {
  absl::flat_hash_set<const Instruction*> reached = {&scatter};
  size_t left = scatter.users().size();
  for (Instruction* i = scatter.next(); left > 0 && i != nullptr; i = i->next()) {
    const auto read = static_cast<size_t>(std::ranges::count_if(
        i->users().empty() && !i->isRoot() ? std::span<Instruction* const>() : i->operands(),
        [&](const Instruction* operand) { return reached.contains(operand); }));
    if (read == 0) continue;
    if (!visit(*i)) return false;
    left -= std::min(left, read);
    if (i->opcode() == Opcode::Slice) continue;
    left += i->users().size();
    reached.insert(i);
  }
  return true;
}

// The sizes that all slices have; nullopt where they differ or something else reads the scatter.
std::optional<std::vector<int64_t>> sizesRead(const Instruction& scatter) {
  std::optional<std::vector<int64_t>> sizes;
  const bool areSlices = !scatter.isRoot() && visitReaders(scatter, [&](const Instruction& i) {
    if (i.opcode() != Opcode::Slice) {
      return !i.isRoot() && !i.has(Attr::ControlPredecessors) &&
             (isElementwise(i.opcode()) || i.opcode() == Opcode::GetTupleElement);
    }
    const auto taken = i.shape().dimensions();
    if (!sizes) sizes.emplace(taken.begin(), taken.end());
    return startsAtFront(i) && std::ranges::equal(*sizes, taken);
  });
  return areSlices ? sizes : std::nullopt;
}

bool mayCutTo(const Instruction& scatter, std::span<const int64_t> sizes) {
  const auto whole = scatter.operand(0)->shape().dimensions();
  const auto update = scatter.operands().back()->shape().dimensions();
  bool cuts = false;
  for (size_t d = 0; d < whole.size(); ++d) {
    if (sizes[d] == whole[d]) continue;
    if (update[d + 1] != 1) return false;
    cuts = true;
  }
  return cuts;
}

Shape cut(Shape shape, std::span<const int64_t> sizes) {
  if (!shape.isTuple()) return arrayLike(shape, shape.elementType(), sizes);
  std::vector<Shape> parts;
  for (const Shape part : shape.tupleShapes()) parts.push_back(cut(part, sizes));
  return Shape::tuple(parts);
}

void rewrite(Instruction& scatter, std::span<const int64_t> sizes) {
  absl::flat_hash_map<const Instruction*, Instruction*> instead;
  const auto make = [&](Instruction& i, size_t arrays) {
    std::vector<Instruction*> operands(i.operands().begin(), i.operands().end());
    for (size_t k = 0; k < arrays; ++k) {
      const auto found = instead.find(operands[k]);
      operands[k] = found != instead.end() ? found->second : cutTo(operands[k], sizes, i);
    }
    instead[&i] = i.parent().createLike(i, operands, &i);
    instead[&i]->setShape(cut(i.shape(), sizes));
  };
  std::vector<Instruction*> slices;
  make(scatter, scatter.operandCount() / 2);
  visitReaders(scatter, [&](Instruction& i) {
    if (i.opcode() != Opcode::Slice)
      make(i, i.operandCount());
    else
      slices.push_back(&i);
    return true;
  });
  for (Instruction* slice : slices) {
    slice->parent().replaceAllUses(slice, instead.at(slice->operand(0)));
    slice->parent().remove(slice);
  }
}

bool isPlain(const Instruction& i) {
  return i.opcode() == Opcode::Scatter && i.operandCount() >= 3 && !i.has(Attr::ControlPredecessors) &&
         i.get<Attr::InputBatchingDims>().empty() &&
         std::ranges::all_of(i.operands(), [](const Instruction* o) { return liesRowMajor(o->shape()); }) &&
         isSimplifiedScatter(i);
}

}  // namespace

Result<bool> simplifySlicesOfScatters(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!isPlain(*i)) continue;
      const auto sizes = sizesRead(*i);
      if (!sizes || !mayCutTo(*i, *sizes)) continue;
      if (!context.mayChange(*i)) return changed;
      context.remark(*i, "simplified", "only what is read of it is scattered into");
      rewrite(*i, *sizes);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
