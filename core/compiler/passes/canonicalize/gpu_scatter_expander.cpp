#include "core/compiler/passes/canonicalize/gpu_scatter_expander.h"

#include <algorithm>

#include "core/compiler/passes/loops/loop_writer.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

size_t arraysOf(const Instruction& scatter) { return scatter.operandCount() / 2; }

bool isElementwiseWork(const Computation& combiner) {
  return std::ranges::all_of(combiner.instructions(), [](const Instruction* i) {
    return i->opcode() == Opcode::Parameter || i->opcode() == Opcode::Constant ||
           isElementwise(i->opcode()) || (i->opcode() == Opcode::Tuple && i->isRoot());
  });
}

bool needsLoop(const Instruction& i) {
  if (!canBeLoop(i)) return false;
  bool isWide = false;
  for (size_t k = 0; k < arraysOf(i); ++k) isWide |= elementBits(i.operand(k)->shape().elementType()) > 64;
  const bool mayCoincide = i.shape().isTuple() && !i.get<Attr::UniqueIndices>().value_or(false);
  return isWide || mayCoincide;
}

int64_t placeIn(std::span<const int64_t> list, int64_t value) {
  const auto found = std::ranges::find(list, value);
  return found == list.end() ? -1 : found - list.begin();
}

// One iteration: what is carried is the count, the arrays, the indices and the updates.
class Iteration {
 public:
  Iteration(const Instruction& scatter, Computation& body, Shape state)
      : scatter_(scatter), write_(body), arrays_(arraysOf(scatter)) {
    Instruction* carried = body.createParameter(0, state);
    for (size_t k = 0; k < state.tupleShapes().size(); ++k)
      values_.push_back(write_.element(carried, static_cast<int64_t>(k)));
  }

  Instruction* next() {
    const std::vector<Instruction*> at = updatePlaces(), starts = windowStarts(at);
    const std::vector<int64_t> sizes = windowSizes();
    std::vector<int64_t> updateSizes;
    for (size_t d = 0; d < updates().rank(); ++d)
      updateSizes.push_back(isWindowDim(d) ? updates().dimension(d) : 1);
    std::vector<Instruction*> arguments;
    for (size_t k = 0; k < arrays_; ++k) arguments.push_back(write_.slice(values_[1 + k], starts, sizes));
    for (size_t k = 0; k < arrays_; ++k)
      arguments.push_back(write_.reshape(write_.slice(values_[2 + arrays_ + k], at, updateSizes), sizes));
    const auto fresh = write_.applied(*scatter_.get<Attr::ToApply>(), arguments);
    Instruction* inside = write_.splat(isInside(starts, sizes), sizes);
    std::vector<Instruction*> carried = {write_.make(Opcode::Add, values_[0], write_.number(1))};
    for (size_t k = 0; k < arrays_; ++k) {
      Instruction* kept = write_.select(inside, fresh[k], arguments[k]);
      carried.push_back(write_.update(values_[1 + k], kept, starts));
    }
    carried.insert(carried.end(), values_.begin() + static_cast<ptrdiff_t>(1 + arrays_), values_.end());
    return write_.tuple(carried);
  }

 private:
  Shape array() const { return scatter_.operand(0)->shape(); }
  Shape indices() const { return scatter_.operand(arrays_)->shape(); }
  Shape updates() const { return scatter_.operand(arrays_ + 1)->shape(); }
  bool isWindowDim(size_t d) const {
    return placeIn(scatter_.get<Attr::UpdateWindowDims>(), static_cast<int64_t>(d)) >= 0;
  }

  // By dimensions of the array.
  std::vector<int64_t> windowSizes() const {
    std::vector<int64_t> sizes;
    size_t window = 0;
    for (int64_t d = 0; d < static_cast<int64_t>(array().rank()); ++d) {
      const bool isCollapsed = placeIn(scatter_.get<Attr::InsertedWindowDims>(), d) >= 0 ||
                               placeIn(scatter_.get<Attr::InputBatchingDims>(), d) >= 0;
      const auto dims = scatter_.get<Attr::UpdateWindowDims>();
      sizes.push_back(isCollapsed ? 1 : updates().dimension(static_cast<size_t>(dims[window++])));
    }
    return sizes;
  }

  // Where in the updates this iteration's window starts.
  std::vector<Instruction*> updatePlaces() const {
    std::vector<Instruction*> places(updates().rank());
    Instruction* rest = values_[0];
    for (size_t d = places.size(); d-- > 0;) {
      if (isWindowDim(d)) {
        places[d] = write_.number(0);
        continue;
      }
      Instruction* size = write_.number(updates().dimension(d));
      places[d] = write_.make(Opcode::Remainder, rest, size);
      rest = write_.make(Opcode::Divide, rest, size);
    }
    return places;
  }

