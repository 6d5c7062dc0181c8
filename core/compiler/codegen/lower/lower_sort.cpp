// Sorts: where the comparator orders by keys a kernel that works them out for every element, and a thunk that
// sorts by them; elsewhere a kernel that compares two elements, which the thunk asks.
#include "core/analysis/partial_sort.h"
#include "core/compiler/codegen/emit/element_emitter.h"
#include "core/compiler/codegen/lower/lowerings.h"
#include "core/compiler/codegen/lower/partial_sort_lowering.h"
#include "core/compiler/codegen/lower/sort_keys.h"

namespace hilo {

using llvm::Value;

namespace {

// Numbers of any width above each other, the first uppermost.
struct Word {
  Value* bits = nullptr;
  Value* unordered = nullptr;  // i1, where something in it is in no order

  void append(llvm::IRBuilder<>& b, Value* low, Value* isUnordered) {
    if (bits != nullptr) {
      const unsigned lowBits = low->getType()->getIntegerBitWidth();
      llvm::Type* both = b.getIntNTy(bits->getType()->getIntegerBitWidth() + lowBits);
      low = b.CreateOr(b.CreateShl(b.CreateZExt(bits, both), lowBits), b.CreateZExt(low, both));
    }
    bits = low;
    if (isUnordered != nullptr)
      unordered = unordered == nullptr ? isUnordered : b.CreateOr(unordered, isUnordered);
  }
};

// The key as a number that is smaller the earlier it comes. Floats that are not in total order: zeros are one
// number, and NaN none.
void appendKey(KernelBuilder& kernel, const SortKey& key, Scalar x, Word& word) {
  auto& b = kernel.b();
  Value* isUnordered = nullptr;
  if (!key.totalOrder) {
    isUnordered = b.CreateFCmpUNO(x.value, x.value);
    Value* zero = llvm::ConstantFP::get(x.value->getType(), 0.0);
    x.value = b.CreateSelect(b.CreateFCmpOEQ(x.value, zero), zero, x.value);
  }
  Value* bits = kernel.scalars().orderedBits(key.type, x);
  word.append(b, key.descending ? b.CreateNot(bits) : bits, isUnordered);
}

// Keys as many to a number of 64 bits as fit it: how many each takes.
std::vector<size_t> keysPerWord(std::span<const SortKey> keys) {
  std::vector<size_t> counts;
  int bits = 64;
  for (const SortKey& key : keys) {
    bits += orderedBitCount(key.type);
    if (bits > 64) {
      counts.push_back(0);
      bits = orderedBitCount(key.type);
    }
    ++counts.back();
  }
  return counts;
}

Shape keptOf(Shape shape, size_t along, int64_t kept) {
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes[along] = kept;
  return Shape::array(shape.elementType(), sizes, shape.layout());
}

// Of operand i, in the memory order of the first.
Shape keptOfSort(const Instruction& sort, size_t i, int64_t kept) {
  const Shape shape = sort.operand(0)->shape().withElementType(sort.operand(i)->shape().elementType());
  return keptOf(shape, static_cast<size_t>(sort.dimensions()[0]), kept);
}

ElementType wordType(std::span<const SortKey> keys) {
  int bits = 0;
  for (const SortKey& key : keys) bits += orderedBitCount(key.type);
  return bits <= 8    ? ElementType::U8
         : bits <= 16 ? ElementType::U16
         : bits <= 32 ? ElementType::U32
                      : ElementType::U64;
}

// Arrays of the same dimensions and order, sorted together along one.
struct SortedArrays {
  Shape shape;  // but for its element type
  size_t along;
  std::vector<ElementType> types;
  LeafValues inputs;
};
// What the keys are of one element of each array.
using KeyValues = std::function<std::vector<Scalar>(ElementEmitter&, std::span<const Scalar>)>;

// Arrays of words of keys, one after the other, from one kernel over all elements.
LeafValues addSortKeys(const Instruction& instruction, const SortedArrays& arrays,
                       std::span<const SortKey> keys, const KeyValues& valuesOf, LoweringContext& context) {
  const std::vector<size_t> counts = keysPerWord(keys);
  LeafValues words;
  std::vector<Shape> shapes;
  size_t first = 0;
  for (const size_t count : counts) {
    shapes.push_back(arrays.shape.withElementType(wordType(keys.subspan(first, count))));
    words.push_back(context.newLeaf(shapes.back()));
    first += count;
  }
  const int64_t elements = arrays.shape.elementCount();
  context.addKernelOn(instruction, arrays.inputs, words, elements, elements, [&](KernelBuilder& kernel) {
    ElementEmitter emitter(kernel);
    kernel.loop(kernel.begin(), kernel.end(), [&](Value* i) {
      const ElementIndex index{{}, i, arrays.shape};
      std::vector<Scalar> element;
      for (size_t a = 0; a < arrays.types.size(); ++a)
        element.push_back(
            kernel.load(static_cast<int>(a), arrays.shape.withElementType(arrays.types[a]), index));
      const std::vector<Scalar> values = valuesOf(emitter, element);
      for (size_t w = 0, next = 0; w < counts.size(); ++w) {
        Word word;
        for (size_t n = 0; n < counts[w]; ++n, ++next) appendKey(kernel, keys[next], values[next], word);
        llvm::Type* stored = kernel.scalars().storageType(shapes[w].elementType());
        Value* bits = kernel.b().CreateZExt(word.bits, stored);
        if (word.unordered != nullptr)
          bits = kernel.b().CreateSelect(word.unordered, llvm::ConstantInt::getAllOnesValue(stored), bits);
        kernel.store(static_cast<int>(arrays.inputs.size() + w), shapes[w], index, {bits});
      }
    });
  });
  return words;
}

// `thunk` has its comparator, `kept` and what it writes; the rest is filled in.
void addSort(const Instruction& instruction, const SortedArrays& arrays, SortThunk thunk,
             std::span<const SortKey> keys, const KeyValues& valuesOf, LoweringContext& context) {
  const auto words = keys.empty() ? LeafValues() : addSortKeys(instruction, arrays, keys, valuesOf, context);
  const int64_t elements = arrays.shape.elementCount();
  thunk.length = arrays.shape.dimension(arrays.along);
  thunk.lines = elements / thunk.length;
  thunk.stride = layoutStrides(arrays.shape)[arrays.along];
  thunk.onesAreUnordered = std::ranges::any_of(keys, [](const SortKey& key) { return !key.totalOrder; });
  for (const LeafValue& word : words) {
    thunk.keys.emplace_back(word.slab->slice);
    thunk.keyBytes.push_back(word.slab->slice.sizeBytes / elements);
  }
  for (size_t i = 0; i < arrays.types.size(); ++i) {
    thunk.elementBytes.push_back(elementStorageBytes(arrays.types[i]));
    thunk.inputs.emplace_back(arrays.inputs[i].slab->slice);
  }
  const int64_t costNs = (keys.empty() ? 50 : 10) * elements;
  context.addThunk(instruction, std::move(thunk), costNs);
}

uint32_t addComparator(const Instruction& sort, LoweringContext& context) {
  const Computation& comparator = *sort.get<Attr::ToApply>();
  llvm::LLVMContext llvm;
  KernelBuilder kernel(llvm, context.draft.target);
  context.startKernel(sort, kernel);
  ElementEmitter elements(kernel);
  std::vector<Scalar> arguments;
  for (size_t i = 0; i < comparator.parameters().size(); ++i)
    arguments.push_back(kernel.load(static_cast<int>(1 + i), comparator.parameters()[i]->shape(), {}));
  kernel.store(0, comparator.root()->shape(), {}, elements.apply(comparator, arguments)[0]);
  return context.addKernel(sort.name(), kernel, 1 + comparator.parameters().size());
}

// Of operands given in their own shapes: the first `kept` of each line of each, in the order of
// the first operand.
LeafValues sortedLeaves(const Instruction& sort, const LeafValues& operands, int64_t kept,
                        LoweringContext& context) {
  // All arrays in the memory order of the first.
  const Shape shape = sort.operand(0)->shape();
  SortedArrays arrays{shape, static_cast<size_t>(sort.dimensions()[0]), {}, {}};
  LeafValues sorted;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Shape given = sort.operand(i)->shape(), own = shape.withElementType(given.elementType());
    arrays.types.push_back(own.elementType());
    arrays.inputs.push_back(context.arranged(sort, {operands[i]}, given, own)[0]);
    sorted.push_back(context.newLeaf(keptOfSort(sort, i, kept)));
  }
  if (shape.elementCount() == 0) return sorted;
  const Computation& comparator = *sort.get<Attr::ToApply>();
  const std::vector<SortKey> keys = sortKeysOf(comparator);
  SortThunk thunk;
  thunk.kept = kept;
  for (const LeafValue& leaf : sorted) thunk.outputs.emplace_back(leaf.slab->slice);
  if (keys.empty() || std::ranges::any_of(keys, [](const SortKey& key) { return !key.totalOrder; }))
    thunk.comparator = {addComparator(sort, context)};
  const auto valuesOf = [&](ElementEmitter& emitter, std::span<const Scalar> element) {
    std::vector<Scalar> arguments;
    for (const Scalar& x : element) arguments.insert(arguments.end(), 2, x);
    std::vector<const Instruction*> values;
    for (const SortKey& key : keys) values.push_back(key.value);
    return emitter.apply(comparator, arguments, values);
  };
  addSort(sort, arrays, std::move(thunk), keys, valuesOf, context);
  return sorted;
}

}  // namespace

