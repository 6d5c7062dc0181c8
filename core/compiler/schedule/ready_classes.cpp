#include "core/compiler/schedule/ready_classes.h"

#include "core/analysis/backend.h"
#include "core/base/check.h"

namespace hilo {
namespace {

bool canClass(const SchedulingState& state) {
  const SchedulerConfig& config = state.config;
  const bool gpu = config.backend == Backend::Gpu;
  return state.rule == nullptr && !config.enableSelectiveResources && !config.resourceSerializing &&
         !config.enableReleaseStartPolicy && !(gpu && config.collectiveMultiStreaming);
}

std::string textOf(const NodeResources& resources) {
  std::string text;
  for (const ResourcesVector* list : {&resources.all, &resources.net}) {
    for (const ResourcePair& pair : *list)
      text += fmt::format("{},{};", static_cast<int>(pair.resource), static_cast<int>(pair.usage));
    text += '|';
  }
  for (const ResourceCount& count : resources.counts)
    text += fmt::format("{},{};", static_cast<int>(count.resource), count.count);
  return text;
}

}  // namespace

ReadyClasses::ReadyClasses(const SchedulingState& state) : state_(state), isOn_(canClass(state)) {
  classOf_.assign(state.graph.nodes().size(), kAbsent);
  if (!isOn_) return;
  absl::flat_hash_map<std::string, uint32_t> kinds;
  for (const NodeResources& resources : state.graph.allResources())
    resourceKinds_.push_back(
        kinds.try_emplace(textOf(resources), static_cast<uint32_t>(kinds.size())).first->second);
}

bool ReadyClasses::takes(NodeIndex index) const {
  const ScheduleNode& node = state_.node(index);
  // A start is compared by its depth, a send to the host by when its start could follow.
  const bool looksCloser = node.releasesNonextendable || node.opcode == Opcode::SendDone ||
                           (node.releases && state_.config.collectiveStartAsEarlyAsPossible);
  return isOn_ && node.annotation == kNoAnnotation && !looksCloser;
}

ReadyClasses::Key ReadyClasses::keyOf(NodeIndex index) const {
  const ScheduleNode& node = state_.node(index);
  Key key{.resources = resourceKinds_[node.resources],
          .forceDelayPriority = node.forceDelayPriority,
          .readyNodesIfScheduled = node.readyNodesIfScheduled,
          .preference = node.preference,
          .cost = node.cost};
  const bool startIsDelayed = node.startOfDone != UINT32_MAX && state_.node(node.startOfDone).forceDelay;
  uint32_t bit = 0;
  for (const bool flag :
       {node.forceEarly, node.forceDelay, node.forceDelayAfterTarget, node.hasPreference, node.isAsyncStart,
        node.isAsyncDone, node.hasAsyncDoneOperand, node.hasAsyncStartUser, node.occupies, node.releases,
        node.updatesHostSlice, node.asyncDepth == 0, startIsDelayed, node.startOfDone != UINT32_MAX})
    key.flags |= static_cast<uint32_t>(flag) << bit++;
  if (node.isAsyncDone) key.flags |= static_cast<uint32_t>(node.opcode) << 16;
  return key;
}

void ReadyClasses::file(NodeIndex index) {
  const ScheduleNode& node = state_.node(index);
  const auto [id, isNew] = ids_.try_emplace(keyOf(index), static_cast<int32_t>(classes_.size()));
  if (isNew) classes_.emplace_back();
  Class& into = classes_[static_cast<size_t>(id->second)];
  const auto position = static_cast<int64_t>(index);
  into.nodes.push({state_.topDown() ? node.asyncHeight : node.asyncDepth,
                   state_.topDown() ? -position : position, index});
  classOf_[index] = id->second;
  if (!std::exchange(into.isListed, true)) listed_.push_back(id->second);
}

void ReadyClasses::add(NodeIndex index) {
  CHECK(classOf_[index] == kAbsent);
  ++count_;
  if (state_.node(index).readyTime > state_.currentTime) {
    classOf_[index] = kWaiting;
    waiting_.push_back(index);
  } else {
    file(index);
  }
}

void ReadyClasses::update(NodeIndex index) {
  if (classOf_[index] != kAbsent && classOf_[index] != kWaiting) file(index);
}

void ReadyClasses::remove(NodeIndex index) {
  CHECK(classOf_[index] != kAbsent);
  --count_;
  if (classOf_[index] == kWaiting) std::erase(waiting_, index);
  classOf_[index] = kAbsent;
}

void ReadyClasses::fileThoseWhoseTimeHasCome() {
  std::erase_if(waiting_, [&](NodeIndex index) {
    if (state_.node(index).readyTime > state_.currentTime) return false;
    file(index);
    return true;
  });
}

std::optional<NodeIndex> ReadyClasses::bestOfClass(int32_t classId) {
  auto& nodes = classes_[static_cast<size_t>(classId)].nodes;
  while (!nodes.empty() && classOf_[nodes.top().node] != classId) nodes.pop();
  return nodes.empty() ? std::nullopt : std::optional(nodes.top().node);
}

const std::vector<NodeIndex>& ReadyClasses::candidates() {
  fileThoseWhoseTimeHasCome();
  if (state_.memoryIsShort()) {
    candidates_ = all();
    return candidates_;
  }
  candidates_ = waiting_;
  std::erase_if(listed_, [&](int32_t id) {
    if (const auto best = bestOfClass(id)) {
      candidates_.push_back(*best);
      return false;
    }
    classes_[static_cast<size_t>(id)].isListed = false;
    return true;
  });
  return candidates_;
}

std::vector<NodeIndex> ReadyClasses::all() const {
  std::vector<NodeIndex> nodes;
  for (NodeIndex i = 0; i < classOf_.size(); ++i) {
    if (classOf_[i] != kAbsent) nodes.push_back(i);
  }
  return nodes;
}

}  // namespace hilo
