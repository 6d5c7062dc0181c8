#include "core/compiler/passes/canonicalize/gpu_scatter_expander.h"

#include <algorithm>

#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

size_t arraysOf(const Instruction& scatter) { return scatter.operandCount() / 2; }

bool needsLoop(const Instruction& i) {
  if (i.opcode() != Opcode::Scatter || i.operandCount() < 3) return false;
  bool isWide = false;
  for (size_t k = 0; k < i.operandCount(); ++k) {
    if (!isPlainArray(i.operand(k)->shape())) return false;
    isWide |= k < arraysOf(i) && elementBits(i.operand(k)->shape().elementType()) > 64;
  }
  const bool mayCoincide = i.shape().isTuple() && !i.get<Attr::UniqueIndices>().value_or(false);
  return (isWide || mayCoincide) && i.operand(0)->shape().elementCount() > 0 &&
         i.operand(i.operandCount() - 1)->shape().elementCount() > 0;
}

int64_t placeIn(std::span<const int64_t> list, int64_t value) {
  const auto found = std::ranges::find(list, value);
  return found == list.end() ? -1 : found - list.begin();
}

// Scalars of s64 at the end of a computation.
class Numbers {
 public:
  explicit Numbers(Computation& in) : in_(in) {}
  Instruction* constant(int64_t value) const {
    return in_.createConstant(Literal::scalar<int64_t>(ElementType::S64, value));
  }
  Instruction* make(Opcode opcode, Instruction* a, Instruction* b) const {
    return in_.create(opcode, a->shape(), {a, b});
  }
  Instruction* compare(Instruction* a, ComparisonDirection direction, Instruction* b) const {
    Instruction* made = in_.create(Opcode::Compare, Shape::scalar(ElementType::Pred), {a, b});
    made->set<Attr::Direction>(direction);
    return made;
  }
  // The element of `array` at these places.
  Instruction* element(Instruction* array, std::span<Instruction* const> places) const {
    std::vector<Instruction*> operands = {array};
    operands.insert(operands.end(), places.begin(), places.end());
    const std::vector<int64_t> ones(places.size(), 1);
    Instruction* slice =
        in_.create(Opcode::DynamicSlice, Shape::array(array->shape().elementType(), ones), operands);
    slice->set<Attr::DynamicSliceSizes>(ones);
    return in_.create(Opcode::Reshape, Shape::scalar(array->shape().elementType()), {slice});
  }
  Instruction* withElement(Instruction* array, Instruction* value,
                           std::span<Instruction* const> places) const {
    const std::vector<int64_t> ones(places.size(), 1);
    std::vector<Instruction*> operands = {
        array, in_.create(Opcode::Reshape, Shape::array(array->shape().elementType(), ones), {value})};
    operands.insert(operands.end(), places.begin(), places.end());
    return in_.create(Opcode::DynamicUpdateSlice, array->shape(), operands);
  }

 private:
  Computation& in_;
};

// One iteration: what is carried is the count, the arrays, the indices and the updates.
class Iteration {
 public:
  Iteration(const Instruction& scatter, Computation& body, Shape state)
      : scatter_(scatter), body_(body), numbers_(body), arrays_(arraysOf(scatter)) {
    Instruction* carried = body.createParameter(0, state);
    for (size_t k = 0; k < state.tupleShapes().size(); ++k)
      values_.push_back(elementOfTuple(carried, static_cast<int64_t>(k)));
  }

