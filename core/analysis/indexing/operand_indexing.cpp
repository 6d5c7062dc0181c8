#include "core/analysis/indexing/operand_indexing.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>

#include "core/analysis/dimension_order.h"
#include "core/hlo/ir/module.h"

namespace hilo {
namespace {

using Kind = IndexVariable::Kind;
using Expression = AffineExpression;

Shape firstArray(Shape shape) {
  return shape.isTuple() && !shape.tupleShapes().empty() ? firstArray(shape.tupleShapes()[0]) : shape;
}

bool contains(std::span<const int64_t> list, size_t d) {
  return std::ranges::find(list, static_cast<int64_t>(d)) != list.end();
}

// The result's dimensions, which expressions are then made of.
class MapBuilder {
 public:
  MapBuilder(const Instruction& instruction, size_t operand)
      : instruction(instruction),
        result(firstArray(instruction.shape())),
        operand(instruction.operand(operand)->shape()),
        number(operand) {
    const IndexingMap identity = identityMap(result.dimensions());
    map.variables = identity.variables;
    dims = identity.results;
  }

  Expression symbol(int64_t size) {
    return Expression::variable(map.addVariable({.kind = Kind::Symbol, .range = {0, size - 1}}));
  }
  Expression runtime(int64_t last, const Instruction& read, std::vector<Expression> place) {
    return Expression::variable(map.addVariable(
        {.kind = Kind::Runtime, .range = {0, last}, .read = &read, .place = std::move(place)}));
  }
  void require(Expression expression, IndexRange range) {
    map.constraints.push_back({std::move(expression), range});
  }
  IndexingMap reads(std::vector<Expression> place) {
    map.results = std::move(place);
    return std::move(map);
  }

