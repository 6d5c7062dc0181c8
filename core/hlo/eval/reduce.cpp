#include <cstring>

#include "core/hlo/eval/applier.h"
#include "core/hlo/eval/handlers.h"
#include "core/hlo/eval/literal_access.h"

namespace hilo::eval {
namespace {

// The split of the input's dimensions into kept and reduced ones.
struct ReduceGeometry {
  DimVector keptSizes, keptStrides;
  DimVector reducedSizes, reducedStrides;

  ReduceGeometry(Shape input, std::span<const int64_t> reduced, std::span<const int64_t> realSizes) {
    const DimVector strides = rowMajorStrides(input.dimensions());
    for (size_t d = 0; d < input.rank(); ++d) {
      const bool isReduced = std::ranges::find(reduced, static_cast<int64_t>(d)) != reduced.end();
      // Padding beyond a dynamic dimension's real size takes no part in the reduction.
      const int64_t size = isReduced && !realSizes.empty() ? realSizes[d] : input.dimension(d);
      (isReduced ? reducedSizes : keptSizes).push_back(size);
      (isReduced ? reducedStrides : keptStrides).push_back(strides[d]);
    }
  }
};

// Fetches element `offset + bases[lane]` for each lane.
void gatherLanes(void* out, const void* in, std::span<const int64_t> bases, int64_t offset,
                 int elementBytes) {
  visitElementSize(elementBytes, [&]<typename T>() {
    const T* from = static_cast<const T*>(in) + offset;
    for (size_t lane = 0; lane < bases.size(); ++lane) static_cast<T*>(out)[lane] = from[bases[lane]];
  });
}

// Runs the reduction for blocks of result elements side by side, so that one kernel call serves many of them.
// step(block of lane bases, first result index) is called for each block.
template <typename Step>
Status forEachLaneBlock(const ReduceGeometry& geometry, Step step) {
  std::vector<int64_t> bases;
  int64_t first = 0;
  for (StridedCounter<1> kept(geometry.keptSizes, {geometry.keptStrides}); !kept.done(); kept.next()) {
    bases.push_back(kept.offset(0));
    if (static_cast<int64_t>(bases.size()) < ScalarProgram::kLanes) continue;
    TRY_STATUS(step(std::span<const int64_t>(bases), first));
    first += static_cast<int64_t>(bases.size());
    bases.clear();
  }
  if (!bases.empty()) return step(std::span<const int64_t>(bases), first);
  return {};
}

// Sums in f64 and rounds once, as the addition of narrow floats loses too much for an oracle.
Status sumFloats(const Literal& input, const Literal& init, Literal& result, const ReduceGeometry& geometry,
                 EvalContext& context) {
  const ElementType type = input.shape().elementType();
  const int bytes = elementStorageBytes(type);
  double start = 0;
  convertElements(&start, ElementType::F64, init.bytes().data(), type, 1);
  std::byte* out = result.mutableBytes().data();
  // When the innermost reduced dimension is dense, whole runs are widened at a time.
  DimVector outerSizes = geometry.reducedSizes, outerStrides = geometry.reducedStrides;
  int64_t run = 1;
  if (!outerSizes.empty() && outerStrides.back() == 1) {
    run = outerSizes.back();
    outerSizes.pop_back();
    outerStrides.pop_back();
  }
  std::vector<double> widened(static_cast<size_t>(std::min<int64_t>(run, 4096)));
  std::vector<std::byte> lanes(static_cast<size_t>(ScalarProgram::kLanes * bytes));
  return forEachLaneBlock(geometry, [&](std::span<const int64_t> bases, int64_t first) -> Status {
    std::vector<double> sums(bases.size(), start), values(bases.size());
    for (StridedCounter<1> outer(outerSizes, {outerStrides}); !outer.done(); outer.next()) {
      TRY_STATUS(context.poll());
      if (run > 1) {
        for (size_t lane = 0; lane < bases.size(); ++lane) {
          for (int64_t done = 0; done < run; done += static_cast<int64_t>(widened.size())) {
            const int64_t count = std::min<int64_t>(run - done, static_cast<int64_t>(widened.size()));
            convertElements(widened.data(), ElementType::F64,
                            input.bytes().data() + (bases[lane] + outer.offset(0) + done) * bytes, type,
                            count);
            for (int64_t i = 0; i < count; ++i) sums[lane] += widened[static_cast<size_t>(i)];
          }
        }
        continue;
      }
      gatherLanes(lanes.data(), input.bytes().data(), bases, outer.offset(0), bytes);
      convertElements(values.data(), ElementType::F64, lanes.data(), type,
                      static_cast<int64_t>(bases.size()));
      for (size_t lane = 0; lane < bases.size(); ++lane) sums[lane] += values[lane];
    }
    if (run == 0) return {};
    convertElements(out + first * bytes, type, sums.data(), ElementType::F64,
                    static_cast<int64_t>(bases.size()));
    return {};
  });
}

Status reduceByComputation(std::span<const Literal> inputs, std::vector<Literal>& results,
                           const ReduceGeometry& geometry, Applier& applier, EvalContext& context) {
  const size_t n = inputs.size();
  std::vector<std::vector<std::byte>> lanes(n);
  for (size_t i = 0; i < n; ++i)
    lanes[i].resize(static_cast<size_t>(ScalarProgram::kLanes) * storageBytes(inputs[i].shape()));
  std::vector<const void*> parameters(2 * n);
  std::vector<void*> accumulators(n);
  return forEachLaneBlock(geometry, [&](std::span<const int64_t> bases, int64_t first) -> Status {
    for (size_t i = 0; i < n; ++i) {
      accumulators[i] = results[i].mutableBytes().data() + first * storageBytes(inputs[i].shape());
      parameters[i] = accumulators[i];
      parameters[n + i] = lanes[i].data();
    }
    for (StridedCounter<1> at(geometry.reducedSizes, {geometry.reducedStrides}); !at.done(); at.next()) {
      TRY_STATUS(context.poll());
      for (size_t i = 0; i < n; ++i) {
        gatherLanes(lanes[i].data(), inputs[i].bytes().data(), bases, at.offset(0),
                    storageBytes(inputs[i].shape()));
      }
      TRY_STATUS(applier.apply(parameters.data(), accumulators.data(), static_cast<int64_t>(bases.size())));
    }
    return {};
  });
}

// The computation may work on floats of another precision than the operands have.
Status takePrecisionOf(const Computation* computation, std::span<Literal> operands, EvalContext& context) {
  if (computation == nullptr || computation->parameters().size() != operands.size()) return {};
  for (size_t i = 0; i < operands.size(); ++i) {
    const Instruction* parameter = computation->parameters()[i];
    if (parameter == nullptr || !parameter->shape().isScalar() || !operands[i].shape().isArray()) continue;
    const ElementType type = parameter->shape().elementType(), own = operands[i].shape().elementType();
    if (isFloat(type) && isFloat(own) && type != own) {
      TRY(operands[i], converted(operands[i], type, context));
    }
  }
  return {};
}

// Empty when what is kept is at its bounds.
std::vector<int64_t> keptDynamicSizes(const Literal& input, std::span<const int64_t> reduced) {
  std::vector<int64_t> sizes;
  bool isDynamic = false;
  for (size_t d = 0; d < input.dynamicSizes().size(); ++d) {
    if (std::ranges::find(reduced, static_cast<int64_t>(d)) != reduced.end()) continue;
    sizes.push_back(input.dynamicSizes()[d]);
    isDynamic |= sizes.back() != input.shape().dimension(d);
  }
  return isDynamic ? sizes : std::vector<int64_t>();
}

}  // namespace

Result<Literal> reduce(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  const size_t n = operands.size() / 2;
  EVAL_REQUIRE(n >= 1 && operands.size() == 2 * n, "needs as many initial values as inputs");
  TRY_STATUS(takePrecisionOf(instruction.get<Attr::ToApply>(), operands, context));
  const auto inputs = operands.first(n), inits = operands.subspan(n);
  const Shape shape = inputs[0].shape();
  const auto dimensions = instruction.dimensions();
  EVAL_REQUIRE(shape.isArray() && areDistinctDimensions(dimensions, shape.rank()),
               "dimensions do not fit the input");
  std::vector<ElementType> types, parameters;
  for (size_t i = 0; i < n; ++i) {
    EVAL_REQUIRE(inputs[i].shape().isArray() && sameDimensions(inputs[i].shape(), shape),
                 "the inputs differ in dimensions");
    types.push_back(inputs[i].shape().elementType());
    EVAL_REQUIRE(inits[i].shape().isScalar() && inits[i].shape().elementType() == types[i],
                 "an initial value is no scalar of its input's type");
  }
  parameters = types;
  parameters.insert(parameters.end(), types.begin(), types.end());
  TRY(Applier applier,
      Applier::make(instruction, instruction.get<Attr::ToApply>(), parameters, types, context));

  const ReduceGeometry geometry(shape, dimensions, inputs[0].dynamicSizes());
  std::vector<Literal> results;
  for (size_t i = 0; i < n; ++i) {
    TRY(Literal result, context.make(Shape::array(types[i], geometry.keptSizes)));
    auto bytes = result.mutableBytes();
    fillElements(bytes.data(), inits[i].bytes().data(), elementStorageBytes(types[i]),
                 result.shape().elementCount());
    result.setDynamicSizes(keptDynamicSizes(inputs[0], dimensions));
    results.push_back(std::move(result));
  }
  const bool isSum = n == 1 && isFloat(types[0]) && applier.program() != nullptr &&
                     applier.program()->singleBinaryOp() == Opcode::Add;
  if (isSum) {
    TRY_STATUS(sumFloats(inputs[0], inits[0], results[0], geometry, context));
  } else {
    TRY_STATUS(reduceByComputation(inputs, results, geometry, applier, context));
  }
  if (!instruction.shape().isTuple()) return std::move(results[0]);
  return Literal::tuple(std::move(results));
}

}  // namespace hilo::eval
