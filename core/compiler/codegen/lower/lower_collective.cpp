// Collectives, sends and receives: an entry in the program's table and thunks that refer to it.
//
// A start that nothing but its dones uses becomes two thunks, so that what stands between them runs
// meanwhile. Any other start (one carried around a loop) exchanges at once, and its done hands on
// what is there.
#include <fmt/format.h>

#include "core/base/check.h"
#include "core/compiler/codegen/emit/element_emitter.h"
#include "core/compiler/codegen/lower/lowerings.h"
#include "core/hlo/eval/collective_groups.h"
#include "core/hlo/ir/op_facts.h"

namespace hilo {
namespace {

std::optional<CollectiveKind> kindOf(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::AllReduce:
    case Opcode::AllReduceStart:
      return CollectiveKind::AllReduce;
    case Opcode::ReduceScatter:
      return CollectiveKind::ReduceScatter;
    case Opcode::AllGather:
    case Opcode::AllGatherStart:
      return CollectiveKind::AllGather;
    case Opcode::AllToAll:
      return instruction.dimensions().empty() ? CollectiveKind::TupleAllToAll : CollectiveKind::AllToAll;
    case Opcode::RaggedAllToAll:
      return CollectiveKind::RaggedAllToAll;
    case Opcode::CollectiveBroadcast:
      return CollectiveKind::Broadcast;
    case Opcode::CollectivePermute:
    case Opcode::CollectivePermuteStart:
      return CollectiveKind::Permute;
    default:
      return std::nullopt;
  }
}

bool isDone(Opcode opcode) {
  return opcodeClass(opcode) == OpcodeClass::Collective && asyncFacts(opcode).step == AsyncStep::Done;
}
bool isStart(Opcode opcode) {
  return opcodeClass(opcode) == OpcodeClass::Collective && asyncFacts(opcode).step == AsyncStep::Start;
}

// The arrays that come out of the exchange: of a start, those its done gives.
std::vector<Shape> exchanged(const Instruction& instruction) {
  const Shape shape = instruction.shape();
  if (!isStart(instruction.opcode()) || instruction.opcode() == Opcode::AllReduceStart)
    return arrayLeaves(shape);
  return arrayLeaves(shape.tupleShapes()[1]);
}

// How many runs an array is seen as along one of its dimensions, in memory order.
int64_t outerOf(Shape shape, std::optional<int64_t> dimension) {
  if (!dimension || shape.elementCount() == 0) return 1;
  int64_t outer = 1;
  for (const int64_t d : majorToMinor(shape)) {
    if (d == *dimension) break;
    outer *= shape.dimension(static_cast<size_t>(d));
  }
  return outer;
}

const Instruction& describedBy(const Instruction& instruction) {
  // The pairs of a receive may stand at the recv alone.
  const bool isReceive =
      instruction.opcode() == Opcode::RecvDone && instruction.operand(0)->opcode() == Opcode::Recv;
  return isReceive ? *instruction.operand(0) : instruction;
}

// Whether the dimensions that both have more than one of come in one order in memory.
bool lieAlike(Shape a, Shape b) {
  if (a.rank() != b.rank()) return false;
  if (a.elementCount() == 0 || b.elementCount() == 0) return true;
  const auto orderOf = [&](Shape shape) {
    DimensionOrder order = majorToMinor(shape);
    std::erase_if(order, [&](int64_t d) {
      return a.dimension(static_cast<size_t>(d)) <= 1 || b.dimension(static_cast<size_t>(d)) <= 1;
    });
    return order;
  };
  return orderOf(a) == orderOf(b);
}

// Whether each index of dimension 0 is one run of memory.
bool rowsLieTogether(Shape shape) {
  if (shape.rank() == 0) return false;
  if (shape.elementCount() == 0 || shape.dimension(0) == 1) return true;
  const DimensionOrder order = majorToMinor(shape);
  const auto first =
      std::ranges::find_if(order, [&](int64_t d) { return shape.dimension(static_cast<size_t>(d)) > 1; });
  return *first == 0;
}

std::optional<std::string> shapeObstacle(const Instruction& instruction) {
  const auto results = exchanged(instruction);
  const bool isRagged = instruction.opcode() == Opcode::RaggedAllToAll;
  if (!isRagged && results.size() != instruction.operandCount()) return "has other results than operands";
  for (size_t i = 0; i < results.size(); ++i) {
    if (!instruction.operand(i)->shape().isArray()) return "takes other than arrays";
    if (!lieAlike(instruction.operand(isRagged ? 1 : i)->shape(), results[i]))
      return "changes the layout of an array";
  }
  if (isRagged) {
    for (const Shape rows : {instruction.operand(0)->shape(), results[0]}) {
      if (!rowsLieTogether(rows)) return "has rows that do not lie together";
    }
    if (!lieAlike(instruction.operand(0)->shape(), results[0])) return "changes the layout of its rows";
    const Shape numbers = instruction.operand(2)->shape();
    for (size_t i = 2; i < 6; ++i) {
      const Shape own = instruction.operand(i)->shape();
      if (own.elementType() != numbers.elementType() || !isIntegral(own.elementType()))
        return "has offsets and sizes of different types";
    }
  }
  return std::nullopt;
}

}  // namespace

