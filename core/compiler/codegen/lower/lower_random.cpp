// Random numbers: the bits of a generator whose state is a value, and numbers of a distribution from the
// state that the run keeps. That state is 128 bits, starts at the evaluator's, and is memory of its own, so
// that what takes from it keeps its order.
#include <fmt/format.h>

#include "core/compiler/codegen/lower/kernel_draft.h"
#include "core/compiler/codegen/lower/lowerings.h"
#include "core/compiler/codegen/lower/random_state.h"
#include "core/hlo/ir/random_bits.h"

namespace hilo {

using llvm::Value;

namespace {

// Counters one use of the generator takes (element_reductions.cpp says which element takes which).
int64_t countersTaken(const Instruction& instruction) {
  const Shape shape = randomBitsShape(instruction);
  const int bits = elementBits(shape.elementType());
  if (instruction.get<Attr::RandomAlgorithmKind>() != RandomAlgorithm::ThreeFry) {
    const int64_t aBlock = bits == 64 ? 2 : 4;
    return (shape.elementCount() + aBlock - 1) / aBlock;
  }
  if (bits == 64 || shape.rank() == 0) return shape.elementCount();
  const auto sizes = shape.dimensions();
  const auto even = std::ranges::find_if(sizes, [](int64_t size) { return size % 2 == 0; });
  const int64_t split = even != sizes.end() ? *even : *std::ranges::max_element(sizes);
  return split == 0 ? 0 : shape.elementCount() / split * ((split + 1) / 2);
}

bool usesRandomState(const Module& module) {
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (instruction->opcode() == Opcode::Rng || instruction->opcode() == Opcode::RngGetAndUpdateState)
        return true;
    }
  }
  return false;
}

}  // namespace

void addRandomState(ProgramDraft& draft) {
  if (!usesRandomState(draft.module)) return;
  // Memory of its own, that nothing else is given on the way.
  const auto allocation = static_cast<uint32_t>(draft.program.allocations.size());
  draft.program.allocations.push_back({AllocationKind::Temporary, 16, 0});
  draft.randomState = LeafValue{std::make_shared<Slab>(BufferSlice{allocation, 0, 16}), false};
}

// As an evaluator with seed 0 does.
void startRandomState(LoweringContext& entry) {
  if (!entry.draft.randomState) return;
  Literal start(Shape::array(ElementType::U64, {2}));
  start.mutableData<uint64_t>()[0] = 0x7012395;
  entry.copy(*entry.computation.root(), entry.constantLeaf(start), *entry.draft.randomState);
}

std::optional<Diagnostic> randomBitsObstacle(const Instruction& instruction, const HasHandler&) {
  if (!randomBitsShape(instruction).isArray())
    return obstacle(instruction, "unsupported-opcode", "rng-bit-generator that gives no array");
  const ElementType type = randomBitsShape(instruction).elementType();
  if (!isComplex(type) && type != ElementType::Pred) return std::nullopt;
  return obstacle(instruction, "unsupported-type", fmt::format("random {}", elementTypeName(type)));
}

Status lowerRandomBits(const Instruction& instruction, LoweringContext& context) {
  const Instruction& operand = *instruction.operand(0);
  const Shape state = operand.shape(), shape = randomBitsShape(instruction);
  const LeafValues results = context.newLeaves(instruction.shape());
  if (instruction.shape().isTuple()) {
    KernelDraft draft(context, instruction, {results[0]});
    KernelBuilder& k = draft.builder();
    auto& b = k.b();
    std::vector<Value*> words;
    for (int64_t i = 0; i < state.dimension(0); ++i)
      words.push_back(draft.elements().at(operand, k.indexAt({k.int64(i)})).value);
    Value* low = b.CreateAdd(words[1], k.int64(countersTaken(instruction)));
    if (words.size() == 3)
      words[2] = b.CreateAdd(words[2], b.CreateZExt(b.CreateICmpULT(low, words[1]), b.getInt64Ty()));
    words[1] = low;
    for (size_t i = 0; i < words.size(); ++i)
      k.store(draft.resultBuffer(0), state, k.indexAt({k.int64(static_cast<int64_t>(i))}), {words[i]});
    TRY_STATUS(draft.finish(1, 100));
  }
  if (shape.elementCount() > 0) {
    KernelDraft draft(context, instruction, {results.back()});
    KernelBuilder& k = draft.builder();
    const auto body = [&](ElementIndex index) {
      k.store(draft.resultBuffer(0), shape, index, draft.elements().allAt(instruction, index)[0]);
    };
    if (shape.rank() == 0) {
      body({});
    } else {
      k.loop(k.begin(), k.end(), [&](Value* i) { body({{}, i, shape}); });
    }
    TRY_STATUS(draft.finish(shape.elementCount(), 100 + 4 * shape.elementCount()));
  }
  context.values[&instruction] = results;
  return {};
}

