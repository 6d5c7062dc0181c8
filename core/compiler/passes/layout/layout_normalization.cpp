#include "core/compiler/passes/layout/layout_normalization.h"

#include <algorithm>

#include "core/analysis/dimension_order.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/layout/memory_form.h"
#include "core/compiler/passes/layout/normal_scatter.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

Instruction* normalElementwise(Instruction& i) {
  std::vector<Instruction*> operands;
  for (Instruction* operand : i.operands()) {
    if (operand->shape().rank() != i.shape().rank()) {
      if (operand->shape().rank() != 0) return nullptr;
      operands.push_back(operand);
      continue;
    }
    if (!hasOrderOfElements(operand->shape()) || orderOf(operand->shape()) != orderOf(i.shape()))
      return nullptr;
    operands.push_back(normal(operand, i));
  }
  Instruction* made = i.parent().createLike(i, operands, &i);
  made->setShape(inMemory(i.shape()));
  return made;
}

Instruction* normalMove(Instruction& i, std::span<const int64_t> dims) {
  if (!hasOrder(i.operand(0)->shape())) return nullptr;
  const Dims places = placesOf(i.operand(0)->shape());
  Dims permutation;
  for (const int64_t d : orderOf(i.shape()))
    permutation.push_back(places[static_cast<size_t>(dims[static_cast<size_t>(d)])]);
  return groupedTranspose(normal(i.operand(0), i), permutation, i);
}

Instruction* normalBroadcast(Instruction& i) {
  if (!hasOrder(i.operand(0)->shape())) return nullptr;
  const Dims places = placesOf(i.shape());
  Dims dims;
  for (const int64_t d : orderOf(i.operand(0)->shape()))
    dims.push_back(places[static_cast<size_t>(i.dimensions()[static_cast<size_t>(d)])]);
  if (!std::ranges::is_sorted(dims)) return nullptr;
  Instruction* made = i.parent().createLike(i, {{normal(i.operand(0), i)}}, &i);
  made->setShape(inMemory(i.shape()));
  made->set<Attr::Dimensions>(dims);
  return made;
}

Instruction* normalReduce(Instruction& i) {
  if (i.operandCount() != 2 || !hasOrder(i.operand(0)->shape())) return nullptr;
  const Shape from = i.operand(0)->shape();
  const Dims places = placesOf(from), order = orderOf(from);
  // Which dimension of the result each kept one is.
  Dims resultOf(order.size(), -1), dims, keptOrder, sizes;
  int64_t next = 0;
  for (size_t d = 0; d < order.size(); ++d) {
    if (std::ranges::find(i.dimensions(), static_cast<int64_t>(d)) == i.dimensions().end())
      resultOf[d] = next++;
  }
  for (const int64_t d : i.dimensions()) dims.push_back(places[static_cast<size_t>(d)]);
  std::ranges::sort(dims);
  for (const int64_t d : order) {
    if (resultOf[static_cast<size_t>(d)] < 0) continue;
    keptOrder.push_back(resultOf[static_cast<size_t>(d)]);
    sizes.push_back(from.dimension(static_cast<size_t>(d)));
  }
  Instruction* made = i.parent().createLike(i, {{normal(i.operand(0), i), i.operand(1)}}, &i);
  made->setShape(Shape::array(i.shape().elementType(), sizes).withDefaultLayout());
  made->set<Attr::Dimensions>(dims);
  Dims permutation;
  for (const int64_t d : orderOf(i.shape()))
    permutation.push_back(std::ranges::find(keptOrder, d) - keptOrder.begin());
  return groupedTranspose(made, permutation, i);
}

