#include "core/compiler/passes/collectives/collective_attributes.h"

#include <algorithm>

#include "core/compiler/pass/clone_computation.h"
#include "core/compiler/pass/next_channel.h"

namespace hilo {

Instruction* createAmongSame(const Instruction& like, Opcode opcode, Shape shape, Instruction* operand,
                             Instruction& before) {
  Instruction* made = before.parent().create(opcode, shape, {operand}, {}, &before);
  for (const Attribute& attribute : like.attributes()) {
    if (attribute.key != Attr::UniqueId && attribute.key != Attr::ToApply &&
        attribute.key != Attr::ControlPredecessors)
      made->attributeList().append(before.module().arena(), attribute);
  }
  return made;
}

std::vector<std::vector<int64_t>> writtenGroups(const Instruction& collective) {
  const ReplicaGroups* groups = collective.get<Attr::ReplicaGroups>();
  return groups == nullptr ? std::vector<std::vector<int64_t>>() : expandReplicaGroups(*groups);
}

void setGroups(Instruction& collective, const std::vector<std::vector<int64_t>>& groups) {
  const std::vector<std::span<const int64_t>> lists(groups.begin(), groups.end());
  ReplicaGroups value;
  value.groups = lists;
  collective.set<Attr::ReplicaGroups>(&value);
}

void setPairs(Instruction& permute, const std::vector<std::pair<int64_t, int64_t>>& pairs) {
  std::vector<std::vector<int64_t>> lists;
  for (const auto& [source, target] : pairs) lists.push_back({source, target});
  permute.set<Attr::SourceTargetPairs>(std::vector<std::span<const int64_t>>(lists.begin(), lists.end()));
}

void giveOwnChannel(Instruction& collective) {
  if (collective.has(Attr::ChannelId)) collective.set<Attr::ChannelId>(nextChannel(collective.module()));
}

std::string_view frontendValue(const Instruction& instruction, std::string_view name) {
  for (const FrontendAttribute& attribute : instruction.get<Attr::FrontendAttributes>()) {
    if (attribute.name == name) return attribute.value;
  }
  return "";
}

void setFrontendValue(Instruction& instruction, std::string_view name, std::string_view value) {
  const auto had = instruction.get<Attr::FrontendAttributes>();
  std::vector<FrontendAttribute> attributes(had.begin(), had.end());
  std::erase_if(attributes, [name](const FrontendAttribute& each) { return each.name == name; });
  if (!value.empty()) attributes.push_back({.name = name, .value = value});
  std::ranges::sort(attributes, {}, &FrontendAttribute::name);
  if (attributes.empty()) {
    instruction.erase(Attr::FrontendAttributes);
  } else {
    instruction.set<Attr::FrontendAttributes>(attributes);
  }
}

Computation* combinerOfType(Computation& combiner, ElementType type) {
  if (combiner.root()->shape().elementType() == type) return &combiner;
  Computation* copy = cloneComputation(combiner, &combiner);
  for (Instruction* i : copy->instructions()) i->setShape(i->shape().withElementType(type));
  return copy;
}

}  // namespace hilo