  const Instruction& instruction;
  const Shape result, operand;
  const size_t number;  // of the operand
  std::vector<Expression> dims;
  IndexingMap map;
};

using Builder = MapBuilder&;

IndexingMap sameIndex(Builder m) {
  return m.reads(m.operand.rank() == 0 ? std::vector<Expression>() : m.dims);
}

IndexingMap broadcast(Builder m) {
  std::vector<Expression> place;
  for (const int64_t d : m.instruction.dimensions()) place.push_back(m.dims[static_cast<size_t>(d)]);
  return m.reads(std::move(place));
}

IndexingMap transpose(Builder m) {
  std::vector<Expression> place(m.dims.size());
  for (size_t d = 0; d < place.size(); ++d)
    place[static_cast<size_t>(m.instruction.dimensions()[d])] = m.dims[d];
  return m.reads(std::move(place));
}

IndexingMap slice(Builder m) {
  const auto ranges = m.instruction.get<Attr::Slice>();
  std::vector<Expression> place;
  for (size_t d = 0; d < m.dims.size(); ++d)
    place.push_back(m.dims[d] * ranges[d].stride + Expression(ranges[d].start));
  return m.reads(std::move(place));
}

IndexingMap reverse(Builder m) {
  std::vector<Expression> place = m.dims;
  for (const int64_t dimension : m.instruction.dimensions()) {
    const auto d = static_cast<size_t>(dimension);
    place[d] = Expression(m.result.dimension(d) - 1) - place[d];
  }
  return m.reads(std::move(place));
}

// The place in memory of a result that lies in its own order is that of the operand in its.
IndexingMap sameBytes(Builder m, Shape result, Shape operand) {
  const auto to = layoutStrides(result), from = layoutStrides(operand);
  Expression linear;
  for (size_t d = 0; d < m.dims.size(); ++d) linear = linear + m.dims[d] * to[d];
  std::vector<Expression> place;
  const auto ranges = m.map.ranges();
  const bool isEmpty = operand.elementCount() == 0;
  for (size_t d = 0; d < operand.rank(); ++d) {
    const int64_t size = operand.dimension(d);
    place.push_back(isEmpty ? Expression() : linear.dividedBy(from[d]).modulo(size).simplified(ranges));
  }
  return m.reads(std::move(place));
}

IndexingMap reshape(Builder m) { return sameBytes(m, m.result.withoutLayout(), m.operand.withoutLayout()); }

std::optional<IndexingMap> bitcast(Builder m) {
  if (elementBits(m.operand.elementType()) != elementBits(m.result.elementType()) ||
      m.operand.elementCount() != m.result.elementCount())
    return std::nullopt;
  return sameBytes(m, m.result, m.operand);
}

// The elements of one side that are an element of the other are its innermost dimension.
IndexingMap bitcastConvert(Builder m) {
  std::vector<Expression> place = m.dims;
  if (m.operand.rank() < m.result.rank()) place.pop_back();
  if (m.operand.rank() > m.result.rank()) place.push_back(m.symbol(m.operand.dimension(place.size())));
  return m.reads(std::move(place));
}

IndexingMap pad(Builder m) {
  if (m.number == 1) return m.reads({});
  const auto padding = m.instruction.get<Attr::Padding>();
  std::vector<Expression> place;
  for (size_t d = 0; d < padding.size(); ++d) {
    const int64_t step = padding[d].interior + 1, size = m.operand.dimension(d);
    const Expression inside = m.dims[d] - Expression(padding[d].low);
    m.require(inside, {0, (size - 1) * step});
    if (step > 1) m.require(inside.modulo(step), {0, 0});
    place.push_back(inside.dividedBy(step));
  }
  return m.reads(std::move(place));
}

IndexingMap concatenate(Builder m) {
  const auto along = static_cast<size_t>(m.instruction.dimensions()[0]);
  int64_t before = 0;
  for (size_t i = 0; i < m.number; ++i) before += m.instruction.operand(i)->shape().dimension(along);
  std::vector<Expression> place = m.dims;
  place[along] = place[along] - Expression(before);
  m.require(place[along], {0, m.operand.dimension(along) - 1});
  return m.reads(std::move(place));
}

// The start in each dimension of `within`, clamped so that `sizes` fit: operands from `first` on,
// or one vector.
std::vector<Expression> dynamicStart(Builder m, size_t first, Shape within, std::span<const int64_t> sizes) {
  const Instruction& instruction = m.instruction;
  const bool asVector =
      instruction.operandCount() == first + 1 && instruction.operand(first)->shape().rank() == 1;
  std::vector<Expression> start;
  for (size_t d = 0; d < within.rank(); ++d) {
    std::vector<Expression> place;
    if (asVector) place.emplace_back(static_cast<int64_t>(d));
    start.push_back(m.runtime(within.dimension(d) - sizes[d],
                              *instruction.operand(asVector ? first : first + d), std::move(place)));
  }
  return start;
}

// Of the vector of start indices all numbers; of scalars the one there is.
IndexingMap startIndices(Builder m) {
  return m.reads(m.operand.rank() == 0 ? std::vector<Expression>()
                                       : std::vector<Expression>{m.symbol(m.operand.dimension(0))});
}

IndexingMap dynamicSlice(Builder m) {
  if (m.number > 0) return startIndices(m);
  std::vector<Expression> place = dynamicStart(m, 1, m.operand, m.result.dimensions());
  for (size_t d = 0; d < place.size(); ++d) place[d] = place[d] + m.dims[d];
  return m.reads(std::move(place));
}

// Of the operand also what the update covers: where that is nobody knows before.
IndexingMap dynamicUpdateSlice(Builder m) {
  if (m.number > 1) return startIndices(m);
  if (m.number == 0) return m.reads(m.dims);
  std::vector<Expression> place = dynamicStart(m, 2, m.result, m.operand.dimensions());
  for (size_t d = 0; d < place.size(); ++d) {
    place[d] = m.dims[d] - place[d];
    m.require(place[d], {0, m.operand.dimension(d) - 1});
  }
  return m.reads(std::move(place));
}

IndexingMap gather(Builder m) {
  const Instruction &instruction = m.instruction, &indices = *instruction.operand(1);
  const auto offset = instruction.get<Attr::OffsetDims>(),
             collapsed = instruction.get<Attr::CollapsedSliceDims>(),
             batching = instruction.get<Attr::OperandBatchingDims>(),
             indicesBatching = instruction.get<Attr::StartIndicesBatchingDims>(),
             started = instruction.get<Attr::StartIndexMap>(), sizes = instruction.get<Attr::SliceSizes>();
  const size_t rank = indices.shape().rank();
  const auto vectorDim =
      static_cast<size_t>(instruction.get<Attr::IndexVectorDim>().value_or(static_cast<int64_t>(rank)));
  std::vector<Expression> position(rank);  // in the indices; where the vector lies nothing yet
  size_t next = 0;
  for (size_t d = 0; d < m.dims.size(); ++d) {
    if (contains(offset, d)) continue;
    if (next == vectorDim) ++next;
    position[next++] = m.dims[d];
  }
  if (m.number == 1) {
    if (vectorDim < rank) position[vectorDim] = m.symbol(m.operand.dimension(vectorDim));
    return m.reads(std::move(position));
  }
  std::vector<Expression> place(m.operand.rank());
  for (size_t i = 0; i < batching.size(); ++i)
    place[static_cast<size_t>(batching[i])] = position[static_cast<size_t>(indicesBatching[i])];
  for (size_t i = 0; i < started.size(); ++i) {
    if (contains(batching, static_cast<size_t>(started[i]))) continue;  // the batch goes before the index
    const auto d = static_cast<size_t>(started[i]);
    if (vectorDim < rank) position[vectorDim] = Expression(static_cast<int64_t>(i));
    place[d] = m.runtime(m.operand.dimension(d) - sizes[d], indices, position);
  }
  size_t window = 0;
  for (size_t d = 0; d < place.size(); ++d) {
    if (!contains(collapsed, d) && !contains(batching, d))
      place[d] = place[d] + m.dims[static_cast<size_t>(offset[window++])];
  }
  return m.reads(std::move(place));
}

IndexingMap reduce(Builder m) {
  if (m.number >= m.instruction.operandCount() / 2) return m.reads({});
  std::vector<Expression> place;
  size_t kept = 0;
  for (size_t d = 0; d < m.operand.rank(); ++d)
    place.push_back(contains(m.instruction.dimensions(), d) ? m.symbol(m.operand.dimension(d))
                                                            : m.dims[kept++]);
  return m.reads(std::move(place));
}

// Where `inWindow` of the window at `placement` lies in a dimension of the base, if it is neither padding
// nor a hole.
Expression windowed(Builder m, const WindowDimension& w, int64_t size, const Expression& placement,
                    const Expression& inWindow) {
  const Expression dilated = placement * w.stride + inWindow * w.windowDilation - Expression(w.paddingLow);
  m.require(dilated, {0, (size - 1) * w.baseDilation});
  if (w.baseDilation > 1) m.require(dilated.modulo(w.baseDilation), {0, 0});
  return dilated.dividedBy(w.baseDilation);
}

IndexingMap reduceWindow(Builder m) {
  if (m.number >= m.instruction.operandCount() / 2) return m.reads({});
  const Window& window = *m.instruction.get<Attr::Window>();
  std::vector<Expression> place;
  for (size_t d = 0; d < m.dims.size(); ++d) {
    const WindowDimension& w = window.dimensions[d];
    place.push_back(windowed(m, w, m.operand.dimension(d), m.dims[d], m.symbol(w.size)));
  }
  return m.reads(std::move(place));
}

// Operands 2 and 3 of a scaled dot are the scales of 0 and 1: one scale for so many values in a row.
std::optional<IndexingMap> dot(Builder m) {
  const Instruction& instruction = m.instruction;
  const bool isLeft = m.number % 2 == 0;
  const Shape values = instruction.operand(isLeft ? 0 : 1)->shape();
  if (m.operand.rank() == 0) return m.reads({});
  if (m.operand.rank() != values.rank()) return std::nullopt;
  const auto batch = isLeft ? instruction.get<Attr::LhsBatchDims>() : instruction.get<Attr::RhsBatchDims>(),
             summed = isLeft ? instruction.get<Attr::LhsContractingDims>()
                             : instruction.get<Attr::RhsContractingDims>();
  const size_t freeOfLeft = instruction.operand(0)->shape().rank() -
                            instruction.get<Attr::LhsBatchDims>().size() -
                            instruction.get<Attr::LhsContractingDims>().size();
  size_t next = batch.size() + (isLeft ? 0 : freeOfLeft);
  std::vector<std::optional<Expression>> places(m.operand.rank());
  for (size_t i = 0; i < batch.size(); ++i) places[static_cast<size_t>(batch[i])] = m.dims[i];
  for (const int64_t d : summed) {
    const auto at = static_cast<size_t>(d);
    places[at] = m.symbol(values.dimension(at));
  }
  std::vector<Expression> place;
  for (size_t d = 0; d < places.size(); ++d) {
    const int64_t inARow = m.operand.dimension(d) == 0 ? 1 : values.dimension(d) / m.operand.dimension(d);
    place.push_back((places[d] ? *places[d] : m.dims[next++]).dividedBy(std::max<int64_t>(1, inARow)));
  }
  return m.reads(std::move(place));
}

IndexingMap convolution(Builder m) {
  const Instruction& instruction = m.instruction;
  const auto& numbers = *instruction.get<Attr::DimLabels>();
  const Window* window = instruction.get<Attr::Window>();
  const Shape input = instruction.operand(0)->shape(), kernel = instruction.operand(1)->shape();
  const auto at = [](int64_t d) { return static_cast<size_t>(d); };
  const Expression feature = m.dims[at(numbers.outputFeature)];
  const int64_t features = kernel.dimension(at(numbers.kernelOutputFeature)),
                channels = kernel.dimension(at(numbers.kernelInputFeature)),
                groups = instruction.get<Attr::FeatureGroupCount>().value_or(1),
                batchGroups = instruction.get<Attr::BatchGroupCount>().value_or(1);
  std::vector<Expression> from(input.rank()), of(kernel.rank());
  for (size_t i = 0; i < numbers.inputSpatial.size(); ++i) {
    const WindowDimension& w = window->dimensions[i];
    const Expression inWindow = m.symbol(w.size);
    from[at(numbers.inputSpatial[i])] = windowed(m, w, input.dimension(at(numbers.inputSpatial[i])),
                                                 m.dims[at(numbers.outputSpatial[i])], inWindow);
    of[at(numbers.kernelSpatial[i])] = w.windowReversal ? Expression(w.size - 1) - inWindow : inWindow;
  }
  const Expression channel = m.symbol(channels);
  const auto groupOf = [&](int64_t count) {
    return feature.dividedBy(std::max<int64_t>(1, features / std::max<int64_t>(1, count)));
  };
  from[at(numbers.inputBatch)] =
      m.dims[at(numbers.outputBatch)] + groupOf(batchGroups) * m.result.dimension(at(numbers.outputBatch));
  from[at(numbers.inputFeature)] = groupOf(groups) * channels + channel;
  of[at(numbers.kernelInputFeature)] = channel;
  of[at(numbers.kernelOutputFeature)] = feature;
  return m.reads(std::move(m.number == 0 ? from : of));
}

// All of the operand along `along`, and of its other dimensions the same index.
IndexingMap wholeAlong(Builder m, auto isAlong) {
  std::vector<Expression> place;
  for (size_t d = 0; d < m.operand.rank(); ++d)
    place.push_back(isAlong(d) ? m.symbol(m.operand.dimension(d)) : m.dims[d]);
  return m.reads(std::move(place));
}
IndexingMap wholeLast(Builder m, size_t count) {
  const size_t rank = m.operand.rank();
  return wholeAlong(m, [&](size_t d) { return d + count >= rank; });
}
IndexingMap wholeDimensions(Builder m) {
  return wholeAlong(m, [&](size_t d) { return contains(m.instruction.dimensions(), d); });
}

// The same element of every device; of several arrays each has its own result.
std::optional<IndexingMap> allReduce(Builder m) {
  if (!std::ranges::equal(m.operand.dimensions(), m.result.dimensions())) return std::nullopt;
  return m.reads(m.dims);
}

std::optional<IndexingMap> mapOf(Builder m) {
  switch (m.instruction.opcode()) {
    case Opcode::AllReduce:
      return allReduce(m);
    case Opcode::AddDependency:
    case Opcode::Copy:
    case Opcode::Domain:
    case Opcode::Map:
    case Opcode::OptBarrier:
      return sameIndex(m);
    case Opcode::Bitcast:
      return bitcast(m);
    case Opcode::BitcastConvert:
      return bitcastConvert(m);
    case Opcode::Broadcast:
      return broadcast(m);
    case Opcode::Cholesky:
    case Opcode::TriangularSolve:
      return wholeLast(m, 2);
    case Opcode::Concatenate:
      return concatenate(m);
    case Opcode::Convolution:
      return convolution(m);
    case Opcode::Dot:
    case Opcode::ScaledDot:
      return dot(m);
    case Opcode::DynamicSlice:
      return dynamicSlice(m);
    case Opcode::DynamicUpdateSlice:
      return dynamicUpdateSlice(m);
    case Opcode::Fft:
      return wholeLast(m, m.instruction.get<Attr::FftLength>().size());
    case Opcode::Gather:
      return gather(m);
    case Opcode::Pad:
      return pad(m);
    case Opcode::Reduce:
      return reduce(m);
    case Opcode::ReduceWindow:
      return reduceWindow(m);
    case Opcode::Reshape:
      return reshape(m);
    case Opcode::Reverse:
      return reverse(m);
    case Opcode::Slice:
      return slice(m);
    case Opcode::Sort:
      return wholeDimensions(m);
    case Opcode::TopK:
      return wholeLast(m, 1);
    case Opcode::Transpose:
      return transpose(m);
    default:
      if (isElementwise(m.instruction.opcode())) return sameIndex(m);
      return std::nullopt;
  }
}

}  // namespace

std::optional<IndexingMap> operandIndexing(const Instruction& instruction, size_t operand) {
  const Shape result = firstArray(instruction.shape());
  if (!result.isArray() || !instruction.operand(operand)->shape().isArray()) return std::nullopt;
  MapBuilder builder(instruction, operand);
  return mapOf(builder);
}

namespace {

constexpr size_t kMostMaps = 100;
constexpr size_t kMostTerms = 200;  // of a map: what is put into each other can double with every step
constexpr int kDeepest = 20;

using Maps = std::vector<IndexingMap>;

size_t termCount(const IndexingMap& map) {
  size_t count = 0;
  for (const AffineExpression& result : map.results) count += result.termCount();
  for (const IndexConstraint& constraint : map.constraints) count += constraint.expression.termCount();
  for (const IndexVariable& variable : map.variables) {
    for (const AffineExpression& place : variable.place) count += place.termCount();
  }
  return count;
}

// False where that makes it too much.
bool addOnce(Maps& maps, IndexingMap map) {
  if (map.isEmpty() || std::ranges::find(maps, map) != maps.end()) return true;
  if (termCount(map) > kMostTerms) return false;
  maps.push_back(std::move(map));
  return maps.size() <= kMostMaps;
}

std::optional<Maps> readAt(const Instruction& instruction, size_t operand, int depth);

// From the result of a called computation back to its parameters.
std::optional<Maps> throughComputation(const Instruction& caller, size_t operand, int depth) {
  const Computation& called = *caller.calledComputations()[0];
  if (operand >= called.parameters().size())
    return Maps();  // A fusion may have operands that it does not take.
  absl::flat_hash_map<const Instruction*, Maps> maps;
  const Instruction& root = *called.root();
  if (!root.shape().isArray() || depth > kDeepest) return std::nullopt;
  maps[&root].push_back(identityMap(root.shape().dimensions()));
  const Instruction* parameter = called.parameters()[operand];
  for (const Instruction* step = &root; step != nullptr; step = step->previous()) {
    const auto found = maps.find(step);
    if (found == maps.end() || step->operandCount() == 0) continue;
    const Maps outer = found->second;
    for (size_t i = 0; i < step->operandCount(); ++i) {
      const auto inner = readAt(*step, i, depth + 1);
      if (!inner) return std::nullopt;
      for (const IndexingMap& from : outer) {
        for (const IndexingMap& map : *inner) {
          if (!addOnce(maps[step->operand(i)], composed(from, map))) return std::nullopt;
        }
      }
    }
  }
  return maps[parameter];
}

std::optional<Maps> readAt(const Instruction& instruction, size_t operand, int depth) {
  if (instruction.opcode() == Opcode::Fusion || instruction.opcode() == Opcode::Call)
    return throughComputation(instruction, operand, depth);
  auto map = operandIndexing(instruction, operand);
  if (!map) return std::nullopt;
  simplify(*map);
  Maps maps;
  if (!addOnce(maps, std::move(*map))) return std::nullopt;
  return maps;
}

}  // namespace

std::optional<std::vector<IndexingMap>> readIndexing(const Instruction& instruction, size_t operand) {
  return readAt(instruction, operand, 0);
}

}  // namespace hilo
