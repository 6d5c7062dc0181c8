#include "core/compiler/codegen/lower/compile_module.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/base/stopwatch.h"
#include "core/compiler/codegen/lower/lowering.h"
#include "core/hlo/ir/host_feed.h"
#include "core/hlo/ir/result_names.h"

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

LeafValue Lowering::newLeaf(Shape array) {
  return {std::make_shared<Slab>(temporaries_, bufferBytes(array))};
}

LeafValues Lowering::newLeaves(Shape shape) {
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

LeafValues Lowering::arranged(const Instruction& why, LeafValues values, Shape from, Shape to,
                              uint32_t sequence) {
  const auto fromLeaves = arrayLeaves(from), toLeaves = arrayLeaves(to);
  CHECK(values.size() == fromLeaves.size() && values.size() == toLeaves.size(), why.name());
  for (size_t i = 0; i < values.size(); ++i) {
    const Shape a = fromLeaves[i], b = toLeaves[i];
    if (sameMemoryOrder(a, b)) continue;
    LeafValue moved = newLeaf(b);
    moved.sizes = values[i].sizes;
    addKernelOn(why, {values[i]}, {moved}, b.elementCount(), b.elementCount(), sequence,
                [&](KernelBuilder& k) { copyBetweenOrders(k, a, b); });
    values[i] = std::move(moved);
  }
  return values;
}

LeafValue Lowering::constantLeaf(const Literal& literal) {
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
  program.allocations.push_back(
      {AllocationKind::Constant, size, static_cast<uint32_t>(program.constants.size())});
  program.constants.emplace_back(std::span<const std::byte>(bytes));
  return {std::make_shared<Slab>(BufferSlice{static_cast<uint32_t>(program.allocations.size() - 1), 0, size}),
          false};
}

LeafValues Lowering::constantLeaves(const Literal& literal) {
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

const LeafValues& Lowering::valuesOf(const Instruction& instruction, Scope& scope) {
  const auto found = scope.values.find(&instruction);
  CHECK(found != scope.values.end(), instruction.name());
  return found->second;
}

bool Lowering::isLastUse(const LeafValue& leaf, const Instruction& user, Scope& scope) const {
  if (!leaf.mayWrite || !leaf.slab->isWritable()) return false;
  // Holders that end here: operands of the user whose last use this is.
  long ending = leaf.slab->permissive;
  absl::flat_hash_set<const Instruction*> seen;
  for (const Instruction* operand : user.operands()) {
    if (!seen.insert(operand).second || scope.lastUse.at(operand) != scope.at) continue;
    for (const LeafValue& held : scope.values.at(operand)) ending += held.slab == leaf.slab ? 1 : 0;
  }
  return leaf.slab.use_count() == ending;
}

void Lowering::addThunk(const Instruction& instruction, ThunkBody body, int64_t costNs, uint32_t sequence) {
  ++thunkCount_;
  program.sequences[sequence].push_back(
      {std::string(instruction.name()), instruction.id().value, costNs, std::move(body)});
}

uint32_t Lowering::addSequence() {
  program.sequences.emplace_back();
  return static_cast<uint32_t>(program.sequences.size() - 1);
}

void Lowering::copy(const Instruction& why, const LeafValue& from, const LeafValue& to, uint32_t sequence) {
  if (from.slab->slice.sizeBytes == 0) return;
  addThunk(why, CopyThunk{ReadSlice(from.slab->slice), WriteSlice(to.slab->slice)},
           100 + from.slab->slice.sizeBytes / 8, sequence);
}

void Lowering::release(const Instruction& instruction, Scope& scope) {
  for (const Instruction* operand : instruction.operands()) {
    if (scope.lastUse.at(operand) == scope.at) scope.values.erase(operand);
  }
  // What nobody uses goes at once.
  if (scope.lastUse.at(&instruction) == scope.at) scope.values.erase(&instruction);
}

Result<LeafValues> Lowering::lowerComputation(Scope& scope) {
  if (++depth_ > kMostNesting) return fail("too-large", "computations are nested too deeply to compile");
  size_t at = 0;
  for (const Instruction* instruction : scope.computation.instructions()) {
    for (const Instruction* operand : instruction->operands()) scope.lastUse[operand] = at;
    scope.lastUse[instruction] = at++;
  }
  scope.lastUse[scope.computation.root()] = at;
  for (const Instruction* instruction : scope.computation.instructions()) {
    TRY_STATUS(lowerInstruction(*instruction, scope));
    release(*instruction, scope);
    ++scope.at;
    if (thunkCount_ > kMostThunks)
      return fail("too-large", fmt::format("the module would take more than {} thunks", kMostThunks));
  }
  --depth_;
  return valuesOf(*scope.computation.root(), scope);
}

Status Lowering::lowerInstruction(const Instruction& instruction, Scope& scope) {
  TRY_STATUS(checkDynamicOperands(instruction, scope));
  TRY(const auto options, llvmKernelOptions(instruction));
  const LlvmKernelOptions outside = std::exchange(kernelOptions_, options.value_or(kernelOptions_));
  const Status lowered = lowerByOpcode(instruction, scope);
  kernelOptions_ = outside;
  return lowered;
}

Status Lowering::lowerByOpcode(const Instruction& instruction, Scope& scope) {
  switch (instruction.opcode()) {
#define LOWERING(opcode, member) \
  case Opcode::opcode:           \
    return member(instruction, scope);
#include "core/compiler/codegen/lower/lowerings.def"
    default:
      return lowerElementKernel(instruction, scope);
  }
}

Status Lowering::addParameters(Scope& scope) {
  uint32_t leafNumber = 0;
  for (const Instruction* parameter : scope.computation.parameters())
    program.parameters.push_back(parameter->shape());
  const auto places = argumentSizePlaces(program.parameters);
  const auto sizes = static_cast<uint32_t>(program.allocations.size());
  if (!places.empty()) {
    program.allocations.push_back(
        {AllocationKind::ArgumentSizes, static_cast<int64_t>(4 * places.size()), 0});
  }
  int64_t sizeNumber = 0;
  for (const Instruction* parameter : scope.computation.parameters()) {
    program.parameterNames.emplace_back(parameter->name());
    LeafValues leaves;
    for (const Shape leaf : arrayLeaves(parameter->shape())) {
      program.allocations.push_back({AllocationKind::Parameter, bufferBytes(leaf), leafNumber++});
      leaves.push_back({std::make_shared<Slab>(BufferSlice{
                            static_cast<uint32_t>(program.allocations.size() - 1), 0, bufferBytes(leaf)}),
                        false});
      for (size_t d = 0; leaf.isDynamic() && d < leaf.rank(); ++d) {
        leaves.back().sizes.push_back(leaf.isDynamicDimension(d)
                                          ? std::make_shared<Slab>(BufferSlice{sizes, 4 * sizeNumber++, 4})
                                          : nullptr);
      }
    }
    scope.values[parameter] = std::move(leaves);
  }
  return {};
}

namespace {

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

// As an evaluator with seed 0 does.
void Lowering::startRandomState() {
  Literal start(Shape::array(ElementType::U64, {2}));
  start.mutableData<uint64_t>()[0] = 0x7012395;
  copy(*module_.entry()->root(), constantLeaf(start), *randomState_, 0);
}

Status Lowering::lower() {
  program.name = std::string(module_.name());
  program.allocations.push_back({AllocationKind::Temporary, 0, 0});
  const bool isRandom = usesRandomState(module_);
  if (isRandom) {
    // Memory of its own, that nothing else is given on the way.
    program.allocations.push_back({AllocationKind::Temporary, 16, 0});
    randomState_ = LeafValue{std::make_shared<Slab>(BufferSlice{kTemporaries + 1, 0, 16}), false};
  }
  program.result = module_.entry()->root()->shape();
  program.resultNames = resultNames(module_);
  program.givesOutfeed = hasOutfeed(module_);
  program.replicas = std::max<int64_t>(1, module_.replicaCount());
  program.partitions = std::max<int64_t>(1, module_.partitionCount());
  Scope scope{*module_.entry(), addSequence()};
  TRY_STATUS(addParameters(scope));
  if (isRandom) startRandomState();
  TRY(const LeafValues result, lowerComputation(scope));
  for (uint32_t i = 0; i < result.size(); ++i) {
    program.resultSlices.push_back(ReadSlice(result[i].slab->slice));
    for (uint32_t d = 0; d < result[i].sizes.size(); ++d) {
      if (result[i].sizes[d] != nullptr)
        program.resultSizes.push_back({i, d, ReadSlice(result[i].sizes[d]->slice)});
    }
  }
  temporaries_.place(program);
  return {};
}

namespace {

Result<const CodegenTarget*> targetOf(const ProgramTarget& target) {
  const CodegenTarget* found = findCodegenTarget(target.triple);
  if (found == nullptr) return fail("codegen-failed", fmt::format("no code generator for {}", target.triple));
  return found;
}

}  // namespace

Result<std::vector<std::string>> emitKernels(const Module& module, const ProgramTarget& target) {
  TRY(const CodegenTarget* kind, targetOf(target));
  Lowering lowering(module, *kind, target.features, {}, /*keepsLines=*/true);
  TRY_STATUS(lowering.lower());
  return std::move(lowering.kernelSources);
}

Result<CompiledModule> compileModule(const Module& module, const KernelCompileOptions& options) {
  CompiledModule compiled;
  const Stopwatch watch;
  TRY(const CodegenTarget* kind, targetOf(options.target));
  Lowering lowering(module, *kind, options.target.features, options.fastMath);
  TRY_STATUS(lowering.lower());
  const int64_t lowered = watch.ns();
  TRY(CompiledKernels kernels, compileKernels(lowering.kernelSources, lowering.program.kernels, options));
  compiled.times = {.loweringNs = lowered, .kernelsNs = watch.ns() - lowered};
  compiled.program = std::move(lowering.program);
  compiled.program.target = options.target;
  compiled.program.objects = std::move(kernels.objects);
  for (size_t i = 0; i < compiled.program.kernels.size(); ++i)
    compiled.program.kernels[i].object = kernels.objectOf[i];
  compiled.kernelSources = std::move(lowering.kernelSources);
  compiled.counts = kernels.counts;
  if (!kernels.cacheProblem.empty())
    compiled.notes.push_back("compiled kernels cannot be kept: " + kernels.cacheProblem);
  const Status checked = checkProgram(compiled.program);
  CHECK(checked.has_value(), toString(checked.error()));
  return compiled;
}

}  // namespace hilo
