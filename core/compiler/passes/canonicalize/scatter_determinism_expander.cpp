#include "core/compiler/passes/canonicalize/scatter_determinism_expander.h"

#include <algorithm>

#include "core/compiler/passes/canonicalize/scatter_expander.h"
#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/compiler/passes/simplify/index_list.h"
#include "core/compiler/passes/simplify/scatter_simplifier.h"

namespace hilo {
namespace {

// How many windows are written.
int64_t countOf(const Instruction& scatter) {
  const Shape indices = scatter.operand(1)->shape();
  const auto vector = static_cast<size_t>(scatter.get<Attr::IndexVectorDim>().value_or(0));
  const int64_t length = vector < indices.rank() ? indices.dimension(vector) : 1;
  return length == 0 ? 0 : indices.elementCount() / length;
}

bool applies(const Instruction& i) {
  if (i.opcode() != Opcode::Scatter || i.operandCount() != 3 || !i.get<Attr::InputBatchingDims>().empty() ||
      !std::ranges::all_of(i.operands(), [](const Instruction* o) { return liesRowMajor(o->shape()); }))
    return false;
  const ElementType index = i.operand(1)->shape().elementType();
  return (index == ElementType::S32 || index == ElementType::S64) && countOf(i) > 1 && dependsOnOrder(i) &&
         i.operand(2)->shape().elementCount() > 0 && i.operand(0)->shape().elementCount() > 0;
}

// Vectors in front of a scatter.
class Writer {
 public:
  explicit Writer(Instruction& scatter) : scatter_(scatter) {}

  Instruction* make(Opcode opcode, Shape shape, std::initializer_list<Instruction*> operands) const {
    return scatter_.parent().create(opcode, shape, operands, {}, &scatter_);
  }
  Instruction* plus(Instruction* a, Instruction* b) const { return make(Opcode::Add, a->shape(), {a, b}); }
  Instruction* splat(Shape shape, int64_t number) const {
    return algebra::makeSplat(scatter_, shape, static_cast<double>(number));
  }
  Instruction* times(Instruction* a, int64_t number) const {
    return make(Opcode::Multiply, a->shape(), {a, splat(a->shape(), number)});
  }
  Instruction* compare(Instruction* a, ComparisonDirection direction, Instruction* b) const {
    Instruction* made = make(Opcode::Compare, a->shape().withElementType(ElementType::Pred), {a, b});
    made->set<Attr::Direction>(direction);
    return made;
  }
  Instruction* select(Instruction* which, Instruction* a, Instruction* b) const {
    return make(Opcode::Select, a->shape(), {which, a, b});
  }
  // Each element `by` places further on, or back where `by` is negative; `fill` where none comes from.
  Instruction* shifted(Instruction* a, int64_t by, int64_t fill) const {
    Instruction* number = splat(Shape::scalar(a->shape().elementType()), fill);
    Instruction* made = make(Opcode::Pad, a->shape(), {a, number});
    made->set<Attr::Padding>(std::array{PaddingDimension{.low = by, .high = -by}});
    return made;
  }

