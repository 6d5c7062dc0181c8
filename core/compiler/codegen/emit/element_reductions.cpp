// Elements that many others go into: reductions and windows; and generated bits.
#include "core/analysis/indexing/operand_indexing.h"
#include "core/base/check.h"
#include "core/compiler/codegen/emit/elements.h"
#include "core/compiler/codegen/emit/index_emitter.h"
#include "core/hlo/ir/combiner.h"
#include "core/hlo/ir/random_bits.h"

namespace hilo {

using llvm::Value;
using Dims = llvm::SmallVector<Value*, 6>;

std::optional<Opcode> singleBinaryOpcode(const Computation& computation) {
  const auto operation = operationOnBoth(computation);
  const bool isBinary = operation && opcodeClass(*operation) == OpcodeClass::ElementwiseBinary;
  return isBinary ? operation : std::nullopt;
}

bool isFloatSum(const Instruction& instruction) {
  return instruction.operandCount() == 2 && isFloat(instruction.operand(0)->shape().elementType()) &&
         singleBinaryOpcode(*instruction.get<Attr::ToApply>()) == Opcode::Add;
}

// Runs `produce`, which calls its argument with every term, and sums in f64, rounding once.
static Scalar sumOf(ElementType type, Scalar initial,
                    const std::function<void(const std::function<void(Scalar)>&)>& produce,
                    KernelBuilder& k) {
  ScalarEmitter& s = k.scalars();
  const auto sum = k.variable(Scalar{s.toDouble(type, initial)});
  produce([&](Scalar term) { k.set(sum, {k.addInAnyOrder(k.get(sum).value, s.toDouble(type, term))}); });
  return s.fromDouble(type, k.get(sum).value);
}

std::vector<Scalar> ElementEmitter::reduce(const Instruction& instruction, ElementIndex& index) {
  const size_t n = instruction.operandCount() / 2;
  const Shape input = instruction.operand(0)->shape();
  const auto reduced = instruction.dimensions();
  // Reduced dimensions as they lie in memory, the fastest innermost.
  std::vector<int64_t> order;
  Dims sizes;
  for (const int64_t d : majorToMinor(input)) {
    if (std::ranges::find(reduced, d) == reduced.end()) continue;
    order.push_back(d);
    const auto real = realSizes_.find({instruction.operand(0), static_cast<size_t>(d)});
    sizes.push_back(real != realSizes_.end() ? real->second
                                             : k_.int64(input.dimension(static_cast<size_t>(d))));
  }
  const auto nest = [&](const std::function<void(llvm::ArrayRef<Value*>)>& body) {
    k_.nest(sizes, [&](llvm::ArrayRef<Value*> inner) { inFrame([&] { body(inner); }); });
  };
  const Dims kept = input.rank() == reduced.size() ? Dims{} : k_.dimsOf(index);
  const auto placeOf = [&](llvm::ArrayRef<Value*> inner) {
    Dims place(input.rank(), nullptr);
    for (size_t i = 0; i < order.size(); ++i) place[static_cast<size_t>(order[i])] = inner[i];
    size_t next = 0;
    for (Value*& at : place) {
      if (at == nullptr) at = kept[next++];
    }
    return k_.indexAt(place);
  };
  // The computation may be of wider floats than the arrays: its types are those of the result.
  const auto wide = [&](const Instruction& operand, size_t parameter, Scalar x) {
    return s_.convert(operand.shape().elementType(),
                      instruction.get<Attr::ToApply>()->parameters()[parameter]->shape().elementType(), x);
  };
  const auto initial = [&](size_t i) {
    return wide(*instruction.operand(n + i), i, at(*instruction.operand(n + i), {}));
  };
  if (n == 1 && realSizes_.empty() && !order.empty() && order.back() == majorToMinor(input).back()) {
    if (const auto folded = reduceInLines(instruction, order, placeOf)) return {*folded};
  }
  if (isFloatSum(instruction)) {
    return {sumOf(
        instruction.shape().elementType(), initial(0),
        [&](const auto& term) {
          nest([&](llvm::ArrayRef<Value*> inner) {
            term(wide(*instruction.operand(0), 1, at(*instruction.operand(0), placeOf(inner))));
          });
        },
        k_)};
  }
  std::vector<KernelBuilder::Variable> results;
  for (size_t i = 0; i < n; ++i) results.push_back(k_.variable(initial(i)));
  nest([&](llvm::ArrayRef<Value*> inner) {
    std::vector<Scalar> arguments;
    for (const auto& result : results) arguments.push_back(k_.get(result));
    for (size_t i = 0; i < n; ++i)
      arguments.push_back(wide(*instruction.operand(i), n + i, at(*instruction.operand(i), placeOf(inner))));
    const auto next = apply(*instruction.get<Attr::ToApply>(), arguments);
    for (size_t i = 0; i < n; ++i) k_.set(results[i], next[i]);
  });
  std::vector<Scalar> values;
  for (const auto& result : results) values.push_back(k_.get(result));
  return values;
}

Windowed windowed(KernelBuilder& k, const WindowDimension& w, int64_t baseSize, Value* placement,
                  Value* inWindow) {
  auto& b = k.b();
  Value* dilated = b.CreateSub(b.CreateAdd(b.CreateMul(placement, k.int64(w.stride)),
                                           b.CreateMul(inWindow, k.int64(w.windowDilation))),
                               k.int64(w.paddingLow));
  if (w.baseDilation == 1) return {dilated, b.CreateICmpULT(dilated, k.int64(baseSize))};
  Value* step = k.int64(w.baseDilation);
  Value* place = b.CreateSDiv(dilated, step);
  Value* isReal = b.CreateAnd(b.CreateICmpSGE(dilated, k.int64(0)),
                              b.CreateICmpEQ(b.CreateSRem(dilated, step), k.int64(0)));
  return {place, b.CreateAnd(isReal, b.CreateICmpSLT(place, k.int64(baseSize)))};
}

std::vector<Scalar> reduceWindow(const Instruction& instruction, ElementIndex& index, ElementEmitter& e) {
  KernelBuilder& k = e.kernel();
  const size_t n = instruction.operandCount() / 2;
  const Shape input = instruction.operand(0)->shape();
  const Window& window = *instruction.get<Attr::Window>();
  const Dims placement = input.rank() == 0 ? Dims{} : k.dimsOf(index);
  std::vector<int64_t> sizes;
  for (const WindowDimension& w : window.dimensions) sizes.push_back(w.size);
  std::vector<KernelBuilder::Variable> results;
  for (size_t i = 0; i < n; ++i) results.push_back(k.variable(e.at(*instruction.operand(n + i), {})));
  e.nestInFrame(sizes, [&](llvm::ArrayRef<Value*> inner) {
    Dims variables = placement;
    variables.append(inner.begin(), inner.end());
    IndexEmitter element(k, *operandIndexing(instruction, 0), variables);
    k.branch(element.isDefined(), [&] {
      e.inFrame([&] {
        const ElementIndex place = element.place();
        std::vector<Scalar> arguments;
        for (const auto& result : results) arguments.push_back(k.get(result));
        for (size_t i = 0; i < n; ++i) arguments.push_back(e.at(*instruction.operand(i), place));
        const auto next = e.apply(*instruction.get<Attr::ToApply>(), arguments);
        for (size_t i = 0; i < n; ++i) k.set(results[i], next[i]);
      });
    });
  });
  std::vector<Scalar> values;
  for (const auto& result : results) values.push_back(k.get(result));
  return values;
}

// The array of an rng-bit-generator (not its new state). Which counter an element comes from is XLA's
// (hlo/builder/lib/prng.cc).
Scalar randomBitsElement(const Instruction& instruction, ElementIndex& index, ElementEmitter& e) {
  KernelBuilder& k = e.kernel();
  llvm::IRBuilder<>& b = e.kernel().b();
  ScalarEmitter& s = e.kernel().scalars();
  const Instruction& state = *instruction.operand(0);
  const Shape shape = randomBitsShape(instruction);
  const ElementType type = shape.elementType();
  const int bits = elementBits(type);
  const auto word = [&](int64_t i) { return e.at(state, k.indexAt({k.int64(i)})).value; };
  const Dims dims = shape.rank() == 0 ? Dims{} : k.dimsOf(index);
  const auto linear = [&](std::span<const int64_t> sizes, llvm::ArrayRef<Value*> at) {
    Value* place = k.int64(0);
    for (size_t d = 0; d < sizes.size(); ++d)
      place = b.CreateAdd(b.CreateMul(place, k.int64(sizes[d])), at[d]);
    return place;
  };
  llvm::Type* i64 = b.getInt64Ty();
  const auto take = [&](Value* words, Value* upper) {
    Value* shifted = upper == nullptr ? words : b.CreateLShr(words, b.CreateMul(upper, k.int64(32)));
    return s.fromBits(type, b.CreateTrunc(shifted, b.getIntNTy(static_cast<unsigned>(bits))));
  };
  if (instruction.get<Attr::RandomAlgorithmKind>() == RandomAlgorithm::ThreeFry) {
    std::vector<int64_t> half(shape.dimensions().begin(), shape.dimensions().end());
    Dims place = dims;
    Value* upper = nullptr;
    if (bits != 64 && !half.empty()) {
      const auto even = std::ranges::find_if(half, [](int64_t size) { return size % 2 == 0; });
      const auto split =
          static_cast<size_t>((even != half.end() ? even : std::ranges::max_element(half)) - half.begin());
      half[split] = (half[split] + 1) / 2;
      upper = b.CreateAnd(place[split], k.int64(1));
      place[split] = b.CreateLShr(place[split], 1);
    }
    Value* counter = b.CreateAdd(word(1), linear(half, place));
    return take(s.call("hilo_threefry", i64, {counter, word(0)}), upper);
  }
  // In the short form the key stands for the upper half of the counter too.
  Value* high = state.shape().dimension(0) == 3 ? word(2) : word(0);
  Value* element = linear(shape.dimensions(), dims);
  const int64_t aBlock = bits == 64 ? 2 : 4;
  Value* low = word(1);
  Value* sum = b.CreateAdd(low, b.CreateUDiv(element, k.int64(aBlock)));
  Value* carried = b.CreateAdd(high, b.CreateZExt(b.CreateICmpULT(sum, low), i64));
  Value* inBlock = b.CreateURem(element, k.int64(aBlock));
  Value* half = bits == 64 ? inBlock : b.CreateLShr(inBlock, 1);
  Value* words = s.call("hilo_philox", i64, {sum, carried, word(0), b.CreateTrunc(half, b.getInt32Ty())});
  return take(words, bits == 64 ? nullptr : b.CreateAnd(inBlock, k.int64(1)));
}

}  // namespace hilo
