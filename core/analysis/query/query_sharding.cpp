#include "core/analysis/query/query_sharding.h"

#include <algorithm>

#include "core/analysis/partition_groups.h"
#include "core/hlo/ir/op_facts.h"
#include "core/hlo/text/print.h"

namespace hilo {
namespace {

std::string textOf(const Sharding& sharding) {
  std::string text;
  appendSharding(text, sharding, false);
  return text;
}

bool matches(const TextPattern& pattern, const Sharding& sharding) {
  if (!sharding.elements.empty())
    return std::ranges::any_of(sharding.elements, [&](const Sharding& s) { return matches(pattern, s); });
  const std::string text = textOf(sharding);
  const bool isBraced = text.size() > 2 && text.front() == '{' && text.back() == '}';
  return pattern.matches(text) ||
         (isBraced && pattern.matches(std::string_view(text).substr(1, text.size() - 2)));
}

// What tells apart the groups of collectives: the numbers written.
std::string groupsText(const Instruction& collective) {
  std::string text;
  for (const auto& group : partitionGroups(collective)) text += fmt::format("{};", fmt::join(group, ","));
  return text;
}

void addAxes(const DeviceMesh& mesh, const Sharding& sharding, Shape shape, AxisNames& axes) {
  if (shape.isTuple()) {
    const auto shapes = shape.tupleShapes();
    for (size_t i = 0; i < std::min(shapes.size(), sharding.elements.size()); ++i)
      addAxes(mesh, sharding.elements[i], shapes[i], axes);
    return;
  }
  if (!shape.isArray()) return;
  for (const AxisNames& of : axesOfDimensions(mesh, sharding, shape.rank()))
    axes.insert(axes.end(), of.begin(), of.end());
}

}  // namespace

bool ShardingFacts::hasSharding(const TextPattern& pattern, const Instruction& instruction) const {
  const Sharding* sharding = instruction.get<Attr::Sharding>();
  return sharding != nullptr && matches(pattern, *sharding);
}

const AxisNames& ShardingFacts::axesOf(const Instruction& instruction) {
  if (!mesh_) mesh_ = deviceMesh(module_);
  const Sharding* sharding = instruction.get<Attr::Sharding>();
  const bool isCollective = startsCollective(instruction.opcode());
  std::string key = isCollective ? groupsText(instruction)
                                 : fmt::format("{}{}", textOf(*sharding), toString(instruction.shape()));
  const auto [found, isNew] = known_.try_emplace(std::move(key));
  if (!isNew) return found->second;
  if (isCollective) {
    found->second = axesOfGroups(*mesh_, partitionGroups(instruction));
  } else {
    addAxes(*mesh_, *sharding, instruction.shape(), found->second);
  }
  return found->second;
}

bool ShardingFacts::runsAlong(const TextPattern& pattern, const Instruction& instruction) {
  if (!instruction.has(Attr::Sharding) && !startsCollective(instruction.opcode())) return false;
  // "tensor:(2)4" is a part of tensor.
  return std::ranges::any_of(axesOf(instruction), [&](const std::string& axis) {
    return pattern.matches(axis) || pattern.matches(std::string_view(axis).substr(0, axis.find(":(")));
  });
}

bool ShardingFacts::isReshard(const TextPattern& pattern, const Instruction& instruction) {
  const auto isMark = [](const FrontendAttribute& attribute) {
    return attribute.name == "is_spmd_generated";
  };
  return startsCollective(instruction.opcode()) &&
         std::ranges::any_of(instruction.get<Attr::FrontendAttributes>(), isMark) &&
         pattern.matches(instruction.opcodeText());
}

}  // namespace hilo