  Instruction* next() {
    const std::vector<Instruction*> at = updatePlaces(), starts = windowStarts(at);
    std::vector<Instruction*> places;
    Instruction* inside = body_.createConstant(Literal::scalar<bool>(ElementType::Pred, true));
    const auto windowDims = scatter_.get<Attr::UpdateWindowDims>();
    size_t window = 0;
    for (size_t d = 0; d < array().rank(); ++d) {
      const bool isInserted = isCollapsed(static_cast<int64_t>(d));
      const auto dim = isInserted ? 0 : static_cast<size_t>(windowDims[window++]);
      const int64_t size = isInserted ? 1 : updates()->shape().dimension(dim);
      inside = numbers_.make(Opcode::And, inside,
                             numbers_.compare(starts[d], ComparisonDirection::Ge, numbers_.constant(0)));
      inside = numbers_.make(Opcode::And, inside,
                             numbers_.compare(starts[d], ComparisonDirection::Le,
                                              numbers_.constant(array().dimension(d) - size)));
      places.push_back(isInserted ? starts[d] : numbers_.make(Opcode::Add, starts[d], at[dim]));
    }
    return written(at, places, inside);
  }

 private:
  Shape array() const { return scatter_.operand(0)->shape(); }
  Instruction* indices() const { return values_[1 + arrays_]; }
  Instruction* updates() const { return values_[2 + arrays_]; }
  bool isCollapsed(int64_t d) const {
    return placeIn(scatter_.get<Attr::InsertedWindowDims>(), d) >= 0 ||
           placeIn(scatter_.get<Attr::InputBatchingDims>(), d) >= 0;
  }
  Instruction* elementOfTuple(Instruction* tuple, int64_t k) const {
    Instruction* made =
        body_.create(Opcode::GetTupleElement, tuple->shape().tupleShapes()[static_cast<size_t>(k)], {tuple});
    made->set<Attr::Index>(k);
    return made;
  }

  // Which element of the updates this iteration takes.
  std::vector<Instruction*> updatePlaces() const {
    const Shape shape = updates()->shape();
    std::vector<Instruction*> places(shape.rank());
    Instruction* rest = values_[0];
    for (size_t d = shape.rank(); d-- > 0;) {
      Instruction* size = numbers_.constant(shape.dimension(d));
      places[d] = numbers_.make(Opcode::Remainder, rest, size);
      rest = numbers_.make(Opcode::Divide, rest, size);
    }
    return places;
  }

  // Where the window starts in the array, by its dimensions.
  std::vector<Instruction*> windowStarts(const std::vector<Instruction*>& at) const {
    const auto windowDims = scatter_.get<Attr::UpdateWindowDims>();
    std::vector<Instruction*> batch;
    for (size_t d = 0; d < at.size(); ++d) {
      if (placeIn(windowDims, static_cast<int64_t>(d)) < 0) batch.push_back(at[d]);
    }
    const auto rank = static_cast<int64_t>(indices()->shape().rank());
    const int64_t vectorDim = scatter_.get<Attr::IndexVectorDim>().value_or(rank);
    // Places in the indices, the one along the index vector left out until it is known.
    const auto indexAt = [&](int64_t component) {
      std::vector<Instruction*> places = batch;
      if (vectorDim < rank) places.insert(places.begin() + vectorDim, numbers_.constant(component));
      Instruction* index = numbers_.element(indices(), places);
      return body_.create(Opcode::Convert, Shape::scalar(ElementType::S64), {index});
    };
    std::vector<Instruction*> starts;
    for (int64_t d = 0; d < static_cast<int64_t>(array().rank()); ++d) {
      const int64_t component = placeIn(scatter_.get<Attr::ScatterDimsToOperandDims>(), d),
                    batching = placeIn(scatter_.get<Attr::InputBatchingDims>(), d);
      if (component >= 0) {
        starts.push_back(indexAt(component));
      } else if (batching >= 0) {
        const int64_t dim = scatter_.get<Attr::ScatterIndicesBatchingDims>()[static_cast<size_t>(batching)];
        starts.push_back(batch[static_cast<size_t>(dim > vectorDim ? dim - 1 : dim)]);
      } else {
        starts.push_back(numbers_.constant(0));
      }
    }
    return starts;
  }

