// Sorts, lookups, and what works on whole lines or matrices.
#include "core/hlo/expand/dynamic_expansion.h"

namespace hilo {
namespace {

bool contains(std::span<const int64_t> dimensions, size_t d) {
  return std::ranges::find(dimensions, static_cast<int64_t>(d)) != dimensions.end();
}

// Sizes that any operand of `first` to `end`, which have the same dimensions, knows.
RealSizes sizesOfAny(const DynamicExpansion& e, size_t first, size_t end) {
  RealSizes sizes = e.sizesOf(first);
  for (size_t n = first + 1; n < end; ++n) {
    const RealSizes own = e.sizesOf(n);
    for (size_t d = 0; d < std::min(own.size(), sizes.size()); ++d) {
      if (sizes[d] == nullptr) sizes[d] = own[d];
    }
  }
  return sizes;
}

std::vector<Instruction*> wholes(const DynamicExpansion& e, size_t end) {
  std::vector<Instruction*> all;
  for (size_t n = 0; n < end; ++n) all.push_back(e.whole(n));
  return all;
}

// The comparator with two more parameters that say of each side whether it is padding, which comes last.
Computation* paddingLast(const DynamicExpansion& e, Computation& comparator) {
  Module& module = e.call().module();
  Computation* made = module.createComputation(module.uniqueName("padding_last"), &e.call().parent());
  std::vector<Instruction*> parameters;
  for (const Instruction* parameter : comparator.parameters())
    parameters.push_back(made->createParameter(parameter->parameterNumber(), parameter->shape(),
                                               module.uniqueName(parameter->name())));
  const Shape truth = Shape::scalar(ElementType::Pred);
  const auto count = static_cast<int64_t>(parameters.size());
  Instruction* left = made->createParameter(count, truth, module.uniqueName("left"));
  Instruction* right = made->createParameter(count + 1, truth, module.uniqueName("right"));
  Instruction* before = made->create(Opcode::Call, truth, parameters);
  before->set<Attr::ToApply>(&comparator);
  Instruction* differ = made->create(Opcode::Xor, truth, {left, right});
  made->setRoot(made->create(Opcode::Select, truth, {differ, right, before}));
  return made;
}

}  // namespace

Result<Instruction*> padSort(DynamicExpansion& e) {
  const Instruction& sort = e.call();
  const size_t count = e.operandCount(), along = static_cast<size_t>(sort.dimensions()[0]);
  const RealSizes sizes = sizesOfAny(e, 0, count);
  std::vector<Instruction*> operands = wholes(e, count);
  const std::vector<RealSizes> all(count, sizes);
  if (sizes[along] == nullptr) return e.giveElements(e.again(operands), all);
  Instruction* at = e.places(operands[0]->shape(), along);
  const Shape truth = at->shape().withElementType(ElementType::Pred);
  Instruction* isPadding = e.add(Opcode::Compare, truth, {at, e.broadcastScalar(sizes[along], at->shape())});
  isPadding->set<Attr::Direction>(ComparisonDirection::Ge);
  operands.push_back(isPadding);
  std::vector<Shape> shapes;
  for (const Instruction* operand : operands) shapes.push_back(operand->shape());
  Instruction* sorted = e.add(Opcode::Sort, Shape::tuple(shapes), operands);
  sorted->set<Attr::Dimensions>(sort.dimensions());
  if (const auto isStable = sort.get<Attr::IsStable>()) sorted->set<Attr::IsStable>(*isStable);
  sorted->set<Attr::ToApply>(paddingLast(e, *sort.get<Attr::ToApply>()));
  return e.giveElements(sorted, all);
}

// Indices may be fewer, and what is taken whole of each place.
Result<Instruction*> padGather(DynamicExpansion& e) {
  const Instruction& gather = e.call();
  const auto collapsed = gather.get<Attr::CollapsedSliceDims>(),
             batching = gather.get<Attr::OperandBatchingDims>();
  const auto taken = gather.get<Attr::SliceSizes>();
  const auto vector = static_cast<size_t>(*gather.get<Attr::IndexVectorDim>());
  const RealSizes table = e.sizesOf(0), indices = e.sizesOf(1);
  for (size_t d = 0; d < table.size(); ++d) {
    if (table[d] == nullptr || contains(batching, d)) continue;
    if (contains(collapsed, d) || taken[d] != e.operand(0)->shape().dimension(d))
      return e.refuse("takes places in a dimension of any size");
  }
  if (vector < indices.size() && indices[vector] != nullptr) return e.refuse("has places of any rank");
  RealSizes sizes;
  size_t fromTable = 0, fromIndices = 0;
  for (size_t d = 0; d < e.shape().rank(); ++d) {
    if (contains(gather.get<Attr::OffsetDims>(), d)) {
      while (contains(collapsed, fromTable) || contains(batching, fromTable)) ++fromTable;
      sizes.push_back(table[fromTable++]);
    } else {
      fromIndices += fromIndices == vector;
      sizes.push_back(indices[fromIndices++]);
    }
  }
  return e.give(e.again(wholes(e, 2)), sizes);
}

namespace {

// Sizes of the dimensions of the indices, by which there are updates.
Result<RealSizes> updateCounts(const DynamicExpansion& e, size_t inputs) {
  const Instruction& scatter = e.call();
  const auto vector = static_cast<size_t>(*scatter.get<Attr::IndexVectorDim>());
  RealSizes counts = e.sizesOf(inputs);
  if (vector < counts.size() && counts[vector] != nullptr) return e.refuse("has places of any rank");
  const RealSizes updates = sizesOfAny(e, inputs + 1, 2 * inputs + 1);
  size_t d = 0;
  for (size_t u = 0; u < updates.size(); ++u) {
    if (contains(scatter.get<Attr::UpdateWindowDims>(), u)) continue;
    d += d == vector;
    if (counts[d] == nullptr) counts[d] = updates[u];
    ++d;
  }
  return counts;
}

// A window that may lie half outside what is real, or has fewer elements than there is room for.
bool hasUnevenWindows(const DynamicExpansion& e, const RealSizes& inputSizes, const RealSizes& updates,
                      Shape update) {
  const Instruction& scatter = e.call();
  size_t d = 0;
  for (const int64_t u : scatter.get<Attr::UpdateWindowDims>()) {
    while (contains(scatter.get<Attr::InsertedWindowDims>(), d) ||
           contains(scatter.get<Attr::InputBatchingDims>(), d))
      ++d;
    const auto at = static_cast<size_t>(u);
    const bool isPlaced = contains(scatter.get<Attr::ScatterDimsToOperandDims>(), d);
    if (inputSizes[d] != nullptr && isPlaced && update.dimension(at) > 1) return true;
    if (updates[at] != nullptr && (inputSizes[d] == nullptr || isPlaced)) return true;
    ++d;
  }
  return false;
}

}  // namespace

// Updates beyond the last one go to no place.
Result<Instruction*> padScatter(DynamicExpansion& e) {
  const size_t inputs = e.operandCount() / 2;
  const RealSizes sizes = sizesOfAny(e, 0, inputs), updates = sizesOfAny(e, inputs + 1, 2 * inputs + 1);
  if (hasUnevenWindows(e, sizes, updates, e.operand(inputs + 1)->shape()))
    return e.refuse("writes windows of any size");
  TRY(const RealSizes counts, updateCounts(e, inputs));
  std::vector<Instruction*> operands = wholes(e, e.operandCount());
  Instruction*& indices = operands[inputs];
  const ElementType type = indices->shape().elementType();
  for (size_t d = 0; d < counts.size(); ++d) {
    if (counts[d] == nullptr) continue;
    if (e.call().get<Attr::ScatterDimsToOperandDims>().empty() || elementBits(type) < 32)
      return e.refuse("has no index that means nowhere");
    indices = e.filled(indices, d, counts[d], e.unary(Opcode::Not, e.zero(type)));
  }
  Instruction* written = e.again(operands);
  written->erase(Attr::UniqueIndices);
  written->erase(Attr::IndicesAreSorted);
  return e.giveElements(written, std::vector<RealSizes>(inputs, sizes));
}

// All devices have as many.
Result<Instruction*> padAllReduce(DynamicExpansion& e) {
  std::vector<RealSizes> sizes;
  for (size_t n = 0; n < e.operandCount(); ++n) sizes.push_back(e.sizesOf(n));
  return e.giveElements(e.again(wholes(e, e.operandCount())), sizes);
}

// Of as many lines as there are.
Result<Instruction*> padTopK(DynamicExpansion& e) {
  const RealSizes sizes = e.sizesOf(0);
  if (sizes.back() != nullptr) return e.refuse("chooses from lines of any length");
  return e.giveElements(e.again({e.whole(0)}), std::vector(2, sizes));
}

Result<Instruction*> padMap(DynamicExpansion& e) {
  return e.give(e.again(wholes(e, e.operandCount())), sizesOfAny(e, 0, e.operandCount()));
}

namespace {

// Of lines or matrices in the last `inner` dimensions, as many as there are.
Result<Instruction*> padBatch(const DynamicExpansion& e, size_t inner) {
  RealSizes sizes = sizesOfAny(e, 0, e.operandCount());
  for (size_t d = sizes.size() - inner; d < sizes.size(); ++d) {
    if (sizes[d] != nullptr) return e.refuse("works on lines of any length");
  }
  return e.give(e.again(wholes(e, e.operandCount())), sizes);
}

}  // namespace

Result<Instruction*> padMatrices(DynamicExpansion& e) { return padBatch(e, 2); }
Result<Instruction*> padFft(DynamicExpansion& e) {
  return padBatch(e, e.call().get<Attr::FftLength>().size());
}

}  // namespace hilo