// `before` becomes the state before `delta` was added to it.
static void takeRandomState(const Instruction& instruction, int64_t delta, const LeafValue& before,
                            LoweringContext& context) {
  const Shape shape = Shape::array(ElementType::U64, {2});
  context.addKernelOn(instruction, {}, {before, *context.draft.randomState}, 1, 100, [&](KernelBuilder& k) {
    auto& b = k.b();
    const ElementIndex first = k.indexAt({k.int64(0)}), second = k.indexAt({k.int64(1)});
    const Scalar low = k.load(1, shape, first), high = k.load(1, shape, second);
    k.store(0, shape, first, low);
    k.store(0, shape, second, high);
    Value* sum = b.CreateAdd(low.value, k.int64(delta));
    Value* carry = b.CreateZExt(b.CreateICmpULT(sum, low.value), b.getInt64Ty());
    k.store(1, shape, first, {sum});
    k.store(1, shape, second, {b.CreateAdd(b.CreateAdd(high.value, carry), k.int64(delta < 0 ? -1 : 0))});
  });
}

namespace {

// 64 random bits as a number of the distribution, the evaluator's way (eval/random.cpp).
Scalar numberFrom(KernelBuilder& k, const Instruction& instruction, Scalar low, Scalar high, Value* word) {
  auto& b = k.b();
  auto& s = k.scalars();
  const ElementType type = instruction.shape().elementType();
  const auto number = [&](double value) { return llvm::ConstantFP::get(b.getDoubleTy(), value); };
  const auto asDouble = [&](Value* bits) { return b.CreateUIToFP(bits, b.getDoubleTy()); };
  if (!isFloat(type)) {
    Value* from = s.convert(type, ElementType::S64, low).value;
    Value* range = b.CreateSub(s.convert(type, ElementType::S64, high).value, from);
    range = b.CreateSelect(b.CreateICmpEQ(range, k.int64(0)), k.int64(1), range);
    return s.convert(ElementType::S64, type, {b.CreateAdd(from, b.CreateURem(word, range))});
  }
  Value *a = s.convert(type, ElementType::F64, low).value, *z = s.convert(type, ElementType::F64, high).value;
  if (instruction.get<Attr::Distribution>() == RandomDistribution::Normal) {
    Value* radius =
        b.CreateFMul(b.CreateFAdd(asDouble(b.CreateLShr(word, 32)), number(0.5)), number(0x1p-32));
    Value* logarithm = s.unary(Opcode::Log, ElementType::F64, {radius}).value;
    Value* turn =
        b.CreateFMul(asDouble(b.CreateAnd(word, 0xffffffff)), number(0x1.921fb54442d18p+2 * 0x1p-32));
    Value* normal =
        b.CreateFMul(s.unary(Opcode::Sqrt, ElementType::F64, {b.CreateFMul(number(-2), logarithm)}).value,
                     s.unary(Opcode::Cosine, ElementType::F64, {turn}).value);
    return s.convert(ElementType::F64, type, {b.CreateFAdd(a, b.CreateFMul(z, normal))});
  }
  Value* fraction = type == ElementType::F64
                        ? b.CreateFMul(asDouble(b.CreateLShr(word, 11)), number(0x1p-53))
                        : b.CreateFMul(asDouble(b.CreateLShr(word, 40)), number(0x1p-24));
  Value* value = b.CreateFAdd(a, b.CreateFMul(b.CreateFSub(z, a), fraction));
  const Scalar rounded = s.convert(ElementType::F64, type, {value});
  Value* isBelow = b.CreateFCmpOLT(s.convert(type, ElementType::F64, rounded).value, z);
  return s.select(isBelow, {rounded.value}, {low.value});
}

}  // namespace

Status lowerRandomState(const Instruction& instruction, LoweringContext& context) {
  const LeafValue before = context.newLeaf(instruction.shape());
  takeRandomState(instruction, instruction.get<Attr::Delta>().value_or(0), before, context);
  context.values[&instruction] = {before};
  return {};
}

Status lowerRng(const Instruction& instruction, LoweringContext& context) {
  const Shape shape = instruction.shape();
  const LeafValue state = context.newLeaf(Shape::array(ElementType::U64, {2})),
                  result = context.newLeaf(shape);
  takeRandomState(instruction, (shape.elementCount() + 1) / 2, state, context);
  if (shape.elementCount() > 0) {
    KernelDraft draft(context, instruction, {result}, {state});
    KernelBuilder& k = draft.builder();
    auto& b = k.b();
    const Shape words = Shape::array(ElementType::U64, {2}), rowMajor = shape.withoutLayout();
    Value* low = k.load(0, words, k.indexAt({k.int64(0)})).value;
    Value* high = k.load(0, words, k.indexAt({k.int64(1)})).value;
    const Scalar from = draft.elements().at(*instruction.operand(0), {}),
                 to = draft.elements().at(*instruction.operand(1), {});
    k.loop(k.begin(), k.end(), [&](Value* i) {
      Value* counter = b.CreateAdd(low, b.CreateLShr(i, 1));
      Value* carried = b.CreateAdd(high, b.CreateZExt(b.CreateICmpULT(counter, low), b.getInt64Ty()));
      Value* half = b.CreateTrunc(b.CreateAnd(i, 1), b.getInt32Ty());
      Value* word = k.scalars().call("hilo_philox", b.getInt64Ty(), {counter, carried, k.int64(0), half});
      ElementIndex index{{}, i, rowMajor};
      if (shape.rank() > 0)
        index = k.indexAt(k.dimsOf(index));
      else
        index = {};
      k.store(draft.resultBuffer(0), shape, index, numberFrom(k, instruction, from, to, word));
    });
    TRY_STATUS(draft.finish(shape.elementCount(), 100 + 20 * shape.elementCount()));
  }
  context.values[&instruction] = {result};
  return {};
}

}  // namespace hilo
