#include "core/compiler/spmd/shardy/statements.h"

#include "core/compiler/spmd/partitioner.h"
#include "core/compiler/spmd/shardy/manual_regions.h"
#include "core/compiler/spmd/stated_shardings.h"

namespace hilo::sdy {
namespace {

constexpr std::string_view kSharding = "xla.sdy.sharding";

std::string_view attributeOf(std::span<const FrontendAttribute> attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &FrontendAttribute::name);
  return found == attributes.end() ? std::string_view() : found->value;
}

// Reads the statements of a module, instruction by instruction.
class Reader {
 public:
  Reader(Module& module, Statements& statements) : module_(module), statements_(statements) {}
  Status run();

 private:
  Status read(Instruction& instruction);
  Status readParameter(const Instruction& parameter);
  Status readOwn(const Instruction& instruction);
  Status readConstraint(const Instruction& call);
  Status readResult(Instruction& call);
  Status readGroup(Instruction& call);
  Status readBarrier(const Instruction& call);
  Status readEdge(Instruction& call);
  Status readCollective(Instruction& call);
  Status readTuples();
  void dropGroupMark(Instruction& call);
  int64_t partitions() const { return module_.partitionCount(); }

  Module& module_;
  Statements& statements_;
};

Status Reader::readParameter(const Instruction& parameter) {
  const std::string_view text = frontendAttribute(parameter, kSharding);
  if (text.empty()) return {};
  if (parameter.shape().isTuple()) {
    TRY(auto shardings,
        readShardings(text, leavesOf(parameter.shape()), partitions(), statements_.meshes, &parameter));
    for (size_t i = 0; i < shardings.size(); ++i) statements_.set(&parameter, i, std::move(shardings[i]));
    return {};
  }
  TRY(TensorSharding sharding,
      readSharding(text, parameter.shape(), partitions(), statements_.meshes, &parameter));
  statements_.set(&parameter, 0, std::move(sharding));
  return {};
}

// Of any other instruction: XLA reads none, StableHLO may say one. What has no result says only that it is
// on every device, or on one.
Status Reader::readOwn(const Instruction& instruction) {
  const std::string_view text = frontendAttribute(instruction, kSharding);
  if (text.empty()) return {};
  auto leaves = leavesOf(instruction.shape());
  if (leaves.empty()) leaves.push_back(instruction.shape());
  TRY(auto shardings, readShardings(text, leaves, partitions(), statements_.meshes, &instruction));
  for (size_t i = 0; i < shardings.size(); ++i) statements_.set(&instruction, i, std::move(shardings[i]));
  return {};
}

Status Reader::readConstraint(const Instruction& call) {
  const std::string_view text = frontendAttribute(call, kSharding);
  if (call.operandCount() != 1 || !call.shape().isArray())
    return invalidSharding(&call, "a call to Sharding has one array");
  if (text.empty()) {
    return refuse(call, "shardy-unsupported",
                  fmt::format("{} calls Sharding without an xla.sdy.sharding, in a module made for Shardy",
                              call.name()),
                  {"it was lowered for GSPMD; take xla.sdy.meshes out of the header to spread it so"});
  }
  const Shape leaves[] = {call.shape()};
  TRY(auto shardings, readShardings(text, leaves, partitions(), statements_.meshes, &call));
  for (int64_t dimension : openDimensionsOf(call)) {
    if (dimension < static_cast<int64_t>(shardings[0].dimensions.size()))
      shardings[0].dimensions[static_cast<size_t>(dimension)].isClosed = false;
  }
  statements_.set(&call, 0, std::move(shardings[0]));
  return {};
}

// A result of the entry takes the sharding; for other users it is an open constraint. In a called computation
// it is a constraint.
Status Reader::readResult(Instruction& call) {
  TRY_STATUS(readConstraint(call));
  const Instruction* root = module_.entry()->root();
  if (!call.parent().isEntry()) return {};
  TensorSharding sharding = *statements_.of(&call);
  Instruction* marked = call.users().empty() && !call.isRoot() ? call.operand(0) : &call;
  if (marked == root) statements_.results[0] = sharding;
  size_t leaf = 0;
  for (size_t i = 0; root->opcode() == Opcode::Tuple && i < root->operandCount(); ++i) {
    if (root->operand(i) == marked) statements_.results[leaf] = sharding;
    leaf += leavesOf(root->operand(i)->shape()).size();
  }
  const bool hasOtherUsers = std::ranges::any_of(marked->users(), [&](const Instruction* user) {
    return user != &call && (user != root || root->opcode() != Opcode::Tuple);
  });
  if (hasOtherUsers && marked == &call) {
    for (DimensionSharding& dimension : sharding.dimensions) dimension.isClosed = false;
    statements_.set(&call, 0, std::move(sharding));
    return {};
  }
  statements_.shardings.erase(&call);
  Computation& computation = call.parent();
  computation.replaceAllUses(&call, call.operand(0));
  computation.remove(&call);
  return {};
}

Status Reader::readGroup(Instruction& call) {
  if (call.operandCount() != 1 || !call.operand(0)->shape().isArray())
    return invalidSharding(&call, "a member of a sharding group is one array");
  TRY(const int64_t id, readNumber(frontendAttribute(call, "xla.sdy.sharding_group_id"), &call));
  auto& group = statements_.groups[id];
  const Instruction* member = call.operand(0);
  const auto sizes = [](const Instruction* i) { return i->shape().dimensions(); };
  if (!group.empty() && !std::ranges::equal(sizes(group[0]), sizes(member))) {
    return refuse(*member, "shard-group-mismatch",
                  fmt::format("{} is {} and in sharding group {} with {}, which is {}", member->name(),
                              toString(member->shape().withoutLayout()), id, group[0]->name(),
                              toString(group[0]->shape().withoutLayout())),
                  {"members of a group must have the same sizes"});
  }
  if (std::ranges::find(group, member) == group.end()) group.push_back(member);
  dropGroupMark(call);
  return {};
}

void Reader::dropGroupMark(Instruction& call) {
  Computation& computation = call.parent();
  if (call.shape().isArray()) computation.replaceAllUses(&call, call.operand(0));
  if (call.users().empty() && !call.isRoot()) computation.remove(&call);
}

// StableHLO in the middle of Shardy's own passes: what ties arrays together is known here without it.
Status Reader::readEdge(Instruction& call) {
  if (call.operandCount() != 1 || call.shape() != call.operand(0)->shape())
    return invalidSharding(&call, "a data-flow edge has one array");
  const std::string_view text = frontendAttribute(call, kSharding);
  const auto [origin, leaf] = originOf(call.operand(0));
  if (!text.empty()) {
    const Shape leaves[] = {call.shape()};
    TRY(auto shardings, readShardings(text, leaves, partitions(), statements_.meshes, &call));
    statements_.set(origin, leaf, std::move(shardings[0]));
  }
  Computation& computation = call.parent();
  computation.replaceAllUses(&call, call.operand(0));
  computation.remove(&call);
  return {};
}

Status Reader::readBarrier(const Instruction& call) {
  TRY(const int64_t direction, readNumber(frontendAttribute(call, "xla.sdy.allowed_direction"), &call));
  if (direction < 0 || direction > 3 || call.operandCount() != 1 || call.shape() != call.operand(0)->shape())
    return invalidSharding(&call, "a propagation barrier has one array and a direction from 0 to 3");
  statements_.barriers[&call] = direction;
  return {};
}

// A module after Shardy's insert-explicit-reshards: its collectives say how an array lies from there on.
// XLA's export makes the same copies of them.
Status Reader::readCollective(Instruction& call) {
  const std::string_view text = frontendAttribute(call, "xla.sdy.out_sharding");
  if (text.empty() || call.operandCount() != 1 || call.shape() != call.operand(0)->shape())
    return invalidSharding(&call, "a collective of Shardy has one array and an out_sharding");
  const Shape leaves[] = {call.shape()};
  TRY(auto shardings, readShardings(text, leaves, partitions(), statements_.meshes, &call));
  Instruction* operand = call.operand(0);
  call.become(Opcode::Copy, std::span<Instruction* const>(&operand, 1));
  statements_.set(&call, 0, std::move(shardings[0]));
  return {};
}

bool isCollectiveOfShardy(std::string_view target) {
  constexpr std::string_view kTargets[] = {"xla.sdy.AllGather",          "xla.sdy.AllReduce",
                                           "xla.sdy.AllSlice",           "xla.sdy.AllToAll",
                                           "xla.sdy.CollectivePermute",  "xla.sdy.ReduceScatter",
                                           "xla.sdy.ShardedToUnreduced", "xla.sdy.ReplicatedToUnreduced"};
  return std::ranges::find(kTargets, target) != std::end(kTargets);
}

Status Reader::read(Instruction& instruction) {
  if (instruction.opcode() == Opcode::Parameter) return readParameter(instruction);
  const std::string_view rule = frontendAttribute(instruction, "xla.sdy.sharding_rule");
  if (!rule.empty()) {
    TRY(ShardingRule read, readRule(rule, instruction));
    statements_.rules[&instruction] = std::move(read);
  }
  const std::string_view target = instruction.get<Attr::CustomCallTarget>();
  if (target == "Sharding") return readConstraint(instruction);
  if (target == "xla.sdy.FuncResultSharding") return readResult(instruction);
  if (target == "xla.sdy.ShardingGroup") return readGroup(instruction);
  if (target == "xla.sdy.PropagationBarrier") return readBarrier(instruction);
  if (target == "xla.sdy.DataFlowEdge") return readEdge(instruction);
  if (isCollectiveOfShardy(target)) return readCollective(instruction);
  if (target == "xla.sdy.GlobalToLocalShape" || target == "xla.sdy.LocalToGlobalShape")
    return readBorder(instruction, statements_);
  if (target.starts_with("xla.sdy."))
    return refuse(instruction, "shardy-unsupported",
                  fmt::format("{} calls {}, which Hilo does not know", instruction.name(), target),
                  {"dump the module after shardy-xla"});
  return readOwn(instruction);
}

// Of a program that takes or gives one tuple the header says it.
Status Reader::readTuples() {
  const auto attributes = module_.get<Attr::FrontendAttributes>();
  const Computation* entry = module_.entry();
  const std::string_view arguments = attributeOf(attributes, "xla.sdy.tuple_args_shardings");
  if (!arguments.empty() && entry->parameters().size() == 1) {
    const Instruction* tuple = entry->parameters()[0];
    TRY(auto shardings,
        readShardings(arguments, leavesOf(tuple->shape()), partitions(), statements_.meshes, tuple));
    for (size_t i = 0; i < shardings.size(); ++i) statements_.set(tuple, i, std::move(shardings[i]));
  }
  const std::string_view results = attributeOf(attributes, "xla.sdy.tuple_results_shardings");
  if (!results.empty()) {
    const Instruction* root = entry->root();
    TRY(auto shardings,
        readShardings(results, leavesOf(root->shape()), partitions(), statements_.meshes, root));
    for (size_t i = 0; i < shardings.size(); ++i) statements_.results[i] = std::move(shardings[i]);
  }
  return {};
}

Status Reader::run() {
  const std::string_view meshes = attributeOf(module_.get<Attr::FrontendAttributes>(), "xla.sdy.meshes");
  if (!meshes.empty()) TRY_STATUS(readMeshes(meshes, partitions(), statements_.meshes));
  statements_.results.resize(leavesOf(module_.entry()->root()->shape()).size());
  TRY_STATUS(readTuples());
  for (Computation* computation : module_.computations()) {
    for (Instruction* instruction : computation->instructions()) TRY_STATUS(read(*instruction));
  }
  return findRegions(module_, statements_);
}

}  // namespace

