#include <cmath>
#include <cstring>
#include <numeric>

#include "core/hlo/eval/applier.h"
#include "core/hlo/eval/handlers.h"
#include "core/hlo/eval/literal_access.h"

namespace hilo::eval {
namespace {

// Bottom-up merge sort: stable, and safe with a comparator that is no ordering at all, as one from a file may
// be. less(a, b) is asked with the later element first, so equal elements keep their order.
template <typename Less>
Status mergeSort(std::vector<int64_t>& order, Less less) {
  std::vector<int64_t> room(order.size());
  for (size_t width = 1; width < order.size(); width *= 2) {
    for (size_t start = 0; start < order.size(); start += 2 * width) {
      const size_t middle = std::min(start + width, order.size()),
                   end = std::min(start + 2 * width, order.size());
      size_t left = start, right = middle;
      for (size_t out = start; out < end; ++out) {
        bool takeRight = left == middle;
        if (left < middle && right < end) {
          TRY(takeRight, less(order[right], order[left]));
        }
        room[out] = takeRight ? order[right++] : order[left++];
      }
    }
    order.swap(room);
  }
  return {};
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
  const int64_t length = shape.dimension(dimensions[0]);
  std::vector<const void*> arguments(parameters.size());
  std::vector<std::byte*> outputs;
  for (Literal& result : results) outputs.push_back(result.mutableBytes().data());
  int64_t comparisons = 0;
  TRY_STATUS(forEachLine(shape, dimensions[0], [&](int64_t base, int64_t stride) -> Status {
    TRY_STATUS(context.poll());
    std::vector<int64_t> order(static_cast<size_t>(length));
    std::iota(order.begin(), order.end(), 0);
    TRY_STATUS(mergeSort(order, [&](int64_t a, int64_t b) -> Result<bool> {
      if (++comparisons % 4096 == 0) TRY_STATUS(context.poll());
      for (size_t i = 0; i < operands.size(); ++i) {
        const std::byte* line = operands[i].bytes().data();
        arguments[2 * i] = line + (base + a * stride) * storageBytes(operands[i].shape());
        arguments[2 * i + 1] = line + (base + b * stride) * storageBytes(operands[i].shape());
      }
      uint8_t answer = 0;
      void* result[] = {&answer};
      TRY_STATUS(comparator.apply(arguments.data(), result, 1));
      return answer != 0;
    }));
    for (size_t i = 0; i < operands.size(); ++i) {
      const int bytes = storageBytes(operands[i].shape());
      for (int64_t k = 0; k < length; ++k) {
        std::memcpy(outputs[i] + (base + k * stride) * bytes,
                    operands[i].bytes().data() + (base + order[k] * stride) * bytes,
                    static_cast<size_t>(bytes));
      }
    }
    return {};
  }));
  if (!instruction.shape().isTuple()) return std::move(results[0]);
  return Literal::tuple(std::move(results));
}

// The k largest (or smallest) along the last dimension with their places, best first; equal ones in their
// order. Floats are in total order, so NaN is above infinity.
Result<Literal> topKAlongLast(const Instruction& instruction, const Literal& operand, int64_t k, bool largest,
                              EvalContext& context) {
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
  int64_t line = 0;
  TRY_STATUS(forEachLine(shape, static_cast<int64_t>(shape.rank()) - 1, [&](int64_t base, int64_t) -> Status {
    TRY_STATUS(context.poll());
    const std::byte* from = operand.bytes().data() + base * bytes;
    std::vector<int64_t> order(static_cast<size_t>(length));
    std::iota(order.begin(), order.end(), 0);
    TRY_STATUS(mergeSort(order, [&](int64_t a, int64_t b) -> Result<bool> {
      if (largest) std::swap(a, b);
      const void* inputs[] = {from + a * bytes, from + b * bytes};
      uint8_t answer = 0;
      kernel.run(&answer, inputs, 1);
      return answer != 0;
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

Result<Literal> topK(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  const auto k = instruction.get<Attr::K>();
  EVAL_REQUIRE(k.has_value(), "has no k");
  return topKAlongLast(instruction, operands[0], *k, instruction.get<Attr::Largest>().value_or(true),
                       context);
}

}  // namespace hilo::eval
