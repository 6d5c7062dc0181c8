// Collectives. A device alone meets nobody: what it brought is all there is. Several devices (devices.h) each
// compute their own result from what all members of the group brought, in the group's order.
#include <cstring>

#include "core/hlo/eval/applier.h"
#include "core/hlo/eval/collective_groups.h"
#include "core/hlo/eval/exchange.h"
#include "core/hlo/eval/handlers.h"
#include "core/hlo/eval/literal_access.h"

namespace hilo::eval {

std::optional<Diagnostic> collectiveRefusal(const Instruction& instruction, DeviceGrid grid) {
  if (handlerOf(instruction.opcode()) == collectiveDone) return std::nullopt;
  if (!instruction.get<Attr::SliceSizesList>().empty() ||
      instruction.get<Attr::HasDynamicRoot>().value_or(false)) {
    return unsupportedOpcode(instruction,
                             fmt::format("{} in place or with a root chosen at run time has no meaning here",
                                         instruction.opcodeText()))
        .error();
  }
  if (grid.count() > 1) return std::nullopt;
  const int64_t devices = instruction.module().replicaCount() * instruction.module().partitionCount();
  bool alone = devices <= 1;
  if (const ReplicaGroups* groups = instruction.get<Attr::ReplicaGroups>()) {
    const auto lists = expandReplicaGroups(*groups);
    if (!lists.empty())
      alone = std::ranges::all_of(lists, [](const auto& group) { return group.size() <= 1; });
  }
  for (const auto& pair : instruction.get<Attr::SourceTargetPairs>()) {
    alone = alone && pair.size() == 2 && pair[0] == 0 && pair[1] == 0;
  }
  if (alone) return std::nullopt;
  return unsupportedOpcode(instruction,
                           fmt::format("{} exchanges data among several devices", instruction.opcodeText()))
      .error();
}

namespace {

// What the group brought, and this device's place in it.
struct Met {
  std::shared_ptr<const Contributions> all;
  size_t self = 0;