Status lowerSort(const Instruction& instruction, LoweringContext& context) {
  const Shape shape = instruction.operand(0)->shape();
  const int64_t length = shape.dimension(static_cast<size_t>(instruction.dimensions()[0]));
  LeafValues operands, results;
  for (const Instruction* operand : instruction.operands()) operands.push_back(context.leafOf(*operand));
  const LeafValues sorted = sortedLeaves(instruction, operands, length, context);
  const auto resultShapes = arrayLeaves(instruction.shape());
  for (size_t i = 0; i < sorted.size(); ++i) {
    results.push_back(
        context.arranged(instruction, {sorted[i]}, keptOfSort(instruction, i, length), resultShapes[i])[0]);
  }
  context.values[&instruction] = std::move(results);
  return {};
}

Result<bool> lowerPartialSort(const Instruction& fusion, LoweringContext& context) {
  const auto part = fusion.get<Attr::FusionKindKind>() == FusionKind::Custom
                        ? partialSortOf(*fusion.calledComputations()[0])
                        : std::nullopt;
  if (!part) return false;
  LeafValues operands, results;
  for (const Instruction* operand : part->sort->operands())
    operands.push_back(context.leafOf(*fusion.operand(static_cast<size_t>(operand->parameterNumber()))));
  const LeafValues sorted = sortedLeaves(*part->sort, operands, part->kept, context);
  for (const auto& [slice, array] : part->slices) {
    results.push_back(context.arranged(fusion, {sorted[array]}, keptOfSort(*part->sort, array, part->kept),
                                       slice->shape())[0]);
  }
  context.values[&fusion] = std::move(results);
  return true;
}

