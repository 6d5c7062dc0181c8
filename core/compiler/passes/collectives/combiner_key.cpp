#include "core/compiler/passes/collectives/combiner_key.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "core/compiler/passes/gpu_config.h"
#include "core/compiler/schedule/scheduling_annotation.h"

namespace hilo {
namespace {

const Instruction* withoutConverts(const Instruction* value) {
  while (value->opcode() == Opcode::Convert) value = value->operand(0);
  return value;
}

// The operation a reducer applies, in its own type or a wider one; none when it is not one binary operation
// on its parameters.
std::optional<Opcode> reducerOpcode(const Instruction& collective) {
  const Computation* reducer = collective.get<Attr::ToApply>();
  if (reducer == nullptr || reducer->root() == nullptr || reducer->parameters().size() != 2)
    return std::nullopt;
  const Instruction& root = *withoutConverts(reducer->root());
  if (root.operandCount() != 2) return std::nullopt;
  const Instruction *left = withoutConverts(root.operand(0)), *right = withoutConverts(root.operand(1));
  const bool binary =
      left->opcode() == Opcode::Parameter && right->opcode() == Opcode::Parameter && left != right;
  return binary ? std::optional(root.opcode()) : std::nullopt;
}

// "" where it is not stated.
std::string_view stated(const Instruction& collective, std::string_view name) {
  for (const FrontendAttribute& attribute : collective.get<Attr::FrontendAttributes>()) {
    if (attribute.name == name) return attribute.value;
  }
  return "";
}

// The devices it sends from and to.
std::string permuteKeyOf(const Instruction& permute) {
  std::string key = permute.has(Attr::ChannelId) ? " channel" : "";
  for (const auto pair : permute.get<Attr::SourceTargetPairs>())
    key += fmt::format(" {}", fmt::join(pair, ","));
  return key;
}

// What the program says must stay apart.
std::string statedKeyOf(const Instruction& collective) {
  std::string key;
  for (const std::string_view name : {"combiner_key", "collective_group_key"}) {
    if (const std::string_view value = stated(collective, name); !value.empty())
      key += fmt::format(" {}={}", name, value);
  }
  return key;
}

std::string groupsKeyOf(const Instruction& collective) {
  std::string key;
  if (const ReplicaGroups* groups = collective.get<Attr::ReplicaGroups>()) {
    for (const auto& group : expandReplicaGroups(*groups))
      key += fmt::format(" {{{}}}", fmt::join(group, ","));
  }
  return key + fmt::format(" {} {} {}", collective.has(Attr::ChannelId),
                           collective.get<Attr::UseGlobalDeviceIds>().value_or(false),
                           collective.get<Attr::ConstrainLayout>().value_or(false));
}

}  // namespace

bool isPipelinedCollective(const Instruction& collective) {
  return gpuConfig(collective, "collective_backend_config", "is_pipelined") == "true";
}

bool isStatedSynchronous(const Instruction& collective) {
  return stated(collective, "sync_collective") == "true";
}

std::string combinerKeyOf(const Instruction& collective) {
  if (!collective.shape().isArray() || collective.operandCount() != 1) return {};
  std::string key = fmt::format("{}{}", opcodeName(collective.opcode()), statedKeyOf(collective));
  if (collective.opcode() == Opcode::CollectivePermute) return key + permuteKeyOf(collective);
  if (isPipelinedCollective(collective)) key += " pipelined";
  if (collective.opcode() == Opcode::AllReduce && !stated(collective, kSchedulingGroupAttribute).empty())
    return {};
  if (collective.opcode() != Opcode::AllGather) {
    const auto reducer = reducerOpcode(collective);
    if (!reducer) return {};
    // The reducer's parameters have one type.
    key += fmt::format(" {} {}", opcodeName(*reducer), elementTypeName(collective.shape().elementType()));
  }
  return key + fmt::format(" [{}]", fmt::join(collective.dimensions(), ",")) + groupsKeyOf(collective);
}

}  // namespace hilo