// Operations whose attributes name each dimension: those in the order of memory.
Instruction* normalSlicing(Instruction& i) {
  const Dims order = orderOf(i.shape()), places = placesOf(i.shape());
  std::vector<Instruction*> operands;
  const size_t arrays = i.opcode() == Opcode::Concatenate          ? i.operandCount()
                        : i.opcode() == Opcode::DynamicUpdateSlice ? 2
                        : i.opcode() == Opcode::Iota               ? 0
                                                                   : 1;
  for (size_t k = 0; k < arrays; ++k) {
    if (!hasOrder(i.operand(k)->shape()) || orderOf(i.operand(k)->shape()) != order) return nullptr;
    operands.push_back(normal(i.operand(k), i));
  }
  const bool indexed = i.opcode() == Opcode::DynamicSlice || i.opcode() == Opcode::DynamicUpdateSlice;
  if (indexed && i.operandCount() != arrays + order.size()) return nullptr;
  for (size_t k = arrays; k < i.operandCount(); ++k)
    operands.push_back(indexed ? i.operand(arrays + static_cast<size_t>(order[k - arrays])) : i.operand(k));
  Instruction* made = i.parent().createLike(i, operands, &i);
  made->setShape(inMemory(i.shape()));
  if (i.opcode() == Opcode::Slice) made->set<Attr::Slice>(permuted(i.get<Attr::Slice>(), order));
  if (i.opcode() == Opcode::Pad) made->set<Attr::Padding>(permuted(i.get<Attr::Padding>(), order));
  if (i.opcode() == Opcode::ReduceWindow) {
    const auto dimensions = permuted(i.get<Attr::Window>()->dimensions, order);
    const Window window{dimensions};
    made->set<Attr::Window>(&window);
  }
  if (i.opcode() == Opcode::DynamicSlice)
    made->set<Attr::DynamicSliceSizes>(permuted(i.get<Attr::DynamicSliceSizes>(), order));
  if (i.opcode() == Opcode::Iota)
    made->set<Attr::IotaDimension>(places[static_cast<size_t>(*i.get<Attr::IotaDimension>())]);
  if (i.opcode() == Opcode::Reverse || i.opcode() == Opcode::Concatenate) {
    Dims dims;
    for (const int64_t d : i.dimensions()) dims.push_back(places[static_cast<size_t>(d)]);
    made->set<Attr::Dimensions>(dims);
  }
  return made;
}

// The labels say which dimension plays which part: those change, the window goes by the parts.
Instruction* normalConvolution(Instruction& i) {
  const auto* labels = i.get<Attr::DimLabels>();
  if (labels == nullptr || !hasOrder(i.operand(0)->shape()) || !hasOrder(i.operand(1)->shape()))
    return nullptr;
  const auto named = [](const Dims& places) {
    return [&places](int64_t d) { return places[static_cast<size_t>(d)]; };
  };
  const auto all = [](std::span<const int64_t> dims, const Dims& places) {
    Dims changed;
    for (const int64_t d : dims) changed.push_back(places[static_cast<size_t>(d)]);
    return changed;
  };
  const Dims inputs = placesOf(i.operand(0)->shape()), kernels = placesOf(i.operand(1)->shape()),
             outputs = placesOf(i.shape());
  const auto input = named(inputs), kernel = named(kernels), output = named(outputs);
  const Dims inputSpatial = all(labels->inputSpatial, inputs),
             kernelSpatial = all(labels->kernelSpatial, kernels),
             outputSpatial = all(labels->outputSpatial, outputs);
  const ConvolutionDimensionNumbers changed{.inputBatch = input(labels->inputBatch),
                                            .inputFeature = input(labels->inputFeature),
                                            .inputSpatial = inputSpatial,
                                            .kernelInputFeature = kernel(labels->kernelInputFeature),
                                            .kernelOutputFeature = kernel(labels->kernelOutputFeature),
                                            .kernelSpatial = kernelSpatial,
                                            .outputBatch = output(labels->outputBatch),
                                            .outputFeature = output(labels->outputFeature),
                                            .outputSpatial = outputSpatial};
  Instruction* made = i.parent().createLike(i, {{normal(i.operand(0), i), normal(i.operand(1), i)}}, &i);
  made->setShape(inMemory(i.shape()));
  made->set<Attr::DimLabels>(&changed);
  return made;
}

