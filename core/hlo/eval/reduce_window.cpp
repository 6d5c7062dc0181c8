#include <cstring>

#include "core/hlo/eval/applier.h"
#include "core/hlo/eval/handlers.h"
#include "core/hlo/eval/literal_access.h"
#include "core/hlo/eval/window.h"

namespace hilo::eval {
namespace {

// Reduces a block of result elements together: for each window position, the lanes whose element is real.
class WindowReducer {
 public:
  WindowReducer(const Window& window, std::span<const Literal> inputs, std::vector<Literal>& results,
                Applier& applier)
      : window_(window),
        inputs_(inputs),
        applier_(applier),
        sizes_(inputs[0].shape().dimensions()),
        strides_(rowMajorStrides(sizes_)),
        windowSizes_(windowSizes(window)) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      bytes_.push_back(storageBytes(inputs[i].shape()));
      out_.push_back(results[i].mutableBytes().data());
      accumulators_.emplace_back(static_cast<size_t>(ScalarProgram::kLanes * bytes_[i]));
      values_.emplace_back(static_cast<size_t>(ScalarProgram::kLanes * bytes_[i]));
    }
  }

  Status reduceBlock(std::span<const DimVector> placements, int64_t first, EvalContext& context) {
    const DimVector unit(windowSizes_.size(), 0);
    for (StridedCounter<1> at(windowSizes_, {unit}); !at.done(); at.next()) {
      TRY_STATUS(context.poll());
      lanes_.clear();
      offsets_.clear();
      for (size_t lane = 0; lane < placements.size(); ++lane) {
        if (const auto offset = windowedOffset(window_, sizes_, strides_, placements[lane], at.index())) {
          lanes_.push_back(first + static_cast<int64_t>(lane));
          offsets_.push_back(*offset);
        }
      }
      if (!lanes_.empty()) TRY_STATUS(applyToLanes());
    }
    return {};
  }

 private:
  Status applyToLanes() {
    const size_t n = inputs_.size();
    absl::InlinedVector<const void*, 4> parameters(2 * n);
    absl::InlinedVector<void*, 2> accumulators(n);
    for (size_t i = 0; i < n; ++i) {
      visitElementSize(bytes_[i], [&]<typename T>() {
        for (size_t k = 0; k < lanes_.size(); ++k) {
          reinterpret_cast<T*>(accumulators_[i].data())[k] = reinterpret_cast<const T*>(out_[i])[lanes_[k]];
          reinterpret_cast<T*>(values_[i].data())[k] =
              reinterpret_cast<const T*>(inputs_[i].bytes().data())[offsets_[k]];
        }
      });
      parameters[i] = accumulators[i] = accumulators_[i].data();
      parameters[n + i] = values_[i].data();
    }
    TRY_STATUS(applier_.apply(parameters.data(), accumulators.data(), static_cast<int64_t>(lanes_.size())));
    for (size_t i = 0; i < n; ++i) {
      visitElementSize(bytes_[i], [&]<typename T>() {
        for (size_t k = 0; k < lanes_.size(); ++k)
          reinterpret_cast<T*>(out_[i])[lanes_[k]] = reinterpret_cast<const T*>(accumulators_[i].data())[k];
      });
    }
    return {};
  }

  const Window& window_;
  std::span<const Literal> inputs_;
  Applier& applier_;
  std::span<const int64_t> sizes_;
  DimVector strides_, windowSizes_;
  std::vector<int> bytes_;
  std::vector<std::byte*> out_;
  std::vector<std::vector<std::byte>> accumulators_, values_;
  std::vector<int64_t> lanes_, offsets_;
};

}  // namespace