  // What is carried on: the arrays with the combined elements, where the window lies inside.
  Instruction* written(const std::vector<Instruction*>& at, const std::vector<Instruction*>& places,
                       Instruction* inside) const {
    std::vector<Instruction*> old, operands;
    for (size_t k = 0; k < arrays_; ++k) old.push_back(numbers_.element(values_[1 + k], places));
    operands = old;
    for (size_t k = 0; k < arrays_; ++k) operands.push_back(numbers_.element(values_[2 + arrays_ + k], at));
    Computation* combiner = scatter_.get<Attr::ToApply>();
    Instruction* combined = body_.create(Opcode::Call, combiner->root()->shape(), operands);
    combined->set<Attr::ToApply>(combiner);
    std::vector<Instruction*> carried = {numbers_.make(Opcode::Add, values_[0], numbers_.constant(1))};
    std::vector<Shape> shapes = {carried[0]->shape()};
    for (size_t k = 0; k < arrays_; ++k) {
      Instruction* fresh =
          combined->shape().isTuple() ? elementOfTuple(combined, static_cast<int64_t>(k)) : combined;
      Instruction* kept = body_.create(Opcode::Select, old[k]->shape(), {inside, fresh, old[k]});
      carried.push_back(numbers_.withElement(values_[1 + k], kept, places));
    }
    for (size_t k = 1 + arrays_; k < values_.size(); ++k) carried.push_back(values_[k]);
    shapes.clear();
    for (const Instruction* value : carried) shapes.push_back(value->shape());
    return body_.create(Opcode::Tuple, Shape::tuple(shapes), carried);
  }

  const Instruction& scatter_;
  Computation& body_;
  Numbers numbers_;
  size_t arrays_;
  std::vector<Instruction*> values_;
};

Computation* conditionOf(Instruction& scatter, Shape state, int64_t trips) {
  Module& module = scatter.module();
  Computation* made = module.createComputation(module.uniqueName("scatter_goes_on"), &scatter.parent());
  Instruction* carried = made->createParameter(0, state);
  Instruction* count = made->create(Opcode::GetTupleElement, state.tupleShapes()[0], {carried});
  count->set<Attr::Index>(0);
  const Numbers numbers(*made);
  made->setRoot(numbers.compare(count, ComparisonDirection::Lt, numbers.constant(trips)));
  return made;
}

Instruction* expanded(Instruction& scatter) {
  Computation& computation = scatter.parent();
  Module& module = scatter.module();
  std::vector<Instruction*> carried = {
      computation.createConstant(Literal::scalar<int64_t>(ElementType::S64, 0), &scatter)};
  carried.insert(carried.end(), scatter.operands().begin(), scatter.operands().end());
  std::vector<Shape> shapes;
  for (const Instruction* value : carried) shapes.push_back(value->shape());
  const Shape state = Shape::tuple(shapes);
  const int64_t trips = scatter.operand(scatter.operandCount() - 1)->shape().elementCount();
  Computation* condition = conditionOf(scatter, state, trips);
  Computation* body = module.createComputation(module.uniqueName("scatter_element"), &computation);
  body->setRoot(Iteration(scatter, *body, state).next());
  Instruction* start = computation.create(Opcode::Tuple, state, carried, {}, &scatter);
  Instruction* loop = computation.create(Opcode::While, state, {start}, {}, &scatter);
  loop->set<Attr::Condition>(condition);
  loop->set<Attr::Body>(body);
  if (!scatter.shape().isTuple()) return elementOfTuple(loop, 1, scatter);
  std::vector<Instruction*> results;
  for (size_t k = 0; k < arraysOf(scatter); ++k)
    results.push_back(elementOfTuple(loop, static_cast<int64_t>(k) + 1, scatter));
  return computation.create(Opcode::Tuple, scatter.shape(), results, {}, &scatter);
}

}  // namespace

Result<bool> expandGpuScatters(Module& module, PassContext& context) {
  return rewriteEach(module, context, "expanded", needsLoop, expanded);
}

}  // namespace hilo