 private:
  Instruction& scatter_;
};

std::vector<int64_t> stridesOf(Shape shape) {
  std::vector<int64_t> strides(shape.rank(), 1);
  for (size_t d = shape.rank(); d-- > 1;) strides[d - 1] = strides[d] * shape.dimension(d);
  return strides;
}

// Where each window begins among all elements; their number where it does not lie inside.
Instruction* windowStarts(const Writer& w, Instruction& scatter, Instruction* vectors,
                          std::span<const int64_t> windows) {
  const Shape whole = scatter.shape(), one = arrayLike(vectors->shape(), vectors->shape().elementType(),
                                                       std::array{vectors->shape().dimension(0)});
  const std::vector<int64_t> strides = stridesOf(whole);
  const auto map = scatter.get<Attr::ScatterDimsToOperandDims>();
  Instruction *start = w.splat(one, 0), *isInside = w.splat(one.withElementType(ElementType::Pred), 1);
  for (int64_t k = 0; k < static_cast<int64_t>(map.size()); ++k) {
    const auto d = static_cast<size_t>(map[static_cast<size_t>(k)]);
    Instruction* part =
        w.make(Opcode::Slice, arrayLike(one, one.elementType(), std::array<int64_t, 2>{one.dimension(0), 1}),
               {vectors});
    part->set<Attr::Slice>(
        std::array{SliceRange{.limit = one.dimension(0)}, SliceRange{.start = k, .limit = k + 1}});
    Instruction* index = reshapeTo(part, one.dimensions(), scatter);
    const int64_t last = whole.dimension(d) - windows[d];
    for (Instruction* holds : {w.compare(index, ComparisonDirection::Ge, w.splat(one, 0)),
                               w.compare(index, ComparisonDirection::Le, w.splat(one, last))})
      isInside = w.make(Opcode::And, isInside->shape(), {isInside, holds});
    start = w.plus(start, w.times(index, strides[d]));
  }
  return w.select(isInside, start, w.splat(one, whole.elementCount()));
}

// Where each element of the updates goes, in a row.
Instruction* targets(const Writer& w, Instruction& scatter, Instruction* vectors, Shape updates) {
  Instruction* starts = windowStarts(w, scatter, vectors, updates.dimensions().subspan(1));
  Instruction* at = broadcastTo(starts, updates.dimensions(), std::array<int64_t, 1>{0}, scatter);
  const std::vector<int64_t> strides = stridesOf(scatter.shape());
  for (size_t d = 0; d < strides.size(); ++d) {
    if (updates.dimension(d + 1) == 1) continue;
    Instruction* places = w.make(Opcode::Iota, at->shape(), {});
    places->set<Attr::IotaDimension>(static_cast<int64_t>(d) + 1);
    at = w.plus(at, w.times(places, strides[d]));
  }
  return reshapeTo(at, std::array{updates.elementCount()}, scatter);
}

// Two rows by the first.
std::pair<Instruction*, Instruction*> sorted(const Writer& w, Instruction& scatter, Instruction* keys,
                                             Instruction* values) {
  Module& module = scatter.module();
  Computation* less = module.createComputation(module.uniqueName("by_place"), &scatter.parent());
  std::vector<Instruction*> sides;
  for (const Instruction* row : {keys, keys, values, values})
    sides.push_back(
        less->createParameter(static_cast<int64_t>(sides.size()), Shape::scalar(row->shape().elementType())));
  Instruction* answer = less->create(Opcode::Compare, Shape::scalar(ElementType::Pred), {sides[0], sides[1]});
  answer->set<Attr::Direction>(ComparisonDirection::Lt);
  less->setRoot(answer);
  Instruction* sort =
      w.make(Opcode::Sort, Shape::tuple(std::array{keys->shape(), values->shape()}), {keys, values});
  sort->set<Attr::Dimensions>(std::array<int64_t, 1>{0});
  sort->set<Attr::IsStable>(true);
  sort->set<Attr::ToApply>(less);
  return {elementOfTuple(sort, 0, scatter), elementOfTuple(sort, 1, scatter)};
}

// Of each element the combination of those of its place up to it.
Instruction* combinedSoFar(const Writer& w, Instruction& scatter, Instruction* keys, Instruction* values) {
  for (int64_t by = 1; by < keys->shape().dimension(0); by *= 2) {
    Instruction* isSame = w.compare(keys, ComparisonDirection::Eq, w.shifted(keys, by, -1));
    Instruction* both = w.make(Opcode::Map, values->shape(), {w.shifted(values, by, 0), values});
    both->set<Attr::Dimensions>(std::array<int64_t, 1>{0});
    both->set<Attr::ToApply>(scatter.get<Attr::ToApply>());
    values = w.select(isSame, both, values);
  }
  return values;
}

Instruction* scatterOfElements(const Writer& w, Instruction& scatter, Instruction* places,
                               Instruction* values) {
  const int64_t total = scatter.shape().elementCount(), count = places->shape().dimension(0);
  Instruction* array = reshapeTo(scatter.operand(0), std::array{total}, scatter);
  Instruction* list = reshapeTo(places, std::array<int64_t, 2>{count, 1}, scatter);
  Instruction* made = w.make(Opcode::Scatter, array->shape(), {array, list, values});
  made->set<Attr::UpdateWindowDims>(std::vector<int64_t>{});
  made->set<Attr::InsertedWindowDims>(std::array<int64_t, 1>{0});
  made->set<Attr::ScatterDimsToOperandDims>(std::array<int64_t, 1>{0});
  made->set<Attr::IndexVectorDim>(1);
  made->set<Attr::UniqueIndices>(true);
  made->set<Attr::ToApply>(scatter.get<Attr::ToApply>());
  return reshapeTo(made, scatter.shape().dimensions(), scatter);
}

Instruction* expanded(Instruction& scatter) {
  const Writer w(scatter);
  const int64_t total = scatter.shape().elementCount();
  Instruction* vectors =
      listOfIndices(scatter.operand(1), scatter.get<Attr::IndexVectorDim>().value_or(0), scatter).vectors;
  if (total >= int64_t{1} << 30) vectors = convertTo(vectors, ElementType::S64, scatter);
  Instruction* updates = listedUpdates(scatter, scatter.operand(2), vectors->shape().dimension(0));
  Instruction* row = reshapeTo(updates, std::array{updates->shape().elementCount()}, scatter);
  const auto [keys, values] = sorted(w, scatter, targets(w, scatter, vectors, updates->shape()), row);
  Instruction* combined = combinedSoFar(w, scatter, keys, values);
  // The last element of each place has all of them.
  Instruction* isLast = w.compare(keys, ComparisonDirection::Ne, w.shifted(keys, -1, -1));
  Instruction* places = w.select(isLast, keys, w.splat(keys->shape(), total));
  return scatterOfElements(w, scatter, places, combined);
}

}  // namespace

Result<bool> expandForDeterminism(Module& module, PassContext& context) {
  return rewriteEach(module, context, "expanded", applies, expanded);
}

}  // namespace hilo
