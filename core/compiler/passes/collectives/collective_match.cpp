#include "core/compiler/passes/collectives/collective_match.h"

#include "core/hlo/eval/collective_groups.h"
#include "core/hlo/ir/attribute_equality.h"
#include "core/hlo/ir/combiner.h"
#include "core/hlo/ir/device_grid.h"

namespace hilo {

namespace {
bool sameAttribute(const Instruction& a, const Instruction& b, Attr attr) {
  return a.has(attr) == b.has(attr) && (!a.has(attr) || sameValue(*a.find(attr), *b.find(attr)));
}
}  // namespace

bool sameButGroups(const Instruction& a, const Instruction& b) {
  if (a.opcode() != b.opcode() || a.has(Attr::ChannelId) != b.has(Attr::ChannelId)) return false;
  if (a.has(Attr::ToApply) && (!combinerOf(a) || combinerOf(a) != combinerOf(b))) return false;
  return sameAttribute(a, b, Attr::Dimensions) && sameAttribute(a, b, Attr::UseGlobalDeviceIds) &&
         sameAttribute(a, b, Attr::ConstrainLayout);
}

bool sameCollective(const Instruction& a, const Instruction& b) {
  return sameButGroups(a, b) && sameAttribute(a, b, Attr::ReplicaGroups);
}

std::string_view collectiveGroupKey(const Instruction& collective) {
  for (const FrontendAttribute& attribute : collective.get<Attr::FrontendAttributes>()) {
    if (attribute.name == "collective_group_key") return attribute.value;
  }
  return "";
}

std::optional<int64_t> groupSizeOf(const Instruction& collective) {
  const DeviceGrid grid = gridOf(collective.module());
  std::optional<int64_t> size;
  for (int64_t device = 0; device < grid.count(); ++device) {
    const auto group = groupOf(collective, grid, device);
    if (!group) return std::nullopt;
    const auto count = static_cast<int64_t>(group->size());
    if (size && *size != count) return std::nullopt;
    size = count;
  }
  return size;
}

std::optional<Opcode> combinerOf(const Instruction& instruction) {
  const Computation* combiner = instruction.get<Attr::ToApply>();
  if (combiner == nullptr || combiner->instructionCount() != 3) return std::nullopt;
  return operationOnBoth(*combiner);
}

}  // namespace hilo
