// Scheduling groups: instructions that carry the frontend attribute _scheduling_group_id="GROUP" or
// "GROUP:ITERATION" are scheduled together. Either may be left out. A group is not negative; an iteration
// says where pipelining is to move the instruction: 1 an iteration later, -1 earlier. XLA's
// service/scheduling_annotations_util.h.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

struct SchedulingAnnotation {
  std::optional<int64_t> group;
  std::optional<int64_t> iteration;
  friend auto operator<=>(const SchedulingAnnotation&, const SchedulingAnnotation&) = default;
};

inline constexpr std::string_view kSchedulingGroupAttribute = "_scheduling_group_id";
// In place of an annotation: none.
inline constexpr std::string_view kNoSchedulingGroup = "noop";

// nullopt when the instruction has none. With XLA's messages; error kind: "bad-scheduling-annotation".
Result<std::optional<SchedulingAnnotation>> schedulingAnnotation(const Instruction& instruction);
std::string toString(const SchedulingAnnotation& annotation);
void setSchedulingAnnotation(Instruction& instruction, const SchedulingAnnotation& annotation);
// True when there was one.
bool removeSchedulingAnnotation(Instruction& instruction);
// One more than the largest group of the module; 0 when there is none.
int64_t nextSchedulingGroup(const Module& module);

// The groups of one computation, each with its instructions in order.
class SchedulingGroups {
 public:
  static Result<SchedulingGroups> of(const Computation& computation);
  struct Group {
    int64_t id;
    std::vector<const Instruction*> instructions;
  };
  std::span<const Group> all() const { return groups_; }
  std::span<const Instruction* const> instructions(int64_t id) const;

 private:
  std::vector<Group> groups_;  // in the order of their first instructions
};

}  // namespace hilo
