#include <array>
#include <cmath>
#include <cstring>
#include <numeric>

#include "core/hlo/eval/applier.h"
#include "core/hlo/eval/handlers.h"
#include "core/hlo/eval/literal_access.h"

namespace hilo::eval {
namespace {

constexpr int64_t kLanes = ScalarProgram::kLanes;

// A merge under way: the run from `left` to `middle` with the one from `right` to `end`, to `out`.
struct Merge {
  int64_t left, middle, right, end, out;
  bool isOpen() const { return left < middle && right < end; }
};

// Sorts each line of `length` entries of `order` by bottom-up merging: stable, and safe with a comparator
// that is no ordering at all, as one from a file may be. Many merges go side by side, so that one call of
// less(count, a, b, answers) (is a[i] before b[i]) serves them all. It is asked with the later entry first,
// so equal ones keep their order.
template <typename Less>
Status mergeSort(std::vector<int64_t>& order, int64_t length, Less less) {
  const auto total = static_cast<int64_t>(order.size());
  std::vector<int64_t> room(order.size());
  std::array<int64_t, kLanes> later, earlier;
  std::array<uint8_t, kLanes> answers;
  for (int64_t width = 1; width < length; width *= 2) {
    std::vector<Merge> lanes;
    int64_t line = 0, start = 0;
    const auto finish = [&](const Merge& merge) {
      const auto rest =
          std::copy(order.begin() + merge.left, order.begin() + merge.middle, room.begin() + merge.out);
      std::copy(order.begin() + merge.right, order.begin() + merge.end, rest);
    };
    while (line < total || !lanes.empty()) {
      while (line < total && static_cast<int64_t>(lanes.size()) < kLanes) {
        const int64_t middle = line + std::min(start + width, length),
                      end = line + std::min(start + 2 * width, length);
        const Merge merge{line + start, middle, middle, end, line + start};
        merge.isOpen() ? lanes.push_back(merge) : finish(merge);
        start += 2 * width;
        if (start < length) continue;
        start = 0;
        line += length;
      }
      const size_t count = lanes.size();
      for (size_t i = 0; i < count; ++i) {
        later[i] = order[static_cast<size_t>(lanes[i].right)];
        earlier[i] = order[static_cast<size_t>(lanes[i].left)];
      }
      TRY_STATUS(less(static_cast<int64_t>(count), later.data(), earlier.data(), answers.data()));
      size_t open = 0;
      for (size_t i = 0; i < count; ++i) {
        Merge merge = lanes[i];
        room[static_cast<size_t>(merge.out++)] = answers[i] != 0 ? later[i] : earlier[i];
        ++(answers[i] != 0 ? merge.right : merge.left);
        merge.isOpen() ? void(lanes[open++] = merge) : finish(merge);
      }
      lanes.resize(open);
    }
    order.swap(room);
  }
  return {};
}

// Elements of an array by their places, side by side.
void gatherElements(void* out, const std::byte* in, const int64_t* places, int64_t count, int elementBytes) {
  visitElementSize(elementBytes, [&]<typename T>() {
    const T* from = reinterpret_cast<const T*>(in);
    for (int64_t i = 0; i < count; ++i) static_cast<T*>(out)[i] = from[places[i]];
  });
}

template <typename F>
Status forEachLine(Shape shape, int64_t dimension, F f) {
  DimVector sizes(shape.dimensions().begin(), shape.dimensions().end());
  DimVector strides = rowMajorStrides(sizes);
  sizes[dimension] = 1;
  const int64_t stride = strides[dimension];
  for (StridedCounter<1> line(sizes, {strides}); !line.done(); line.next())
    TRY_STATUS(f(line.offset(0), stride));
  return {};
}

}  // namespace

Result<Literal> sort(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  EVAL_REQUIRE(!operands.empty(), "needs an operand");
  const Shape shape = operands[0].shape();
  const auto dimensions = instruction.dimensions();
  EVAL_REQUIRE(shape.isArray() && dimensions.size() == 1 && areDistinctDimensions(dimensions, shape.rank()),
               "needs one dimension of the operands");
  std::vector<ElementType> parameters;
  std::vector<Literal> results;
  for (const Literal& operand : operands) {
    EVAL_REQUIRE(operand.shape().isArray() && sameDimensions(operand.shape(), shape),
                 "the operands differ in dimensions");
    parameters.insert(parameters.end(), 2, operand.shape().elementType());
    TRY(Literal result, context.make(operand.shape()));
    results.push_back(std::move(result));
  }
  const ElementType pred[] = {ElementType::Pred};
  TRY(Applier comparator,
      Applier::make(instruction, instruction.get<Attr::ToApply>(), parameters, pred, context));
  // Room for one side of as many comparisons as go side by side, two for each operand.
  std::vector<std::vector<std::byte>> sides(2 * operands.size());
  std::vector<const void*> arguments(sides.size());
  for (size_t i = 0; i < sides.size(); ++i) {
    sides[i].resize(static_cast<size_t>(kLanes * storageBytes(operands[i / 2].shape())));
    arguments[i] = sides[i].data();
  }
  const auto before = [&](int64_t count, const int64_t* a, const int64_t* b, uint8_t* answers) -> Status {
    TRY_STATUS(context.poll());
    for (size_t i = 0; i < operands.size(); ++i) {
      const int bytes = storageBytes(operands[i].shape());
      gatherElements(sides[2 * i].data(), operands[i].bytes().data(), a, count, bytes);
      gatherElements(sides[2 * i + 1].data(), operands[i].bytes().data(), b, count, bytes);
    }
    void* result[] = {answers};
    return comparator.apply(arguments.data(), result, count);
  };
  std::vector<std::byte*> outputs;
  for (Literal& result : results) outputs.push_back(result.mutableBytes().data());

  // As many lines at a time as make a good number of elements.
  constexpr int64_t kElementsAtOnce = int64_t{1} << 20;
  const int64_t length = shape.dimension(dimensions[0]);
  std::vector<int64_t> places, order;
  const auto sortPlaces = [&]() -> Status {
    order = places;
    TRY_STATUS(mergeSort(order, length, before));
    for (size_t i = 0; i < operands.size(); ++i) {
      const auto bytes = static_cast<size_t>(storageBytes(operands[i].shape()));
      for (size_t k = 0; k < places.size(); ++k) {
        std::memcpy(outputs[i] + static_cast<size_t>(places[k]) * bytes,
                    operands[i].bytes().data() + static_cast<size_t>(order[k]) * bytes, bytes);
      }
    }
    places.clear();
    return {};
  };
  TRY_STATUS(forEachLine(shape, dimensions[0], [&](int64_t base, int64_t stride) -> Status {
    for (int64_t k = 0; k < length; ++k) places.push_back(base + k * stride);
    return static_cast<int64_t>(places.size()) < kElementsAtOnce ? Status() : sortPlaces();
  }));
  TRY_STATUS(sortPlaces());
  if (!instruction.shape().isTuple()) return std::move(results[0]);
  return Literal::tuple(std::move(results));
}

// The k largest (or smallest) along the last dimension with their places, best first; equal ones in their
// order. Floats are in total order, so NaN is above infinity.
Result<Literal> topK(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  EVAL_REQUIRE(instruction.get<Attr::K>().has_value(), "has no k");
  const int64_t k = *instruction.get<Attr::K>();
  const bool largest = instruction.get<Attr::Largest>().value_or(true);
  const Literal& operand = operands[0];
  const Shape shape = operand.shape();
  EVAL_REQUIRE(shape.isArray() && shape.rank() >= 1 && !isComplex(shape.elementType()),
               "needs an array that can be ordered");
  const int64_t length = shape.dimension(shape.rank() - 1);
  EVAL_REQUIRE(k >= 0 && k <= length, "k exceeds the last dimension");
  DimVector sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes.back() = k;
  TRY(Literal values, context.make(Shape::array(shape.elementType(), sizes)));
  TRY(Literal places, context.make(Shape::array(ElementType::S32, sizes)));
  const int bytes = storageBytes(shape);
  std::byte* valuesOut = values.mutableBytes().data();
  int32_t* placesOut = places.mutableData<int32_t>().data();
  const KernelFn less =
      compareKernelFn(ComparisonDirection::Lt, isFloat(shape.elementType()), shape.elementType());
  const ElementType pair[] = {shape.elementType(), shape.elementType()};
  const ElementKernel kernel(less, {}, pair, ElementType::Pred);
  std::array<std::vector<std::byte>, 2> sides;
  for (auto& side : sides) side.resize(static_cast<size_t>(kLanes * bytes));
  int64_t line = 0;
  TRY_STATUS(forEachLine(shape, static_cast<int64_t>(shape.rank()) - 1, [&](int64_t base, int64_t) -> Status {
    TRY_STATUS(context.poll());
    const std::byte* from = operand.bytes().data() + base * bytes;
    std::vector<int64_t> order(static_cast<size_t>(length));
    std::iota(order.begin(), order.end(), 0);
    TRY_STATUS(
        mergeSort(order, length, [&](int64_t count, const int64_t* a, const int64_t* b, uint8_t* answers) {
          if (largest) std::swap(a, b);
          gatherElements(sides[0].data(), from, a, count, bytes);
          gatherElements(sides[1].data(), from, b, count, bytes);
          const void* inputs[] = {sides[0].data(), sides[1].data()};
          kernel.run(answers, inputs, count);
          return context.poll();
        }));
    for (int64_t i = 0; i < k; ++i, ++line) {
      std::memcpy(valuesOut + line * bytes, from + order[i] * bytes, static_cast<size_t>(bytes));
      placesOut[line] = static_cast<int32_t>(order[i]);
    }
    return {};
  }));
  std::vector<Literal> both;
  both.push_back(std::move(values));
  both.push_back(std::move(places));
  return Literal::tuple(std::move(both));
}

}  // namespace hilo::eval
