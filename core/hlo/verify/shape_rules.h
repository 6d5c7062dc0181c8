// One shape rule an op family; the table that joins them to opcodes is shape_rules.def. Each takes an OpView
// whose operand count has been checked where ops.def states one. XLA's shape_inference.cc is the behaviour
// they match, with the checks of hlo_verifier.cc that belong to the same question.
#pragma once

#include "core/hlo/verify/op_view.h"

namespace hilo {

// The rule of an opcode; null only for one that the table lacks, which a test refuses.
ShapeRule shapeRule(Opcode opcode);

InferResult inferUnary(const OpView& op);
InferResult inferBinary(const OpView& op);
#define SHAPE(opcode, rule) InferResult rule(const OpView& op);
#include "core/hlo/verify/shape_rules.def"

// Shared by convolution and the window reductions: the sizes `window` gives over `base` sizes.
struct WindowedSize {
  int64_t size = 0;
  bool dynamic = false;
};
Result<WindowedSize> windowedSize(const OpView& op, const WindowDimension& window, int64_t base,
                                  bool dynamic);

// What the devices of a collective do together. Numbers of a group follow XLA's collective group modes:
// use_global_device_ids and channel_id together decide whether ids are replicas, partitions or both.
enum class GroupMode : uint8_t { CrossReplica, CrossPartition, CrossReplicaAndPartition, FlattenedId };
std::string_view groupModeText(GroupMode mode);
Result<GroupMode> groupMode(const OpView& op);
// Devices in the first group, or in all when no group is written. At least 1.
int64_t subgroupSize(const OpView& op, GroupMode mode);

}  // namespace hilo
