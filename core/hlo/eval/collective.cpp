// Collectives: who meets whom. A device alone meets nobody: what it brought is all there is. Several
// devices (devices.h) each compute their own result from what all members of the group brought, in
// the group's order.
#include "core/hlo/eval/collective_groups.h"
#include "core/hlo/eval/collective_results.h"
#include "core/hlo/eval/handlers.h"
#include "core/hlo/eval/literal_access.h"

namespace hilo::eval {

std::optional<Diagnostic> collectiveRefusal(const Instruction& instruction, DeviceGrid grid) {
  if (handlerOf(instruction.opcode()) == collectiveDone) return std::nullopt;
  if (!instruction.get<Attr::SliceSizesList>().empty()) {
    return unsupportedOpcode(instruction,
                             fmt::format("{} in place has no meaning here", instruction.opcodeText()))
        .error();
  }
  if (const auto mode = groupModeOf(instruction); !mode) return mode.error();
  if (grid.count() > 1) return std::nullopt;
  const DeviceGrid asked = gridOf(instruction.module());
  bool alone = asked.replicas <= 1 && asked.partitions <= 1;
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

Result<Met> meet(const Instruction& instruction, std::span<const int64_t> group,
                 std::span<const Literal> operands, EvalContext& context) {
  Met met;
  if (context.exchange() == nullptr) {
    met.all = std::make_shared<const Contributions>(
        Contributions{std::vector<Literal>(operands.begin(), operands.end())});
    return met;
  }
  const int64_t device = context.device();
  TRY(met.all, context.exchange()->exchange(device, instruction, group, operands));
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

// A device that nobody sends to gets zeros.
Result<std::vector<Literal>> permuted(const Instruction& instruction, std::span<const Literal> operands,
                                      EvalContext& context) {
  TRY(const DeviceGroupMode mode, groupModeOf(instruction));
  const DeviceExchange* exchange = context.exchange();
  const DeviceGrid grid = exchange == nullptr ? DeviceGrid{} : exchange->grid();
  const int64_t device = context.device();
  std::vector<std::vector<int64_t>> written;
  for (const auto& pair : instruction.get<Attr::SourceTargetPairs>())
    written.emplace_back(pair.begin(), pair.end());
  TRY(const auto pairs, pairsOf(instruction, written, mode, grid, device));
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
    for (const Literal& operand : operands.first(broadcastCount(instruction, operands.size()))) {
      TRY(Literal zero, zeros(operand.shape(), context));
      results.push_back(std::move(zero));
    }
    return results;
  }
  TRY(const Met met, meet(instruction, group, operands, context));
  return collectiveResults(instruction, met, context);
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
