#include "core/compiler/codegen/lower/scatter_form.h"

namespace hilo {

using llvm::Value;

namespace {

bool contains(std::span<const int64_t> list, size_t d) {
  return std::ranges::find(list, static_cast<int64_t>(d)) != list.end();
}

}  // namespace

ScatterForm::ScatterForm(const Instruction& scatter)
    : scatter(scatter),
      indices(*scatter.operand(scatter.operandCount() / 2)),
      shape(scatter.operand(0)->shape()),
      update(scatter.operand(scatter.operandCount() / 2 + 1)->shape()) {
  if (scatter.shape().isArray()) shape = scatter.shape();
  const auto window = scatter.get<Attr::UpdateWindowDims>();
  for (size_t d = 0; d < shape.rank(); ++d) {
    if (!contains(scatter.get<Attr::InsertedWindowDims>(), d) &&
        !contains(scatter.get<Attr::InputBatchingDims>(), d))
      operandDims.push_back(d);
  }
  for (size_t d = 0; d < update.rank(); ++d) {
    if (contains(window, d)) continue;
    positionDims.push_back(d);
    positionSizes.push_back(update.dimension(d));
  }
  for (const int64_t d : window) {
    windowDims.push_back(static_cast<size_t>(d));
    windowSizes.push_back(update.dimension(static_cast<size_t>(d)));
  }
}

ScatterForm::Places ScatterForm::startAt(llvm::ArrayRef<Value*> position, ElementEmitter& e) const {
  return hilo::startAt(scatter, indices, shape.rank(), scatter.get<Attr::ScatterDimsToOperandDims>(),
                       scatter.get<Attr::InputBatchingDims>(),
                       scatter.get<Attr::ScatterIndicesBatchingDims>(), position, e);
}

Value* ScatterForm::isInside(llvm::ArrayRef<Value*> start, KernelBuilder& k) const {
  std::vector<int64_t> extent(shape.rank(), 1);
  for (size_t i = 0; i < windowSizes.size(); ++i) extent[operandDims[i]] = windowSizes[i];
  Value* inside = k.b().getTrue();
  for (size_t d = 0; d < shape.rank(); ++d) {
    const int64_t last = shape.dimension(d) - extent[d];
    inside = k.b().CreateAnd(inside, last < 0 ? static_cast<Value*>(k.b().getFalse())
                                              : k.b().CreateICmpULE(start[d], k.int64(last)));
  }
  return inside;
}

ElementIndex ScatterForm::updateAt(llvm::ArrayRef<Value*> position, llvm::ArrayRef<Value*> window,
                                   KernelBuilder& k) const {
  Places from(update.rank());
  for (size_t i = 0; i < positionDims.size(); ++i) from[positionDims[i]] = position[i];
  for (size_t i = 0; i < windowDims.size(); ++i) from[windowDims[i]] = window[i];
  return k.indexAt(from);
}

ElementIndex ScatterForm::resultAt(Places start, llvm::ArrayRef<Value*> window, KernelBuilder& k) const {
  for (size_t i = 0; i < windowDims.size(); ++i)
    start[operandDims[i]] = k.b().CreateAdd(start[operandDims[i]], window[i]);
  return k.indexAt(start);
}

}  // namespace hilo
