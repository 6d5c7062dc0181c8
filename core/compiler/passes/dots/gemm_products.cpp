#include "core/compiler/passes/dots/gemm_products.h"

#include <algorithm>

#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool cutsOffEnds(const Instruction& slice) {
  return std::ranges::all_of(slice.get<Attr::Slice>(),
                             [](const SliceRange& d) { return d.start == 0 && d.stride == 1; });
}

}  // namespace

bool isReadOnce(const Instruction& i) { return i.users().size() == 1 && !i.isRoot(); }

std::optional<GemmProduct> GemmProducts::of(Instruction* value) const {
  GemmProduct of{.value = value};
  Instruction* at = value;
  if (at->opcode() == Opcode::Bitcast &&
      elementBits(at->shape().elementType()) == elementBits(at->operand(0)->shape().elementType()))
    of.bitcast = at, at = at->operand(0);
  if (at->opcode() == Opcode::Slice) of.slice = at, at = at->operand(0);
  if (at->opcode() != Opcode::GetTupleElement || at->get<Attr::Index>() != 0) return std::nullopt;
  const auto call = calls_.find(at->operand(0));
  if (call == calls_.end() || call->second.config.scalesResult ||
      (of.slice != nullptr && !cutsOffEnds(*of.slice)))
    return std::nullopt;
  of.element = at;
  of.call = &call->second;
  return of;
}

std::optional<std::pair<GemmProduct, Instruction*>> GemmProducts::onlyUseIn(const Instruction& i) const {
  for (size_t side = 0; side < 2; ++side) {
    const auto product = of(i.operand(side));
    if (!product || i.operand(0) == i.operand(1) || !isReadOnce(*product->value) ||
        !isReadOnce(*product->element))
      continue;
    if (product->slice != nullptr && !isReadOnce(*product->slice)) continue;
    return std::pair(*product, i.operand(1 - side));
  }
  return std::nullopt;
}

Instruction* GemmProducts::make(const GemmCall& call, const GemmProduct& like, Instruction& before) {
  Instruction* made = makeGemmCall(call, *like.element->operand(0), before);
  calls_.emplace(made, call);
  return made;
}

bool GemmProducts::replace(Instruction& i, const GemmProduct& product, const GemmCall& call,
                           std::string_view what) {
  context_.remark(i, "fused", std::string(what));
  supersede(i, viewed(product, elementOfTuple(make(call, product, i), 0, i), i));
  return true;
}

Instruction* GemmProducts::viewed(const GemmProduct& product, Instruction* value, Instruction& before) {
  if (product.slice != nullptr) value = computation_.createLike(*product.slice, std::array{value}, &before);
  if (product.bitcast != nullptr)
    value = computation_.createLike(*product.bitcast, std::array{value}, &before);
  return value;
}

void GemmProducts::supersede(Instruction& old, Instruction* value) {
  computation_.replaceAllUses(&old, value);
  sweep(old);
}

void GemmProducts::sweep(Instruction& dead) {
  if (!dead.users().empty() || dead.isRoot() || dead.opcode() == Opcode::Parameter) return;
  const std::vector<Instruction*> operands(dead.operands().begin(), dead.operands().end());
  calls_.erase(&dead);
  computation_.remove(&dead);
  removed_.insert(&dead);
  for (Instruction* operand : operands) {
    if (!removed_.contains(operand)) sweep(*operand);
  }
}

}  // namespace hilo