  size_t size() const { return all->size(); }
  const Literal& operand(size_t member, size_t index) const { return (*all)[member][index]; }
};

Result<Met> meet(const Instruction& instruction, std::span<const int64_t> group,
                 std::span<const Literal> operands, EvalContext& context) {
  Met met;
  if (context.exchange() == nullptr) {
    met.all = std::make_shared<const Contributions>(
        Contributions{std::vector<Literal>(operands.begin(), operands.end())});
    return met;
  }
  const int64_t device = context.device();
  TRY(met.all, context.exchange()->meet(device, instruction, group, operands));
  met.self = static_cast<size_t>(std::ranges::find(group, device) - group.begin());
  for (const std::vector<Literal>& brought : *met.all) {
    EVAL_REQUIRE(brought.size() == operands.size(), "the devices brought different numbers of operands");
    for (size_t i = 0; i < operands.size(); ++i) {
      EVAL_REQUIRE(brought[i].shape().withoutLayout() == operands[i].shape().withoutLayout(),
                   "the devices brought operands of different shapes");
    }
  }
  return met;
}

Result<Literal> zeros(Shape shape, EvalContext& context) {
  if (!shape.isTuple()) return context.make(shape);
  std::vector<Literal> elements;
  for (const Shape element : shape.tupleShapes()) {
    TRY(Literal zero, zeros(element, context));
    elements.push_back(std::move(zero));
  }
  return Literal::tuple(std::move(elements));
}

// A dense array seen around one dimension: `outer` runs, each of `size` pieces of `pieceBytes`.
struct Around {
  int64_t outer, size, pieceBytes;
  Around(Shape shape, int64_t dimension)
      : outer(productOf(shape.dimensions().first(static_cast<size_t>(dimension)))),
        size(shape.dimension(static_cast<size_t>(dimension))),
        pieceBytes(productOf(shape.dimensions().subspan(static_cast<size_t>(dimension) + 1)) *
                   storageBytes(shape)) {}
};

Result<Shape> withDimension(const Instruction& instruction, Shape shape, int64_t dimension, int64_t size) {
  EVAL_REQUIRE(size >= 0 && size < int64_t{1} << 48, "its dimensions are too large");
  DimVector sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes[static_cast<size_t>(dimension)] = size;
  return Shape::array(shape.elementType(), sizes);
}

// The parts one after the other along a dimension. All are of one shape.
Result<Literal> joined(const Instruction& instruction, std::span<const Literal> parts, int64_t dimension,
                       EvalContext& context) {
  const auto n = static_cast<int64_t>(parts.size());
  const Around part(parts[0].shape(), dimension);
  TRY(const Shape shape, withDimension(instruction, parts[0].shape(), dimension, part.size * n));
  TRY(Literal result, context.make(shape));
  std::byte* out = result.mutableBytes().data();
  const auto runBytes = static_cast<size_t>(part.size * part.pieceBytes);
  if (runBytes == 0) return result;
  for (int64_t o = 0; o < part.outer; ++o) {
    for (const Literal& from : parts) {
      std::memcpy(out, from.bytes().data() + static_cast<size_t>(o) * runBytes, runBytes);
      out += runBytes;
    }
  }
  return result;
}

// Part `index` of `count` equal ones along a dimension.
Result<Literal> partOf(const Instruction& instruction, const Literal& whole, int64_t dimension, size_t index,
                       size_t count, EvalContext& context) {
  const Around all(whole.shape(), dimension);
  const auto n = static_cast<int64_t>(count);
  EVAL_REQUIRE(all.size % n == 0, "the group's size does not divide the dimension");
  TRY(const Shape shape, withDimension(instruction, whole.shape(), dimension, all.size / n));
  TRY(Literal result, context.make(shape));
  const auto runBytes = static_cast<size_t>(all.size / n * all.pieceBytes);
  if (runBytes == 0) return result;
  std::byte* out = result.mutableBytes().data();
  for (int64_t o = 0; o < all.outer; ++o) {
    std::memcpy(out + static_cast<size_t>(o) * runBytes,
                whole.bytes().data() + (static_cast<size_t>(o) * count + index) * runBytes, runBytes);
  }
  return result;
}

// Adds floats in f64 and rounds once, as reduce does.
Literal sumOf(const Met& met, size_t index, Literal result) {
  const ElementType type = result.shape().elementType();
  const int bytes = elementStorageBytes(type);
  std::byte* out = result.mutableBytes().data();
  constexpr int64_t kBlock = 1024;
  double sums[kBlock], values[kBlock];
  const int64_t total = result.shape().elementCount();
  for (int64_t start = 0; start < total; start += kBlock) {
    const int64_t count = std::min(kBlock, total - start);
    for (size_t member = 0; member < met.size(); ++member) {
      convertElements(member == 0 ? sums : values, ElementType::F64,
                      met.operand(member, index).bytes().data() + start * bytes, type, count);
      for (int64_t i = 0; member > 0 && i < count; ++i) sums[i] += values[i];
    }
    convertElements(out + start * bytes, type, sums, ElementType::F64, count);
  }
  return result;
}

Result<Literal> reduced(const Instruction& instruction, const Met& met, size_t index, EvalContext& context) {
  const Shape shape = met.operand(0, index).shape();
  EVAL_REQUIRE(shape.isArray(), "needs arrays");
  const ElementType type = shape.elementType();
  const ElementType both[] = {type, type};
  TRY(Applier applier,
      Applier::make(instruction, instruction.get<Attr::ToApply>(), both, std::span(both).first(1), context));
  TRY(Literal result, context.make(shape));
  if (isFloat(type) && met.size() > 1 && applier.program() != nullptr &&
      applier.program()->singleBinaryOp() == Opcode::Add) {
    return sumOf(met, index, std::move(result));
  }
  const auto out = result.mutableBytes();
  if (out.empty()) return result;
  std::memcpy(out.data(), met.operand(0, index).bytes().data(), out.size());
  for (size_t member = 1; member < met.size(); ++member) {
    TRY_STATUS(context.poll(shape.elementCount() / 1024 + 1));
    const void* parameters[] = {out.data(), met.operand(member, index).bytes().data()};
    void* results[] = {out.data()};
    TRY_STATUS(applier.apply(parameters, results, shape.elementCount()));
  }
  return result;
}

// A fresh copy: contributions are shared with the other devices' threads.
Result<Literal> copied(const Literal& from, EvalContext& context) {
  TRY(Literal result, context.make(from.shape()));
  if (const auto out = result.mutableBytes(); !out.empty())
    std::memcpy(out.data(), from.bytes().data(), out.size());
  return result;
}

// The dimension an all-gather, reduce-scatter or all-to-all of arrays works along.
Result<int64_t> dimensionOf(const Instruction& instruction, const Literal& operand) {
  const auto dimensions = instruction.dimensions();
  EVAL_REQUIRE(operand.shape().isArray() && dimensions.size() == 1 && dimensions[0] >= 0 &&
                   dimensions[0] < static_cast<int64_t>(operand.shape().rank()),
               "needs one dimension of its operand");
  return dimensions[0];
}

Result<std::vector<Literal>> allToAll(const Instruction& instruction, const Met& met, EvalContext& context) {
  std::vector<Literal> results;
  const size_t n = met.size();
  if (instruction.dimensions().empty()) {
    EVAL_REQUIRE((*met.all)[met.self].size() == n, "needs an operand for each device of the group");
    for (size_t member = 0; member < n; ++member) {
      TRY(Literal result, copied(met.operand(member, met.self), context));
      results.push_back(std::move(result));
    }
    return results;
  }
  EVAL_REQUIRE((*met.all)[met.self].size() == 1, "takes one array");
  TRY(const int64_t dimension, dimensionOf(instruction, met.operand(met.self, 0)));
  std::vector<Literal> parts;
  for (size_t member = 0; member < n; ++member) {
    TRY(Literal part, partOf(instruction, met.operand(member, 0), dimension, met.self, n, context));
    parts.push_back(std::move(part));
  }
  TRY(Literal result, joined(instruction, parts, dimension, context));
  results.push_back(std::move(result));
  return results;
}

struct RaggedPart {
  int64_t source, rows, target;
};

// Operands: input, output, then for every part where it starts in the sender's input, how many rows it has
// and where it goes in the receiver's output, and how many rows come in. A device has as many parts for each
// member of the group as the lengths say, those for the first member first.
Result<Literal> raggedAllToAll(const Instruction& instruction, const Met& met, EvalContext& context) {
  const auto& own = (*met.all)[met.self];
  EVAL_REQUIRE(own.size() == 6, "needs six operands");
  const Shape from = own[0].shape(), to = own[1].shape();
  EVAL_REQUIRE(from.isArray() && to.isArray() && from.rank() >= 1 && from.elementType() == to.elementType() &&
                   from.rank() == to.rank() &&
                   std::ranges::equal(from.dimensions().subspan(1), to.dimensions().subspan(1)),
               "input and output rows differ");
  for (size_t i = 2; i < 6; ++i) {
    EVAL_REQUIRE(
        own[i].shape().isArray() && holdsIntegers(own[i]) && sameDimensions(own[i].shape(), own[2].shape()),
        "offsets and sizes must be integers of one shape");
  }
  const auto n = static_cast<int64_t>(met.size());
  const int64_t parts = own[2].shape().elementCount();
  EVAL_REQUIRE(parts % n == 0, "needs as many parts for every device of the group");
  TRY(Literal result, copied(own[1], context));
  auto out = result.mutableBytes();
  const int64_t rowBytes = productOf(from.dimensions().subspan(1)) * storageBytes(from);
  const int64_t first = static_cast<int64_t>(met.self) * (parts / n);
  for (size_t sender = 0; sender < met.size(); ++sender) {
    for (int64_t i = first; i < first + parts / n; ++i) {
      const RaggedPart part{integerAt(met.operand(sender, 2), i), integerAt(met.operand(sender, 3), i),
                            integerAt(met.operand(sender, 4), i)};
      EVAL_REQUIRE(part.source >= 0 && part.rows >= 0 && part.target >= 0 && part.rows <= from.dimension(0) &&
                       part.rows <= to.dimension(0) && part.source <= from.dimension(0) - part.rows &&
                       part.target <= to.dimension(0) - part.rows,
                   "a part lies outside the input or output");
      if (part.rows * rowBytes == 0) continue;
      std::memcpy(out.data() + part.target * rowBytes,
                  met.operand(sender, 0).bytes().data() + part.source * rowBytes,
                  static_cast<size_t>(part.rows * rowBytes));
    }
  }
  return result;
}

// One result for each operand that is treated by itself.
Result<Literal> resultOf(const Instruction& instruction, const Met& met, size_t index, EvalContext& context) {
  switch (instruction.opcode()) {
    case Opcode::AllReduce:
    case Opcode::AllReduceStart:
      return reduced(instruction, met, index, context);
    case Opcode::ReduceScatter: {
      TRY(const int64_t dimension, dimensionOf(instruction, met.operand(0, index)));
      TRY(const Literal whole, reduced(instruction, met, index, context));
      return partOf(instruction, whole, dimension, met.self, met.size(), context);
    }
    case Opcode::AllGather:
    case Opcode::AllGatherStart: {
      TRY(const int64_t dimension, dimensionOf(instruction, met.operand(0, index)));
      std::vector<Literal> parts;
      for (size_t member = 0; member < met.size(); ++member) parts.push_back(met.operand(member, index));
      return joined(instruction, parts, dimension, context);
    }
    default:
      CHECK(instruction.opcode() == Opcode::CollectiveBroadcast);
      return copied(met.operand(0, index), context);
  }
}

// A device that nobody sends to gets zeros.
Result<std::vector<Literal>> permuted(const Instruction& instruction, std::span<const Literal> operands,
                                      EvalContext& context) {
  TRY(const DeviceGroupMode mode, groupModeOf(instruction));
  const DeviceExchange* exchange = context.exchange();
  const DeviceGrid grid = exchange == nullptr ? DeviceGrid{} : exchange->grid();
  const int64_t device = context.device();
  TRY(const auto pairs, pairsOf(instruction, instruction.get<Attr::SourceTargetPairs>(), mode, grid, device));
  std::vector<int64_t> group;
  std::optional<int64_t> source;
  for (const auto& [from, to] : pairs) {
    group.push_back(from);
    group.push_back(to);
    if (to == device) source = from;
  }
  std::ranges::sort(group);
  group.erase(std::ranges::unique(group).begin(), group.end());

  std::optional<Met> met;
  if (std::ranges::find(group, device) != group.end()) {
    TRY(met, meet(instruction, group, operands, context));
  }
  std::vector<Literal> results;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!source) {
      TRY(Literal zero, zeros(operands[i].shape(), context));
      results.push_back(std::move(zero));
      continue;
    }
    const auto member = static_cast<size_t>(std::ranges::find(group, *source) - group.begin());
    TRY(Literal result, copied(met->operand(member, i), context));
    results.push_back(std::move(result));
  }
  return results;
}