static std::optional<std::string> whyNotLowered(const Instruction& instruction) {
  if (!instruction.get<Attr::SliceSizesList>().empty() ||
      instruction.get<Attr::HasDynamicRoot>().value_or(false)) {
    return "in place or with a root chosen at run time is not compiled";
  }
  const Opcode opcode = instruction.opcode();
  if (opcode == Opcode::Send || opcode == Opcode::RecvDone) {
    const auto pairs = sendRecvPairs(describedBy(instruction));
    return pairs ? std::nullopt : std::optional(pairs.error().message);
  }
  if (!kindOf(instruction)) return std::nullopt;
  if (const auto mode = groupModeOf(instruction); !mode) return mode.error().message;
  return shapeObstacle(instruction);
}

std::optional<Diagnostic> communicationObstacle(const Instruction& instruction, const HasHandler&) {
  const auto why = whyNotLowered(instruction);
  if (!why) return std::nullopt;
  return obstacle(instruction, "unsupported-opcode", fmt::format("{}: {}", instruction.opcodeText(), *why));
}

std::optional<Diagnostic> reducingCollectiveObstacle(const Instruction& instruction,
                                                     const HasHandler& hasHandler) {
  if (auto found = communicationObstacle(instruction, hasHandler)) return found;
  if (instruction.get<Attr::ToApply>() == nullptr) {
    return obstacle(
        instruction, "unsupported-opcode",
        fmt::format("{} names no computation to reduce with (to_apply)", instruction.opcodeText()));
  }
  const Computation& by = *instruction.get<Attr::ToApply>();
  const bool addsScalars =
      by.parameters().size() == 2 && by.root()->shape().isScalar() &&
      std::ranges::all_of(by.parameters(), [](const Instruction* p) { return p->shape().isScalar(); });
  if (!addsScalars)
    return obstacle(
        instruction, "malformed-instruction",
        fmt::format("{} applies {}, which makes no scalar of two", instruction.opcodeText(), by.name()));
  return appliedObstacle(instruction, hasHandler);
}

// Of truth values the smaller is what both give, the larger what either does.
static ReductionKind reductionKindOf(const Computation& by) {
  const auto opcode = singleBinaryOpcode(by);
  const bool isTruth = by.root()->shape().elementType() == ElementType::Pred;
  switch (opcode.value_or(Opcode::Tuple)) {
    case Opcode::Add:
      return ReductionKind::Sum;
    case Opcode::Multiply:
      return ReductionKind::Product;
    case Opcode::Minimum:
      return ReductionKind::Minimum;
    case Opcode::Maximum:
      return ReductionKind::Maximum;
    case Opcode::And:
      return isTruth ? ReductionKind::Minimum : ReductionKind::Other;
    case Opcode::Or:
      return isTruth ? ReductionKind::Maximum : ReductionKind::Other;
    default:
      return ReductionKind::Other;
  }
}

// replica-id and partition-id.
Status lowerDeviceId(const Instruction& instruction, LoweringContext& context) {
  ProgramDraft& draft = context.draft;
  if (!draft.deviceIds) {
    draft.deviceIds = static_cast<uint32_t>(draft.program.allocations.size());
    draft.program.allocations.push_back({AllocationKind::DeviceIds, kDeviceIdsBytes, 0});
  }
  const int64_t offset = instruction.opcode() == Opcode::PartitionId ? 4 : 0;
  context.values[&instruction] = {{std::make_shared<Slab>(BufferSlice{*draft.deviceIds, offset, 4}), false}};
  return {};
}

