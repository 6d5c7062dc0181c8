#include "core/compiler/codegen/lower/lowering_context.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/compiler/codegen/emit/kernel_compiler.h"
#include "core/compiler/codegen/lower/real_sizes.h"
#include "core/runtime/program/program_file.h"

namespace hilo {

namespace {
// Computations run from many places are lowered for each; past this a module is refused.
constexpr size_t kMostThunks = 2'000'000;
constexpr int kMostNesting = 200;
}  // namespace

size_t firstLeafOf(Shape tuple, size_t element) {
  size_t leaf = 0;
  for (size_t i = 0; i < element; ++i) leaf += arrayLeaves(tuple.tupleShapes()[i]).size();
  return leaf;
}

LeafValues readOnly(LeafValues values) {
  for (LeafValue& value : values) value.mayWrite = false;
  return values;
}

LeafValue LoweringContext::newLeaf(Shape array) {
  if (!isInHostMemory(array)) return {std::make_shared<Slab>(draft.temporaries, bufferBytes(array))};
  if (!draft.hostTemporaries) {
    auto& allocations = draft.program.allocations;
    draft.hostTemporaries.emplace(static_cast<uint32_t>(allocations.size()));
    allocations.push_back({.kind = AllocationKind::Temporary, .memorySpace = kHostMemorySpace});
  }
  return {std::make_shared<Slab>(*draft.hostTemporaries, bufferBytes(array))};
}

LeafValues LoweringContext::newLeaves(Shape shape) {
  LeafValues leaves;
  for (const Shape leaf : arrayLeaves(shape)) leaves.push_back(newLeaf(leaf));
  return leaves;
}

namespace {

void copyBetweenOrders(KernelBuilder& k, Shape from, Shape to) {
  k.loop(k.begin(), k.end(), [&](llvm::Value* i) {
    ElementIndex index{{}, i, to};
    k.dimsOf(index);
    k.store(1, to, index, k.load(0, from, k.indexAt(index.dims)));
  });
}

}  // namespace

LeafValues LoweringContext::arranged(const Instruction& why, LeafValues values, Shape from, Shape to) {
  const auto fromLeaves = arrayLeaves(from), toLeaves = arrayLeaves(to);
  CHECK(values.size() == fromLeaves.size() && values.size() == toLeaves.size(), why.name());
  for (size_t i = 0; i < values.size(); ++i) {
    const Shape a = fromLeaves[i], b = toLeaves[i];
    const bool sameOrder = sameMemoryOrder(a, b);
    if (sameOrder && isInHostMemory(a) == isInHostMemory(b)) continue;
    LeafValue moved = newLeaf(b);
    moved.sizes = values[i].sizes;
    if (sameOrder)
      copy(why, values[i], moved);
    else
      addKernelOn(why, {values[i]}, {moved}, b.elementCount(), b.elementCount(),
                  [&](KernelBuilder& k) { copyBetweenOrders(k, a, b); });
    values[i] = std::move(moved);
  }
  return values;
}

LeafValue LoweringContext::constantLeaf(const Literal& literal) {
  // In the layout's order, as every buffer is.
  const Shape shape = literal.shape();
  const auto from = literal.bytes();
  std::vector<std::byte> bytes(from.begin(), from.end());
  if (!sameMemoryOrder(shape, shape.withoutLayout())) {
    const auto to = layoutStrides(shape), strides = layoutStrides(shape.withoutLayout());
    const auto width = static_cast<size_t>(elementStorageBytes(shape.elementType()));
    for (int64_t i = 0; i < shape.elementCount(); ++i) {
      int64_t place = 0;
      for (size_t d = 0; d < shape.rank(); ++d) place += i / strides[d] % shape.dimension(d) * to[d];
      std::memcpy(bytes.data() + static_cast<size_t>(place) * width,
                  from.data() + static_cast<size_t>(i) * width, width);
    }
  }
  const auto size = static_cast<int64_t>(bytes.size());
  draft.program.allocations.push_back(
      {AllocationKind::Constant, size, static_cast<uint32_t>(draft.program.constants.size())});
  draft.program.constants.emplace_back(std::span<const std::byte>(bytes));
  return {std::make_shared<Slab>(
              BufferSlice{static_cast<uint32_t>(draft.program.allocations.size() - 1), 0, size}),
          false};
}

LeafValues LoweringContext::constantLeaves(const Literal& literal) {
  if (literal.shape().isArray()) {
    LeafValue leaf = constantLeaf(literal);
    for (const int64_t size : literal.dynamicSizes())
      leaf.sizes.push_back(constantLeaf(Literal::scalar(ElementType::S32, static_cast<int32_t>(size))).slab);
    return {std::move(leaf)};
  }
  LeafValues leaves;
  for (const Literal& element : literal.elements()) {
    const LeafValues own = constantLeaves(element);
    leaves.insert(leaves.end(), own.begin(), own.end());
  }
  return leaves;
}

LeafValues zeros(Shape shape, LoweringContext& context) {
  LeafValues leaves;
  for (const Shape leaf : arrayLeaves(shape)) leaves.push_back(context.constantLeaf(Literal(leaf)));
  return leaves;
}

size_t timesRead(const LeafValue& leaf, const Instruction& user, const LoweringContext& context) {
  size_t times = 0;
  for (const Instruction* operand : user.operands()) {
    const auto held = context.values.find(operand);
    if (held == context.values.end()) continue;
    times += static_cast<size_t>(std::ranges::count(held->second, leaf.slab, &LeafValue::slab));
  }
  return times;
}

const LeafValues& LoweringContext::valuesOf(const Instruction& instruction) const {
  const auto found = values.find(&instruction);
  CHECK(found != values.end(), instruction.name());
  return found->second;
}

bool LoweringContext::isLastUse(const LeafValue& leaf, const Instruction& user) const {
  if (!leaf.mayWrite || !leaf.slab->isWritable()) return false;
  if (draft.program.allocations[leaf.slab->slice.allocation].isOnHost()) return false;
  // Holders that end here: operands of the user whose last use this is.
  long ending = leaf.slab->permissive;
  absl::flat_hash_set<const Instruction*> seen;
  for (const Instruction* operand : user.operands()) {
    if (!seen.insert(operand).second || lastUse_.at(operand) != at_) continue;
    for (const LeafValue& held : values.at(operand)) ending += held.slab == leaf.slab ? 1 : 0;
  }
  return leaf.slab.use_count() == ending;
}

void LoweringContext::addThunk(const Instruction& instruction, ThunkBody body, int64_t costNs) {
  ++draft.thunkCount;
  draft.program.sequences[sequence].push_back(
      {std::string(instruction.name()), instruction.id().value, costNs, std::move(body)});
}

Result<uint32_t> LoweringContext::addHosted(const Module& module) {
  CHECK(draft.deviceWork.compileForHost != nullptr);
  TRY(const Program hosted, draft.deviceWork.compileForHost(module));
  draft.program.hosted.push_back({serialize(hosted)});
  return static_cast<uint32_t>(draft.program.hosted.size() - 1);
}

uint32_t LoweringContext::addSequence() {
  draft.program.sequences.emplace_back();
  return static_cast<uint32_t>(draft.program.sequences.size() - 1);
}

void LoweringContext::copy(const Instruction& why, const LeafValue& from, const LeafValue& to) {
  if (from.slab->slice.sizeBytes == 0) return;
  addThunk(why, CopyThunk{ReadSlice(from.slab->slice), WriteSlice(to.slab->slice)},
           100 + from.slab->slice.sizeBytes / 8);
}

void LoweringContext::release(const Instruction& instruction) {
  for (const Instruction* operand : instruction.operands()) {
    if (lastUse_.at(operand) == at_) values.erase(operand);
  }
  // What nobody uses goes at once.
  if (lastUse_.at(&instruction) == at_) values.erase(&instruction);
}

Result<LeafValues> LoweringContext::lowerComputation() {
  if (++draft.depth > kMostNesting) return fail("too-large", "computations are nested too deeply to compile");
  size_t at = 0;
  for (const Instruction* instruction : computation.instructions()) {
    for (const Instruction* operand : instruction->operands()) lastUse_[operand] = at;
    lastUse_[instruction] = at++;
  }
  lastUse_[computation.root()] = at;
  for (const Instruction* instruction : computation.instructions()) {
    TRY_STATUS(lowerInstruction(*instruction));
    release(*instruction);
    ++at_;
    if (draft.thunkCount > kMostThunks)
      return fail("too-large", fmt::format("the module would take more than {} thunks", kMostThunks));
  }
  --draft.depth;
  return valuesOf(*computation.root());
}

Status LoweringContext::lowerInstruction(const Instruction& instruction) {
  TRY_STATUS(checkDynamicOperands(instruction, *this));
  TRY(const auto options, llvmKernelOptions(instruction));
  const LlvmKernelOptions outside = std::exchange(draft.kernelOptions, options.value_or(draft.kernelOptions));
  const Status lowered = loweringOf(instruction.opcode(), draft.engine)->lower(instruction, *this);
  draft.kernelOptions = outside;
  return lowered;
}

void LoweringContext::startKernel(const Instruction& instruction, KernelBuilder& kernel) const {
  kernel.setOptions(draft.kernelOptions);
  kernel.setBf16Rounding(draft.bf16Rounding);
  kernel.setFastMath(draft.fastMath);
  if (draft.keepsLines) kernel.keepLines(instruction.id().value);
}

uint32_t LoweringContext::addKernel(std::string_view name, KernelBuilder& kernel, size_t buffers) {
  const auto module = kernel.finish(static_cast<int>(buffers));
  draft.kernelSources.push_back(bitcodeOf(*module));
  draft.program.kernels.push_back({std::string(name), KernelBuilder::kSymbol, 0});
  return static_cast<uint32_t>(draft.program.kernels.size() - 1);
}

void LoweringContext::addKernelThunk(const Instruction& instruction, KernelBuilder& kernel,
                                     std::vector<ReadSlice> reads, const LeafValues& writes,
                                     int64_t iterations, int64_t costNs) {
  constexpr int64_t kPieceNs = 5'000;
  KernelThunk thunk;
  thunk.iterations = iterations;
  thunk.grain =
      std::clamp<int64_t>(costNs == 0 ? iterations : kPieceNs * iterations / std::max<int64_t>(1, costNs), 1,
                          std::max<int64_t>(1, iterations));
  thunk.kernel = addKernel(instruction.name(), kernel, reads.size() + writes.size());
  thunk.arguments = std::move(reads);
  for (const LeafValue& result : writes) thunk.results.emplace_back(result.slab->slice);
  addThunk(instruction, std::move(thunk), costNs);
}

void LoweringContext::addKernelOn(const Instruction& instruction, const LeafValues& reads,
                                  const LeafValues& writes, int64_t iterations, int64_t costNs,
                                  const std::function<void(KernelBuilder&)>& write) {
  llvm::LLVMContext context;
  KernelBuilder kernel(context, draft.target);
  startKernel(instruction, kernel);
  write(kernel);
  std::vector<ReadSlice> slices;
  for (const LeafValue& read : reads) slices.emplace_back(read.slab->slice);
  addKernelThunk(instruction, kernel, std::move(slices), writes, iterations, costNs);
}

}  // namespace hilo