Result<std::vector<Literal>> exchanged(const Instruction& instruction, std::span<const Literal> operands,
                                       EvalContext& context) {
  const DeviceExchange* exchange = context.exchange();
  if (auto refused = collectiveRefusal(instruction, exchange == nullptr ? DeviceGrid{} : exchange->grid()))
    return std::unexpected(*std::move(refused));
  EVAL_REQUIRE(!operands.empty(), "needs an operand");
  if (instruction.opcode() == Opcode::CollectivePermute ||
      instruction.opcode() == Opcode::CollectivePermuteStart)
    return permuted(instruction, operands, context);
  std::vector<int64_t> group = {0};
  if (exchange != nullptr) {
    TRY(group, groupOf(instruction, exchange->grid(), context.device()));
  }
  std::vector<Literal> results;
  if (group.empty()) {
    EVAL_REQUIRE(instruction.opcode() == Opcode::CollectiveBroadcast, "a device is in no group");
    for (const Literal& operand : operands) {
      TRY(Literal zero, zeros(operand.shape(), context));
      results.push_back(std::move(zero));
    }
    return results;
  }
  TRY(const Met met, meet(instruction, group, operands, context));
  if (instruction.opcode() == Opcode::AllToAll) return allToAll(instruction, met, context);
  if (instruction.opcode() == Opcode::RaggedAllToAll) {
    TRY(Literal result, raggedAllToAll(instruction, met, context));
    results.push_back(std::move(result));
    return results;
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    TRY(Literal result, resultOf(instruction, met, i, context));
    results.push_back(std::move(result));
  }
  return results;
}