// The first k of each line; floats are in total order, so that NaN has a place.
Status lowerTopK(const Instruction& instruction, LoweringContext& context) {
  const int64_t k = *instruction.get<Attr::K>();
  const bool largest = instruction.get<Attr::Largest>().value_or(true);
  const Instruction& operand = *instruction.operand(0);
  const Shape shape = operand.shape();
  const size_t last = shape.rank() - 1;
  const Shape kept = keptOf(shape, last, k);
  const Shape keptShapes[] = {kept, kept.withElementType(ElementType::S32)};
  const LeafValues best = {context.newLeaf(keptShapes[0]), context.newLeaf(keptShapes[1])};
  if (kept.elementCount() > 0) {
    const SortKey key{nullptr, shape.elementType(), largest};
    SortThunk thunk;
    thunk.kept = k;
    thunk.outputs = {WriteSlice(best[0].slab->slice)};
    thunk.places = {WriteSlice(best[1].slab->slice)};
    const auto element = [](ElementEmitter&, std::span<const Scalar> x) { return std::vector{x[0]}; };
    addSort(instruction, {shape, last, {shape.elementType()}, {context.leafOf(operand)}}, std::move(thunk),
            {&key, 1}, element, context);
  }
  const auto resultShapes = arrayLeaves(instruction.shape());
  LeafValues results;
  for (size_t i = 0; i < best.size(); ++i)
    results.push_back(context.arranged(instruction, {best[i]}, keptShapes[i], resultShapes[i])[0]);
  context.values[&instruction] = std::move(results);
  return {};
}

}  // namespace hilo
