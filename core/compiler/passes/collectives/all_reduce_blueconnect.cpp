#include "core/compiler/passes/collectives/all_reduce_blueconnect.h"

#include <map>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/collectives/collective_attributes.h"
#include "core/compiler/passes/control_edges.h"
#include "core/compiler/passes/shape_ops.h"
#include "core/hlo/eval/collective_groups.h"

namespace hilo {
namespace {

using Groups = std::vector<std::vector<int64_t>>;

// Those that scatter and gather, and those that reduce what was scattered. Of the first all have one size.
struct Stages {
  Groups near, far;
};

// Whether numbers in groups are devices, one each.
bool namesDevices(const Instruction& allReduce) {
  const auto mode = groupModeOf(allReduce);
  return mode && (*mode == DeviceGroupMode::FlattenedId ||
                  (*mode == DeviceGroupMode::CrossReplica && allReduce.module().partitionCount() == 1));
}

Groups groupsOf(const Instruction& allReduce) {
  Groups groups = writtenGroups(allReduce);
  if (!groups.empty()) return groups;
  groups.emplace_back();
  const Module& module = allReduce.module();
  for (int64_t k = 0; k < module.replicaCount() * module.partitionCount(); ++k) groups[0].push_back(k);
  return groups;
}

// One group by hosts; nullopt where hosts have different numbers of its devices, or it is too small.
std::optional<Stages> stagesOf(const std::vector<int64_t>& group, const Hosts& hosts) {
  std::map<int64_t, std::vector<int64_t>> byHost;
  for (const int64_t device : group) byHost[device / hosts.devices].push_back(device);
  const size_t local = byHost.begin()->second.size(), size = std::max<size_t>(local, 2);
  const bool isEven =
      std::ranges::all_of(byHost, [&](const auto& host) { return host.second.size() == local; });
  if (!isEven || group.size() % size != 0 || group.size() / size < 2) return std::nullopt;
  Stages stages{Groups(group.size() / size), Groups(size)};
  size_t k = 0;
  for (const auto& [host, devices] : byHost) {
    for (const int64_t device : devices) {
      stages.near[k / size].push_back(device);
      stages.far[k % size].push_back(device);
      ++k;
    }
  }
  return stages;
}

std::optional<Stages> stagesOf(const Instruction& allReduce, const Hosts& hosts) {
  if (!namesDevices(allReduce)) return std::nullopt;
  Stages all;
  for (const std::vector<int64_t>& group : groupsOf(allReduce)) {
    if (group.empty()) return std::nullopt;
    const auto stages = stagesOf(group, hosts);
    if (!stages || (!all.near.empty() && all.near[0].size() != stages->near[0].size())) return std::nullopt;
    all.near.insert(all.near.end(), stages->near.begin(), stages->near.end());
    all.far.insert(all.far.end(), stages->far.begin(), stages->far.end());
  }
  const auto parts = static_cast<int64_t>(all.near[0].size());
  const bool divides = std::ranges::all_of(allReduce.operands(), [&](const Instruction* operand) {
    return operand->shape().isArray() && operand->shape().elementCount() % parts == 0;
  });
  return divides ? std::optional(all) : std::nullopt;
}

std::vector<Instruction*> resultsOf(Instruction* collective, Instruction& before) {
  if (!collective->shape().isTuple()) return {collective};
  std::vector<Instruction*> results;
  for (size_t k = 0; k < collective->shape().tupleShapes().size(); ++k)
    results.push_back(elementOfTuple(collective, static_cast<int64_t>(k), before));
  return results;
}

class Decomposition {
 public:
  Decomposition(Instruction& allReduce, const Stages& stages) : allReduce_(allReduce), stages_(stages) {}

  struct Made {
    Instruction *scatter, *reduce, *result;
  };
  Made make() {
    const auto parts = static_cast<int64_t>(stages_.near[0].size());
    std::vector<Instruction*> flat;
    for (Instruction* operand : allReduce_.operands())
      flat.push_back(bitcastTo(operand, vectorOf(*operand, 1), allReduce_));
    Instruction* scatter = among(stages_.near, Opcode::ReduceScatter, flat, parts);
    Instruction* reduce = among(stages_.far, Opcode::AllReduce, resultsOf(scatter, allReduce_), parts);
    Instruction* gather = among(stages_.near, Opcode::AllGather, resultsOf(reduce, allReduce_), 1);
    std::vector<Instruction*> results = resultsOf(gather, allReduce_);
    for (size_t k = 0; k < results.size(); ++k)
      results[k] = bitcastTo(results[k], allReduce_.operand(k)->shape(), allReduce_);
    Instruction* result = results[0];
    if (results.size() > 1)
      result = allReduce_.parent().create(Opcode::Tuple, allReduce_.shape(), results, {}, &allReduce_);
    return {scatter, reduce, result};
  }

 private:
  static Shape vectorOf(const Instruction& value, int64_t parts) {
    return arrayLike(value.shape(), value.shape().elementType(),
                     std::vector<int64_t>{value.shape().elementCount() / parts});
  }

  Instruction* among(const Groups& groups, Opcode opcode, const std::vector<Instruction*>& values,
                     int64_t parts) {
    std::vector<Shape> shapes;
    for (const Instruction* operand : allReduce_.operands()) shapes.push_back(vectorOf(*operand, parts));
    Instruction* made = createAmongSame(
        allReduce_, opcode, shapes.size() == 1 ? shapes[0] : Shape::tuple(shapes), values[0], allReduce_);
    for (size_t k = 1; k < values.size(); ++k) made->appendOperand(values[k]);
    setGroups(*made, groups);
    const int64_t first[] = {0};
    if (opcode != Opcode::AllReduce) made->set<Attr::Dimensions>(first);
    if (opcode != Opcode::AllGather) made->set<Attr::ToApply>(allReduce_.get<Attr::ToApply>());
    return made;
  }

  Instruction& allReduce_;
  const Stages& stages_;
};

bool decompose(Instruction& allReduce, PassContext& context, const Hosts& hosts) {
  Instruction* at = &allReduce;
  bool changed = false;
  while (const auto stages = stagesOf(*at, hosts)) {
    if (!context.mayChange(allReduce)) break;
    Computation& computation = at->parent();
    const auto made = Decomposition(*at, *stages).make();
    context.remark(allReduce, "decomposed",
                   fmt::format("%{} among {} devices, then %{}", made.scatter->name(), stages->near[0].size(),
                               made.reduce->name()));
    if (const auto before = at->get<Attr::ControlPredecessors>(); !before.empty())
      made.scatter->set<Attr::ControlPredecessors>(before);
    computation.replaceAllUses(at, made.result);
    redirectControlPredecessors(computation, {{at, made.result}});
    computation.remove(at);
    at = made.reduce;
    changed = true;
  }
  return changed;
}

}  // namespace

Result<bool> reduceByHosts(Module& module, PassContext& context, const Hosts& hosts) {
  std::vector<Instruction*> allReduces;
  for (const Computation* computation : unfusedComputations(module)) {
    for (Instruction* i : computation->instructions()) {
      if (i->opcode() != Opcode::AllReduce) continue;
      if (i->get<Attr::ConstrainLayout>().value_or(false)) return false;
      allReduces.push_back(i);
    }
  }
  bool changed = false;
  for (Instruction* i : allReduces) {
    if (context.cancelled()) return changed;
    changed |= decompose(*i, context, hosts);
  }
  return changed;
}

}  // namespace hilo