  // Component `k` of the index vector at these places of the indices' other dimensions.
  Instruction* indexAt(std::vector<Instruction*> places, int64_t k) const {
    const int64_t vectorDim = vectorDimension();
    if (vectorDim < static_cast<int64_t>(indices().rank()))
      places.insert(places.begin() + vectorDim, write_.number(k));
    Instruction* index = write_.slice(values_[1 + arrays_], places, std::vector<int64_t>(places.size(), 1));
    return write_.convertToNumber(write_.reshape(index, {}));
  }
  int64_t vectorDimension() const {
    return scatter_.get<Attr::IndexVectorDim>().value_or(static_cast<int64_t>(indices().rank()));
  }

  // Where the window starts in the array, by its dimensions.
  std::vector<Instruction*> windowStarts(const std::vector<Instruction*>& at) const {
    std::vector<Instruction*> batch, starts;
    for (size_t d = 0; d < at.size(); ++d) {
      if (!isWindowDim(d)) batch.push_back(at[d]);
    }
    for (int64_t d = 0; d < static_cast<int64_t>(array().rank()); ++d) {
      const int64_t component = placeIn(scatter_.get<Attr::ScatterDimsToOperandDims>(), d),
                    batching = placeIn(scatter_.get<Attr::InputBatchingDims>(), d);
      if (component >= 0) {
        starts.push_back(indexAt(batch, component));
      } else if (batching >= 0) {
        const int64_t dim = scatter_.get<Attr::ScatterIndicesBatchingDims>()[static_cast<size_t>(batching)];
        starts.push_back(batch[static_cast<size_t>(dim > vectorDimension() ? dim - 1 : dim)]);
      } else {
        starts.push_back(write_.number(0));
      }
    }
    return starts;
  }

  Instruction* isInside(const std::vector<Instruction*>& starts, const std::vector<int64_t>& sizes) const {
    Instruction* inside = write_.compare(write_.number(0), ComparisonDirection::Eq, write_.number(0));
    for (size_t d = 0; d < starts.size(); ++d) {
      if (starts[d]->opcode() == Opcode::Constant) continue;
      Instruction* last = write_.number(array().dimension(d) - sizes[d]);
      inside = write_.make(Opcode::And, inside,
                           write_.compare(starts[d], ComparisonDirection::Ge, write_.number(0)));
      inside = write_.make(Opcode::And, inside, write_.compare(starts[d], ComparisonDirection::Le, last));
    }
    return inside;
  }

  const Instruction& scatter_;
  LoopWriter write_;
  size_t arrays_;
  std::vector<Instruction*> values_;
};

// How many windows there are.
int64_t windowsOf(const Instruction& scatter) {
  const Shape updates = scatter.operand(arraysOf(scatter) + 1)->shape();
  int64_t count = 1;
  for (size_t d = 0; d < updates.rank(); ++d) {
    if (placeIn(scatter.get<Attr::UpdateWindowDims>(), static_cast<int64_t>(d)) < 0)
      count *= updates.dimension(d);
  }
  return count;
}

}  // namespace

bool canBeLoop(const Instruction& i) {
  return i.opcode() == Opcode::Scatter && i.operandCount() >= 3 &&
         std::ranges::all_of(i.operands(), [](const Instruction* o) { return isPlainArray(o->shape()); }) &&
         isElementwiseWork(*i.get<Attr::ToApply>()) && i.operand(0)->shape().elementCount() > 0 &&
         i.operand(i.operandCount() - 1)->shape().elementCount() > 0;
}

Instruction* scatterLoop(Instruction& scatter) {
  Computation& computation = scatter.parent();
  std::vector<Instruction*> carried = {
      computation.createConstant(Literal::scalar<int64_t>(ElementType::S64, 0), &scatter)};
  carried.insert(carried.end(), scatter.operands().begin(), scatter.operands().end());
  Computation* body = nullptr;
  Instruction* loop = countedLoop(carried, windowsOf(scatter), "scatter_window", scatter, body);
  body->setRoot(Iteration(scatter, *body, loop->shape()).next());
  if (!scatter.shape().isTuple()) return elementOfTuple(loop, 1, scatter);
  std::vector<Instruction*> results;
  for (size_t k = 0; k < arraysOf(scatter); ++k)
    results.push_back(elementOfTuple(loop, static_cast<int64_t>(k) + 1, scatter));
  return computation.create(Opcode::Tuple, scatter.shape(), results, {}, &scatter);
}

Result<bool> expandGpuScatters(Module& module, PassContext& context) {
  return rewriteEach(module, context, "expanded", needsLoop, scatterLoop);
}

}  // namespace hilo
