// Instructions that are more than one kernel, or none: products, sorts, random bits.
#include "core/base/check.h"
#include "core/compiler/codegen/kernel_draft.h"

namespace hilo {

using llvm::Value;

namespace {

// Several dimensions as one: their element count, and the one stride that walks over them in row-major order.
struct Merged {
  int64_t size = 1, stride = 0;
};
std::optional<Merged> merge(Shape shape, std::span<const int64_t> dims) {
  const auto strides = layoutStrides(shape);
  Merged merged;
  for (size_t i = dims.size(); i-- > 0;) {
    const auto d = static_cast<size_t>(dims[i]);
    const int64_t size = shape.dimension(d);
    if (size == 1) continue;
    if (merged.size == 1) {
      merged.stride = strides[d];
    } else if (strides[d] != merged.stride * merged.size) {
      return std::nullopt;
    }
    merged.size *= size;
  }
  return merged;
}

std::vector<int64_t> rest(size_t rank, std::span<const int64_t> a, std::span<const int64_t> b) {
  std::vector<int64_t> left;
  for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d) {
    if (std::ranges::find(a, d) == a.end() && std::ranges::find(b, d) == b.end()) left.push_back(d);
  }
  return left;
}

std::vector<int64_t> countUp(size_t first, size_t count) {
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < count; ++i) numbers.push_back(static_cast<int64_t>(first + i));
  return numbers;
}

}  // namespace

// f32 products past a size, in layouts where batch, rows, columns and the sum are one stride each.
bool Lowering::lowerLibraryDot(const Instruction& instruction, Scope& scope) {
  constexpr int64_t kLeastWork = 32 * 32 * 32;
  const Instruction &lhs = *instruction.operand(0), &rhs = *instruction.operand(1);
  const Shape shape = instruction.shape();
  for (const Shape side : {lhs.shape(), rhs.shape(), shape}) {
    if (side.elementType() != ElementType::F32) return false;
  }
  const auto lhsBatch = instruction.get<Attr::LhsBatchDims>(),
             rhsBatch = instruction.get<Attr::RhsBatchDims>();
  const auto lhsSum = instruction.get<Attr::LhsContractingDims>(),
             rhsSum = instruction.get<Attr::RhsContractingDims>();
  const auto lhsFree = rest(lhs.shape().rank(), lhsBatch, lhsSum),
             rhsFree = rest(rhs.shape().rank(), rhsBatch, rhsSum);
  const auto lb = merge(lhs.shape(), lhsBatch), lm = merge(lhs.shape(), lhsFree),
             lk = merge(lhs.shape(), lhsSum);
  const auto rb = merge(rhs.shape(), rhsBatch), rk = merge(rhs.shape(), rhsSum),
             rn = merge(rhs.shape(), rhsFree);
  const auto ob = merge(shape, countUp(0, lhsBatch.size())),
             om = merge(shape, countUp(lhsBatch.size(), lhsFree.size())),
             on = merge(shape, countUp(lhsBatch.size() + lhsFree.size(), rhsFree.size()));
  if (!lb || !lm || !lk || !rb || !rk || !rn || !ob || !om || !on) return false;
  if (static_cast<double>(lb->size) * static_cast<double>(lm->size) * static_cast<double>(rn->size) *
          static_cast<double>(lk->size) <
      kLeastWork)
    return false;
  // oneDNN is quick where one of the two dimensions of a matrix is dense.
  const auto isDense = [](const Merged& a, const Merged& b) { return a.stride <= 1 || b.stride <= 1; };
  if (!isDense(*lm, *lk) || !isDense(*rk, *rn) || on->stride > 1) return false;
  const LeafValue result = newLeaf(shape);
  DotThunk thunk{ElementType::F32,
                 lb->size,
                 lm->size,
                 rn->size,
                 lk->size,
                 {lb->stride, lm->stride, lk->stride},
                 {rb->stride, rk->stride, rn->stride},
                 {ob->stride, om->stride, on->stride},
                 ReadSlice(leafOf(lhs, scope).slab->slice),
                 ReadSlice(leafOf(rhs, scope).slab->slice),
                 WriteSlice(result.slab->slice)};
  const double flops = 2.0 * static_cast<double>(thunk.batch) * static_cast<double>(thunk.m) *
                       static_cast<double>(thunk.n) * static_cast<double>(thunk.k);
  addThunk(instruction, std::move(thunk), static_cast<int64_t>(std::min(1e15, flops / 50)), scope.sequence);
  scope.values[&instruction] = {result};
  return true;
}

Status Lowering::lowerSort(const Instruction& instruction, Scope& scope) {
  const Shape shape = instruction.operand(0)->shape();
  const auto along = static_cast<size_t>(instruction.dimensions()[0]);
  const Computation& comparator = *instruction.get<Attr::ToApply>();
  const LeafValues results = newLeaves(instruction.shape());
  SortThunk thunk;
  thunk.length = shape.dimension(along);
  thunk.lines = thunk.length == 0 ? 0 : shape.elementCount() / thunk.length;
  thunk.stride = std::max<int64_t>(1, layoutStrides(shape)[along]);
  llvm::LLVMContext context;
  KernelBuilder kernel(context);
  ElementEmitter elements(kernel);
  std::vector<Scalar> arguments;
  for (size_t i = 0; i < comparator.parameters().size(); ++i)
    arguments.push_back(kernel.load(static_cast<int>(1 + i), comparator.parameters()[i]->shape(), {}));
  kernel.store(0, comparator.root()->shape(), {}, elements.apply(comparator, arguments)[0]);
  thunk.comparator = addKernel(instruction.name(), kernel);
  for (size_t i = 0; i < instruction.operandCount(); ++i) {
    thunk.elementBytes.push_back(elementStorageBytes(instruction.operand(i)->shape().elementType()));
    thunk.inputs.emplace_back(leafOf(*instruction.operand(i), scope).slab->slice);
    thunk.outputs.emplace_back(results[i].slab->slice);
  }
  if (shape.elementCount() > 0)
    addThunk(instruction, std::move(thunk), 50 * shape.elementCount(), scope.sequence);
  scope.values[&instruction] = results;
  return {};
}

namespace {

// Counters one use of the generator takes (element_reductions.cpp says which element takes which).
int64_t countersTaken(const Instruction& instruction) {
  const Shape shape = instruction.shape().tupleShapes()[1];
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

}  // namespace

Status Lowering::lowerRandomBits(const Instruction& instruction, Scope& scope) {
  const Shape state = instruction.shape().tupleShapes()[0], shape = instruction.shape().tupleShapes()[1];
  const LeafValues results = newLeaves(instruction.shape());
  const Instruction& operand = *instruction.operand(0);
  {
    KernelDraft draft(*this, instruction, scope, {results[0]});
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
    KernelDraft draft(*this, instruction, scope, {results[1]});
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
  scope.values[&instruction] = results;
  return {};
}

}  // namespace hilo
