// The collectives that the partitioner makes.
#include "core/compiler/spmd/local_builder.h"

namespace hilo {
namespace {

void setGroups(Instruction* made, const DeviceGroups& groups) {
  const auto count = static_cast<int64_t>(groups.devices.size()) / groups.size;
  ReplicaGroups value;
  const auto iota = groups.devices.iota();
  const std::vector<int64_t> listed = iota ? std::vector<int64_t>() : groups.devices.list();
  std::vector<std::span<const int64_t>> lists;
  if (iota) {
    value = {.form = ReplicaGroups::Form::Iota,
             .groupCount = count,
             .groupSize = groups.size,
             .iota = {.reshapeDimensions = iota->reshape, .transposePermutation = iota->permutation}};
  } else {
    for (int64_t i = 0; i < count; ++i)
      lists.push_back(
          std::span(listed).subspan(static_cast<size_t>(i * groups.size), static_cast<size_t>(groups.size)));
    value.groups = lists;
  }
  made->set<Attr::ReplicaGroups>(&value);
}

// As XLA: what the operand has, and who made it.
void markAsGenerated(Instruction* made) {
  const auto had = made->operand(0)->get<Attr::FrontendAttributes>();
  std::vector<FrontendAttribute> attributes(had.begin(), had.end());
  std::erase_if(attributes, [](const FrontendAttribute& a) { return a.name == "is_spmd_generated"; });
  attributes.push_back({.name = "is_spmd_generated", .value = "true"});
  std::ranges::sort(attributes, {}, &FrontendAttribute::name);
  made->set<Attr::FrontendAttributes>(attributes);
}

}  // namespace

// By global ids: of the devices of all replicas.
Instruction* LocalBuilder::collective(Instruction* made, const DeviceGroups& groups, bool byGlobalId) {
  made->set<Attr::ChannelId>(nextChannel_++);
  const int64_t replicas = byGlobalId ? module_.replicaCount() : 1;
  if (groups.devices.size() > 0) setGroups(made, {groups.devices.repeated(replicas), groups.size});
  if (byGlobalId) made->set<Attr::UseGlobalDeviceIds>(true);
  markAsGenerated(made);
  remark(opcodeName(made->opcode()),
         fmt::format("%{} {}: {}", made->name(), toString(made->shape().withoutLayout()), wordsOf(cause_)),
         factsOf(CollectiveRemark{std::string(made->name()), cause_}));
  return made;
}

Instruction* LocalBuilder::allGather(Instruction* array, int64_t dimension, const DeviceGroups& groups) {
  std::vector<int64_t> sizes(array->shape().dimensions().begin(), array->shape().dimensions().end());
  sizes[static_cast<size_t>(dimension)] *= groups.size;
  Instruction* made = make(Opcode::AllGather, shapeLike(array->shape(), sizes), {array});
  made->set<Attr::Dimensions>(std::span<const int64_t>(&dimension, 1));
  return collective(made, groups, true);
}

Instruction* LocalBuilder::allToAll(Instruction* array, int64_t dimension, const DeviceGroups& groups) {
  Instruction* made = make(Opcode::AllToAll, array->shape(), {array});
  made->set<Attr::Dimensions>(std::span<const int64_t>(&dimension, 1));
  return collective(made, groups, false);
}

Instruction* LocalBuilder::allReduce(Instruction* array, Opcode combiner, const DeviceGroups& groups) {
  Instruction* made = make(Opcode::AllReduce, array->shape(), {array});
  made->set<Attr::ToApply>(combinerOf(combiner, array->shape().elementType()));
  return collective(made, groups, true);
}

Instruction* LocalBuilder::permute(Instruction* array, std::span<const std::pair<int64_t, int64_t>> pairs) {
  Instruction* made = make(Opcode::CollectivePermute, array->shape(), {array});
  std::vector<std::array<int64_t, 2>> rows;
  for (const auto& [source, target] : pairs) rows.push_back({source, target});
  std::vector<std::span<const int64_t>> lists(rows.begin(), rows.end());
  made->set<Attr::SourceTargetPairs>(lists);
  return collective(made, {}, false);
}

Computation* LocalBuilder::combinerOf(Opcode opcode, ElementType type) {
  const std::string name = fmt::format("{}.spmd", opcodeName(opcode));
  Computation* made = module_.createComputation(module_.uniqueName(name), module_.computations().front());
  const bool hasLayouts = at_->shape().isArray() && at_->shape().layout() != nullptr;
  const Shape scalar = hasLayouts ? Shape::scalar(type).withDefaultLayout() : Shape::scalar(type);
  Instruction* a = made->createParameter(0, scalar);
  Instruction* b = made->createParameter(1, scalar);
  made->setRoot(made->create(opcode, scalar, {a, b}));
  return made;
}

}  // namespace hilo
