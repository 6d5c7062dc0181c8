#include "core/compiler/codegen/emit/index_emitter.h"

namespace hilo {

using llvm::Value;

namespace {

// Of numbers that may be negative: as many divisors are added first as make them positive.
Value* emitAtom(KernelBuilder& k, const AffineExpression::Atom& atom, llvm::ArrayRef<Value*> values,
                std::span<const IndexRange> ranges) {
  using Kind = AffineExpression::Kind;
  if (atom.kind == Kind::Variable) return values[static_cast<size_t>(atom.number)];
  llvm::IRBuilder<>& b = k.b();
  Value *inner = IndexEmitter::emit(k, *atom.inner, values, ranges), *divisor = k.int64(atom.number);
  const int64_t lowest = atom.inner->range(ranges).lower,
                added = lowest < 0 ? (-(lowest + 1) / atom.number + 1) : 0;
  if (added > 0) inner = b.CreateAdd(inner, k.int64(added * atom.number));
  if (atom.kind == Kind::Remainder) return b.CreateURem(inner, divisor);
  Value* quotient = b.CreateUDiv(inner, divisor);
  return added > 0 ? b.CreateSub(quotient, k.int64(added)) : quotient;
}

}  // namespace

Value* IndexEmitter::emit(KernelBuilder& k, const AffineExpression& expression, llvm::ArrayRef<Value*> values,
                          std::span<const IndexRange> ranges) {
  llvm::IRBuilder<>& b = k.b();
  Value* sum = nullptr;
  for (const auto& [atom, factor] : expression.terms()) {
    Value* part = emitAtom(k, atom, values, ranges);
    if (factor != 1) part = b.CreateMul(part, k.int64(factor));
    sum = sum == nullptr ? part : b.CreateAdd(sum, part);
  }
  if (sum == nullptr) return k.int64(expression.constant());
  return expression.constant() == 0 ? sum : b.CreateAdd(sum, k.int64(expression.constant()));
}

IndexEmitter::IndexEmitter(KernelBuilder& kernel, IndexingMap map, llvm::SmallVector<Value*, 6> values)
    : k_(kernel), map_(std::move(map)), values_(std::move(values)) {
  simplifyWithin(map_);
  ranges_ = map_.ranges();
}

ElementIndex IndexEmitter::place() {
  llvm::SmallVector<Value*, 6> place;
  for (const AffineExpression& result : map_.results) place.push_back(emit(k_, result, values_, ranges_));
  return k_.indexAt(place);
}

Value* IndexEmitter::isDefined() {
  llvm::IRBuilder<>& b = k_.b();
  Value* all = b.getTrue();
  for (const auto& [expression, range] : map_.constraints) {
    if (range.isEmpty()) return b.getFalse();
    Value* above = emit(k_, expression - AffineExpression(range.lower), values_, ranges_);
    all = b.CreateAnd(all, b.CreateICmpULE(above, k_.int64(range.upper - range.lower)));
  }
  return all;
}

}  // namespace hilo
