#include "core/compiler/passes/collectives/group_sharding.h"

#include "core/hlo/ir/sharding.h"

namespace hilo {
namespace {

int64_t leavesOf(Shape shape) {
  if (!shape.isTuple()) return 1;
  int64_t leaves = 0;
  for (const Shape element : shape.tupleShapes()) leaves += leavesOf(element);
  return std::max<int64_t>(leaves, 1);
}

void appendLeaves(std::span<Instruction* const> values, std::vector<Sharding>& leaves) {
  for (const Instruction* value : values) {
    const Sharding* sharding = value->get<Attr::Sharding>();
    if (sharding != nullptr && sharding->type == Sharding::Type::Tuple) {
      leaves.insert(leaves.end(), sharding->elements.begin(), sharding->elements.end());
    } else {
      leaves.insert(leaves.end(), static_cast<size_t>(leavesOf(value->shape())),
                    sharding == nullptr ? Sharding{.type = Sharding::Type::Unknown} : *sharding);
    }
  }
}

void setLeaves(Instruction& instruction, std::span<const Sharding> leaves) {
  const Sharding tuple{.type = Sharding::Type::Tuple, .elements = leaves};
  instruction.set<Attr::Sharding>(&tuple);
}

bool anyIsSharded(std::span<Instruction* const> values) {
  return std::ranges::any_of(values, [](const Instruction* value) { return value->has(Attr::Sharding); });
}

}  // namespace

void shardGroup(std::span<Instruction* const> members, std::span<Instruction* const> operands,
                Instruction& start, Instruction& done, Instruction& results) {
  if (!anyIsSharded(members) && !anyIsSharded(operands)) return;
  std::vector<Sharding> leaves;
  if (anyIsSharded(members)) {
    appendLeaves(members, leaves);
    setLeaves(done, leaves);
    setLeaves(results, leaves);
    leaves.clear();
  }
  appendLeaves(operands, leaves);
  appendLeaves(members, leaves);
  setLeaves(start, leaves);
}

}  // namespace hilo