// A bitcast-convert between sizes: the dimension that one side has more is minor there.
Instruction* normalResizing(Instruction& i) {
  if (!hasOrder(i.operand(0)->shape())) return nullptr;
  Dims wide = orderOf(i.operand(0)->shape()), narrow = orderOf(i.shape());
  if (wide.size() < narrow.size()) std::swap(wide, narrow);
  if (wide.empty() || wide.back() != static_cast<int64_t>(narrow.size())) return nullptr;
  wide.pop_back();
  if (wide != narrow) return nullptr;
  Instruction* made = i.parent().createLike(i, {{normal(i.operand(0), i)}}, &i);
  made->setShape(inMemory(i.shape()));
  return made;
}

// Of the same bytes.
Instruction* normalReshape(Instruction& i) {
  const Shape operand = i.operand(0)->shape();
  if (!hasOrder(operand) || throughReshape(operand, orderOf(operand), i.shape()) != orderOf(i.shape()))
    return nullptr;
  Instruction* made = i.parent().createLike(i, {{normal(i.operand(0), i)}}, &i);
  made->setShape(inMemory(i.shape()));
  return made;
}

// The same as it lies in memory; null where it is left.
Instruction* normalized(Instruction& i) {
  switch (i.opcode()) {
    case Opcode::Transpose:
      return normalMove(i, i.dimensions());
    case Opcode::Copy: {
      if (!hasOrder(i.operand(0)->shape()) || orderOf(i.operand(0)->shape()) == orderOf(i.shape()))
        return nullptr;
      Dims same(i.shape().rank());
      std::ranges::generate(same, [n = int64_t{0}]() mutable { return n++; });
      return normalMove(i, same);
    }
    case Opcode::Broadcast:
      return normalBroadcast(i);
    case Opcode::Reshape:
      return normalReshape(i);
    case Opcode::Reduce:
      return normalReduce(i);
    case Opcode::Convolution:
      return normalConvolution(i);
    case Opcode::Scatter:
      return normalScatter(i);
    case Opcode::ReduceWindow:
      return i.operandCount() == 2 ? normalSlicing(i) : nullptr;
    case Opcode::Slice:
    case Opcode::Pad:
    case Opcode::Iota:
    case Opcode::Reverse:
    case Opcode::Concatenate:
    case Opcode::DynamicSlice:
    case Opcode::DynamicUpdateSlice:
      return normalSlicing(i);
    default:
      if (i.opcode() == Opcode::BitcastConvert && i.operand(0)->shape().rank() != i.shape().rank())
        return normalResizing(i);
      return isElementwise(i.opcode()) ? normalElementwise(i) : nullptr;
  }
}

bool isNormal(const Instruction& i) {
  const auto lies = [](const Instruction* value) {
    return !value->shape().isArray() || liesRowMajor(value->shape());
  };
  if (i.opcode() == Opcode::Transpose) return false;
  return lies(&i) && std::ranges::all_of(i.operands(), lies);
}

// What its form says already: a transpose of groups.
bool isSame(const Instruction& i, const Instruction& made) {
  return made.opcode() == i.opcode() && made.shape() == i.shape() &&
         std::ranges::equal(made.operands(), i.operands());
}

}  // namespace

Result<bool> normalizeLayouts(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!hasOrder(i->shape()) || i->has(Attr::ControlPredecessors) || isNormal(*i)) continue;
      if (i->users().empty() && !i->isRoot()) continue;
      Instruction* made = normalized(*i);
      if (made == nullptr) continue;
      if (isSame(*i, *made) || !context.mayChange(*i)) {
        if (made->users().empty()) computation->remove(made);
        continue;
      }
      computation->replaceAllUses(i, bitcastTo(made, i->shape(), *i));
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