Result<Literal> reduceWindow(const Instruction& instruction, std::span<Literal> operands,
                             EvalContext& context) {
  const size_t n = operands.size() / 2;
  EVAL_REQUIRE(n >= 1 && operands.size() == 2 * n, "needs as many initial values as inputs");
  const auto inputs = operands.first(n), inits = operands.subspan(n);
  const Shape first = instruction.shape().isTuple() && !instruction.shape().tupleShapes().empty()
                          ? instruction.shape().tupleShapes()[0]
                          : instruction.shape();
  EVAL_REQUIRE(first.isArray() && inputs[0].shape().isArray(), "needs arrays");
  const Window* window = instruction.get<Attr::Window>();
  TRY_STATUS(checkWindow(instruction, window, inputs[0].shape(), first));
  std::vector<ElementType> types, parameters;
  std::vector<Literal> results;
  for (size_t i = 0; i < n; ++i) {
    EVAL_REQUIRE(inputs[i].shape().isArray() && sameDimensions(inputs[i].shape(), inputs[0].shape()),
                 "the inputs differ in dimensions");
    types.push_back(inputs[i].shape().elementType());
    EVAL_REQUIRE(inits[i].shape().isScalar() && inits[i].shape().elementType() == types[i],
                 "an initial value is no scalar of its input's type");
    TRY(Literal result, context.make(Shape::array(types[i], first.dimensions())));
    auto bytes = result.mutableBytes();
    fillElements(bytes.data(), inits[i].bytes().data(), elementStorageBytes(types[i]), first.elementCount());
    results.push_back(std::move(result));
  }
  parameters = types;
  parameters.insert(parameters.end(), types.begin(), types.end());
  TRY(Applier applier,
      Applier::make(instruction, instruction.get<Attr::ToApply>(), parameters, types, context));
  WindowReducer reducer(*window, inputs, results, applier);
  std::vector<DimVector> placements;
  const DimVector unit(first.rank(), 0);
  int64_t done = 0;
  for (StridedCounter<1> at(first.dimensions(), {unit}); !at.done(); at.next()) {
    placements.emplace_back(at.index().begin(), at.index().end());
    if (static_cast<int64_t>(placements.size()) < ScalarProgram::kLanes) continue;
    TRY_STATUS(reducer.reduceBlock(placements, done, context));
    done += static_cast<int64_t>(placements.size());
    placements.clear();
  }
  TRY_STATUS(reducer.reduceBlock(placements, done, context));
  if (!instruction.shape().isTuple()) return std::move(results[0]);
  return Literal::tuple(std::move(results));
}

// Each window of the operand picks one element (`select` says whether the pick so far stays when it meets the
// next), and `scatter` folds the source's element into the result at that place.
Result<Literal> selectAndScatter(const Instruction& instruction, std::span<Literal> operands,
                                 EvalContext& context) {
  const Literal &operand = operands[0], &source = operands[1], &init = operands[2];
  const Shape shape = operand.shape();
  EVAL_REQUIRE(shape.isArray() && source.shape().isArray(), "needs arrays");
  const ElementType type = shape.elementType();
  EVAL_REQUIRE(
      source.shape().elementType() == type && init.shape().isScalar() && init.shape().elementType() == type,
      "operand, source and initial value differ in type");
  const Window* window = instruction.get<Attr::Window>();
  TRY_STATUS(checkWindow(instruction, window, shape, source.shape()));
  const ElementType pair[] = {type, type}, pred[] = {ElementType::Pred}, one[] = {type};
  TRY(Applier select, Applier::make(instruction, instruction.get<Attr::Select>(), pair, pred, context));
  TRY(Applier scatter, Applier::make(instruction, instruction.get<Attr::Scatter>(), pair, one, context));
  TRY(Literal result, context.make(shape));
  const int bytes = elementStorageBytes(type);
  std::byte* out = result.mutableBytes().data();
  fillElements(out, init.bytes().data(), bytes, shape.elementCount());
  const DimVector strides = rowMajorStrides(shape.dimensions()), sizes = windowSizes(*window),
                  unit(shape.rank(), 0);
  const std::byte* values = operand.bytes().data();
  int64_t sourceOffset = 0;
  for (StridedCounter<1> placed(source.shape().dimensions(), {unit}); !placed.done();
       placed.next(), ++sourceOffset) {
    TRY_STATUS(context.poll());
    std::optional<int64_t> selected;
    for (StridedCounter<1> at(sizes, {unit}); !at.done(); at.next()) {
      const auto offset = windowedOffset(*window, shape.dimensions(), strides, placed.index(), at.index());
      if (!offset) continue;
      if (!selected) selected = *offset;
      uint8_t keep = 0;
      const void* arguments[] = {values + *selected * bytes, values + *offset * bytes};
      void* answer[] = {&keep};
      TRY_STATUS(select.apply(arguments, answer, 1));
      if (keep == 0) selected = *offset;
    }
    if (!selected) continue;
    const void* arguments[] = {source.bytes().data() + sourceOffset * bytes, out + *selected * bytes};
    void* updated[] = {out + *selected * bytes};
    TRY_STATUS(scatter.apply(arguments, updated, 1));
  }
  return result;
}

}  // namespace hilo::eval