const TensorSharding* Statements::of(const Instruction* instruction, size_t leaf) const {
  const auto found = shardings.find(instruction);
  if (found == shardings.end() || leaf >= found->second.size() || !found->second[leaf]) return nullptr;
  return &*found->second[leaf];
}

void Statements::set(const Instruction* instruction, size_t leaf, TensorSharding sharding) {
  auto& leaves = shardings[instruction];
  if (leaves.size() <= leaf) leaves.resize(leaf + 1);
  leaves[leaf] = std::move(sharding);
}

std::string_view frontendAttribute(const Instruction& instruction, std::string_view name) {
  return attributeOf(instruction.get<Attr::FrontendAttributes>(), name);
}

bool isConstraint(const Instruction& instruction) {
  const std::string_view target = instruction.get<Attr::CustomCallTarget>();
  return target == "Sharding" || target == "xla.sdy.FuncResultSharding";
}

void dropUnitAxes(Statements& statements) {
  const auto drop = [](TensorSharding& sharding) {
    const auto isUnit = [](const AxisRef& axis) { return axis.size == 1; };
    std::erase_if(sharding.replicated, isUnit);
    std::erase_if(sharding.unreduced, isUnit);
    for (DimensionSharding& dimension : sharding.dimensions) {
      std::erase_if(dimension.axes, isUnit);
      if (dimension.isClosed && dimension.axes.empty()) dimension.priority = 0;
    }
  };
  for (auto& [instruction, leaves] : statements.shardings) {
    for (auto& sharding : leaves) {
      if (sharding) drop(*sharding);
    }
  }
  for (auto& [call, border] : statements.borders) std::ranges::for_each(border.shardings, drop);
  for (auto& sharding : statements.results) {
    if (sharding) drop(*sharding);
  }
}

Result<Statements> readStatements(Module& module) {
  Statements statements;
  TRY_STATUS(Reader(module, statements).run());
  return statements;
}

}  // namespace hilo::sdy