Literal packed(std::vector<Literal> results, Shape shape) {
  if (results.size() == 1 && !shape.isTuple()) return std::move(results[0]);
  return Literal::tuple(std::move(results));
}

}  // namespace

Result<Literal> collective(const Instruction& instruction, std::span<Literal> operands,
                           EvalContext& context) {
  TRY(std::vector<Literal> results, exchanged(instruction, operands, context));
  return packed(std::move(results), instruction.shape());
}

// The exchange takes place here, not at the done. all-reduce-start carries its result alone; the others
// (operands, result, context...).
Result<Literal> collectiveStart(const Instruction& instruction, std::span<Literal> operands,
                                EvalContext& context) {
  const Shape shape = instruction.shape();
  TRY(std::vector<Literal> results, exchanged(instruction, operands, context));
  if (instruction.opcode() == Opcode::AllReduceStart) return packed(std::move(results), shape);
  EVAL_REQUIRE(shape.isTuple() && shape.tupleShapes().size() >= 2, "must give a tuple");
  const auto shapes = shape.tupleShapes();
  std::vector<Literal> elements;
  elements.push_back(packed({operands.begin(), operands.end()}, shapes[0]));
  elements.push_back(packed(std::move(results), shapes[1]));
  for (size_t i = 2; i < shapes.size(); ++i) {
    TRY(Literal zero, zeros(shapes[i], context));
    elements.push_back(std::move(zero));
  }
  return Literal::tuple(std::move(elements));
}

Result<Literal> collectiveDone(const Instruction& instruction, std::span<Literal> operands, EvalContext&) {
  if (instruction.opcode() == Opcode::AllReduceDone) return std::move(operands[0]);
  EVAL_REQUIRE(operands[0].isTuple() && operands[0].elements().size() >= 2,
               "the operand is no started collective");
  return std::move(operands[0].mutableElements()[1]);
}

}  // namespace hilo::eval