namespace {

// Kernels that take one more contribution in: see CollectiveReduction.
CollectiveReduction addReduction(const Instruction& instruction, ElementType type, LoweringContext& context) {
  const Computation& by = *instruction.get<Attr::ToApply>();
  CollectiveReduction reduction{.widens = isFloat(type) && singleBinaryOpcode(by) == Opcode::Add,
                                .type = type};
  // However many there are: the kernel is told when it is called.
  constexpr int64_t kMany = int64_t{1} << 40;
  constexpr size_t kBuffers = 2;
  const Shape elements = Shape::array(type, {kMany}), sums = Shape::array(ElementType::F64, {kMany});
  const auto addLoop = [&](const std::function<void(KernelBuilder&, ElementEmitter&, llvm::Value*)>& body) {
    llvm::LLVMContext llvm;
    KernelBuilder kernel(llvm, context.draft.target);
    context.startKernel(instruction, kernel);
    ElementEmitter emitter(kernel);
    kernel.loop(kernel.begin(), kernel.end(), [&](llvm::Value* i) { body(kernel, emitter, i); });
    return context.addKernel(instruction.name(), kernel, kBuffers);
  };
  const auto at = [](llvm::Value* i, Shape shape) { return ElementIndex{{i}, i, shape}; };
  if (reduction.widens) {
    reduction.accumulate = addLoop([&](KernelBuilder& k, ElementEmitter&, llvm::Value* i) {
      const Scalar value = k.scalars().convert(type, ElementType::F64, k.load(0, elements, at(i, elements)));
      const Scalar sum = k.load(1, sums, at(i, sums));
      k.store(1, sums, at(i, sums), k.scalars().binary(Opcode::Add, ElementType::F64, sum, value));
    });
    reduction.narrow = addLoop([&](KernelBuilder& k, ElementEmitter&, llvm::Value* i) {
      k.store(1, elements, at(i, elements),
              k.scalars().convert(ElementType::F64, type, k.load(0, sums, at(i, sums))));
    });
    return reduction;
  }
  reduction.accumulate = addLoop([&](KernelBuilder& k, ElementEmitter& emitter, llvm::Value* i) {
    // The computation may be written for another type than the arrays have.
    const auto given = [&](int buffer, size_t parameter) {
      return k.scalars().convert(type, by.parameters()[parameter]->shape().elementType(),
                                 k.load(buffer, elements, at(i, elements)));
    };
    const Scalar result = emitter.apply(by, {given(1, 0), given(0, 1)})[0];
    k.store(1, elements, at(i, elements),
            k.scalars().convert(by.root()->shape().elementType(), type, result));
  });
  reduction.narrow = reduction.accumulate;
  return reduction;
}

uint32_t addCollective(const Instruction& instruction, LoweringContext& context) {
  Collective collective{.kind = *kindOf(instruction),
                        .mode = *groupModeOf(instruction),
                        .channel = instruction.get<Attr::ChannelId>().value_or(0)};
  if (const ReplicaGroups* groups = instruction.get<Attr::ReplicaGroups>())
    collective.groups = expandReplicaGroups(*groups);
  for (const auto& pair : instruction.get<Attr::SourceTargetPairs>())
    collective.groups.emplace_back(pair.begin(), pair.end());
  if (collective.kind == CollectiveKind::RaggedAllToAll) {
    const Shape rows = instruction.operand(0)->shape();
    collective.rowBytes = elementStorageBytes(rows.elementType());
    for (size_t d = 1; d < rows.rank(); ++d) collective.rowBytes *= rows.dimension(d);
    collective.indexType = instruction.operand(2)->shape().elementType();
  } else {
    const auto dimensions = instruction.dimensions();
    const auto dimension = dimensions.empty() ? std::nullopt : std::optional(dimensions[0]);
    const std::vector<Shape> results = exchanged(instruction);
    for (size_t i = 0; i < results.size(); ++i) {
      // Of the larger array: where a dimension of one stands means nothing.
      const Shape given = instruction.operand(i)->shape();
      collective.outer.push_back(
          outerOf(given.elementCount() < results[i].elementCount() ? results[i] : given, dimension));
    }
  }
  if (const Computation* by = instruction.get<Attr::ToApply>(); by != nullptr) {
    collective.reduction = reductionKindOf(*by);
    for (const Instruction* operand : instruction.operands())
      collective.reductions.push_back(addReduction(instruction, operand->shape().elementType(), context));
  }
  context.draft.program.collectives.push_back(std::move(collective));
  return static_cast<uint32_t>(context.draft.program.collectives.size() - 1);
}

void addCollectiveThunk(const Instruction& instruction, uint32_t collective, CollectivePhase phase,
                        const Instruction* operandsOf, const LeafValues& results, LoweringContext& context) {
  CollectiveThunk thunk{.collective = collective, .phase = phase};
  int64_t bytes = 0;
  if (operandsOf != nullptr) {
    for (const Instruction* operand : operandsOf->operands()) {
      thunk.operands.emplace_back(context.leafOf(*operand).slab->slice);
      bytes += thunk.operands.back().sizeBytes;
    }
  }
  for (const LeafValue& result : results) {
    thunk.results.emplace_back(result.slab->slice);
    bytes += thunk.results.back().sizeBytes;
  }
  context.addThunk(instruction, std::move(thunk), 10'000 + bytes / 2);
}

// The array leaves of `shape` that come after the first `have`, as zeros: contexts of started operations.
void appendZeros(Shape shape, LeafValues& leaves, LoweringContext& context) {
  const auto shapes = arrayLeaves(shape);
  for (size_t i = leaves.size(); i < shapes.size(); ++i)
    leaves.push_back(context.constantLeaf(Literal(shapes[i])));
}

}  // namespace

Status lowerCollective(const Instruction& instruction, LoweringContext& context) {
  const uint32_t collective = addCollective(instruction, context);
  const Opcode opcode = instruction.opcode();
  const bool hasOnlyDones = std::ranges::all_of(
      instruction.users(), [](const Instruction* user) { return isDone(user->opcode()); });
  if (isStart(opcode) && hasOnlyDones && !instruction.isRoot()) {
    addCollectiveThunk(instruction, collective, CollectivePhase::Start, &instruction, {}, context);
    context.draft.started[&instruction] = collective;
    context.values[&instruction] = {};
    return {};
  }
  LeafValues results;
  for (const Shape leaf : exchanged(instruction)) results.push_back(context.newLeaf(leaf));
  addCollectiveThunk(instruction, collective, CollectivePhase::Whole, &instruction, results, context);
  if (!isStart(opcode) || opcode == Opcode::AllReduceStart) {
    context.values[&instruction] = std::move(results);
    return {};
  }
  // (operands, results, context...)
  LeafValues all;
  for (const Instruction* operand : instruction.operands()) all.push_back(context.leafOf(*operand));
  all.insert(all.end(), results.begin(), results.end());
  appendZeros(instruction.shape(), all, context);
  context.values[&instruction] = std::move(all);
  return {};
}

Status lowerCollectiveDone(const Instruction& instruction, LoweringContext& context) {
  const Instruction& start = *instruction.operand(0);
  if (const auto found = context.draft.started.find(&start); found != context.draft.started.end()) {
    const LeafValues results = context.newLeaves(instruction.shape());
    addCollectiveThunk(instruction, found->second, CollectivePhase::Done, nullptr, results, context);
    context.values[&instruction] = results;
    return {};
  }
  const LeafValues& all = context.valuesOf(start);
  const bool isReduce = instruction.opcode() == Opcode::AllReduceDone;
  const auto first = all.begin() + static_cast<ptrdiff_t>(isReduce ? 0 : firstLeafOf(start.shape(), 1));
  context.values[&instruction] =
      LeafValues(first, first + static_cast<ptrdiff_t>(arrayLeaves(instruction.shape()).size()));
  return {};
}

namespace {

Collective sendRecvOf(const Instruction& instruction) {
  const int64_t channel = instruction.get<Attr::ChannelId>().value_or(0);
  Collective collective{.kind = CollectiveKind::SendRecv,
                        .mode = channel > 0 ? DeviceGroupMode::CrossPartition : DeviceGroupMode::CrossReplica,
                        .channel = channel};
  if (auto pairs = *sendRecvPairs(instruction)) {
    collective.hasPairs = true;
    collective.groups = *std::move(pairs);
  }
  return collective;
}

}  // namespace

Status lowerSendRecv(const Instruction& instruction, LoweringContext& context) {
  LeafValues values;
  switch (instruction.opcode()) {
    case Opcode::Send: {  // (what is sent, context, token)
      context.draft.program.collectives.push_back(sendRecvOf(instruction));
      SendThunk thunk{.collective = static_cast<uint32_t>(context.draft.program.collectives.size() - 1)};
      values = context.valuesOf(*instruction.operand(0));
      for (const LeafValue& leaf : values) thunk.operands.emplace_back(leaf.slab->slice);
      context.addThunk(instruction, std::move(thunk), 10'000);
      appendZeros(instruction.shape(), values, context);
      break;
    }
    case Opcode::Recv:  // (what nobody may look at before the done, context, token)
      values = context.newLeaves(instruction.shape().tupleShapes()[0]);
      appendZeros(instruction.shape(), values, context);
      break;
    case Opcode::RecvDone: {  // (what was received, token)
      context.draft.program.collectives.push_back(sendRecvOf(describedBy(instruction)));
      ReceiveThunk thunk{.collective = static_cast<uint32_t>(context.draft.program.collectives.size() - 1)};
      values = context.newLeaves(instruction.shape());
      for (const LeafValue& leaf : values) thunk.results.emplace_back(leaf.slab->slice);
      context.addThunk(instruction, std::move(thunk), 10'000);
      break;
    }
    default:
      CHECK(instruction.opcode() == Opcode::SendDone);
  }
  context.values[&instruction] = std::move(values);
  return {};
}

}  // namespace hilo
