#include "core/analysis/schedule/schedule_chart.h"

#include "core/analysis/async_op.h"
#include "core/analysis/work_class.h"

namespace hilo {
namespace {

constexpr std::string_view kGroupAttribute = "_scheduling_group_id";

OpcodeClass classOf(const Instruction& instruction) {
  const CanonicalAsyncOp op = canonicalAsyncOp(instruction, true);
  return op.role == AsyncRole::None ? workClass(instruction) : opcodeClass(op.inner);
}

double onceNs(const TimelineEvent& block) {
  return (block.endNs - block.startNs) / static_cast<double>(std::max<int64_t>(1, block.repeat));
}

// Time in a computation as it passes and as it is laid out, where loops take one iteration.
class Folding {
 public:
  Folding(const ComputationTimeline& computation, std::span<const double> foldedNs) {
    double skipped = 0;
    for (const TimelineEvent& event : computation.events) {
      if (event.kind != TimelineEventKind::Block) continue;
      const double shown = shownNs(event, foldedNs);
      folds_.push_back({event.startNs, event.endNs, shown, skipped});
      skipped += event.endNs - event.startNs - shown;
    }
  }
  double at(double ns) const {
    const auto after = std::ranges::upper_bound(folds_, ns, {}, &Fold::beginNs);
    if (after == folds_.begin()) return ns;
    const Fold& fold = *(after - 1);
    return fold.beginNs - fold.skippedBefore +
           (ns < fold.endNs ? std::min(ns - fold.beginNs, fold.shownNs) : fold.shownNs + ns - fold.endNs);
  }

 private:
  struct Fold {
    double beginNs, endNs, shownNs, skippedBefore;
  };
  // One iteration, with the loops in it folded.
  static double shownNs(const TimelineEvent& event, std::span<const double> foldedNs) {
    const double once = onceNs(event);
    return event.child < 0 ? once : std::max(0.0, once + foldedNs[static_cast<size_t>(event.child)]);
  }
  std::vector<Fold> folds_;
};

class ChartMaker {
 public:
  ChartMaker(const Module& module, const Timeline& timeline, const ValueLiveRanges* ranges,
             const MemoryUsage* memory, size_t mostEvents)
      : timeline_(timeline), ranges_(ranges), memory_(memory), mostEvents_(mostEvents) {
    chart_.eventOfInstruction.assign(module.idLimit(), kNoEvent);
  }

  ScheduleChart run() {
    if (timeline_.computations.empty()) return std::move(chart_);
    findFoldings();
    findLanes();
    const size_t entry = timeline_.computations.size() - 1;
    const double slots = layOut(entry, 0, kNoEvent, 0, 0);
    chart_.durationNs = foldings_[entry].at(timeline_.entry().durationNs);
    chart_.slotCount = slots;
    if (memory_ != nullptr) chart_.peakBytes = memory_->peakBytes;
    partLanes();
    sortLanes();
    std::ranges::sort(chart_.folds, {}, &ScheduleChart::Fold::atNs);
    return std::move(chart_);
  }

 private:
  // By how much each computation is shorter when its loops are folded, negative; called ones come first.
  void findFoldings() {
    std::vector<double> foldedNs;
    for (const ComputationTimeline& computation : timeline_.computations) {
      foldings_.emplace_back(computation, foldedNs);
      foldedNs.push_back(foldings_.back().at(computation.durationNs) - computation.durationNs);
    }
  }

  void findLanes() {
    chart_.lanes.push_back({});
    for (const ComputationTimeline& computation : timeline_.computations) {
      for (const TimelineLane& lane : computation.lanes) {
        if (std::ranges::find(chart_.lanes, lane) == chart_.lanes.end()) chart_.lanes.push_back(lane);
      }
    }
    std::ranges::sort(chart_.lanes, {}, [](const TimelineLane& lane) {
      return std::tuple(lane.kind, lane.thread, lane.number);
    });
    for (const ComputationTimeline& computation : timeline_.computations) {
      auto& map = laneOf_.emplace_back();
      for (const TimelineLane& lane : computation.lanes) {
        const auto found = std::ranges::find(chart_.lanes, lane);
        map.push_back(static_cast<uint16_t>(found - chart_.lanes.begin()));
      }
      size_t all = computation.computation->instructionCount();
      for (const TimelineEvent& event : computation.events) {
        if (event.kind == TimelineEventKind::Block && event.child >= 0)
          all = std::min(all + sizes_[static_cast<size_t>(event.child)], SIZE_MAX / 4);
      }
      sizes_.push_back(all);
    }
  }

  // Gives the slot after the computation's last.
  double layOut(size_t index, double baseNs, uint32_t block, double slot, uint16_t depth) {
    const ComputationTimeline& computation = timeline_.computations[index];
    const Folding& folding = foldings_[index];
    chart_.depth = std::max(chart_.depth, depth);
    absl::flat_hash_set<const Instruction*> critical(computation.criticalPath.begin(),
                                                     computation.criticalPath.end());
    absl::flat_hash_map<const Instruction*, uint32_t> inFlight;
    absl::flat_hash_map<std::string_view, uint32_t> groups;
    size_t next = 0;
    double nowNs = 0;
    for (const Instruction* instruction : computation.computation->instructions()) {
      const auto first = static_cast<uint32_t>(chart_.events.size());
      const double begin = slot;
      for (; next < computation.events.size() && computation.events[next].instruction == instruction;
           ++next) {
        const TimelineEvent& event = computation.events[next];
        const auto at = static_cast<uint32_t>(chart_.events.size());
        ChartEvent& laid = add(event, laneOf_[index][event.lane], block, depth);
        laid.time = {baseNs + folding.at(event.startNs), baseNs + folding.at(event.endNs)};
        laid.slots = {slot, slot + 1};
        if (event.kind == TimelineEventKind::Async) {
          inFlight[instruction] = at;
        } else {
          nowNs = event.endNs;
        }
        if (event.kind == TimelineEventKind::Block) slot = layOutBlock(at, event, depth, begin);
      }
      if (chart_.events.size() == first) {
        ChartEvent& laid = add({.instruction = instruction}, 0, block, depth);
        const double here = baseNs + folding.at(nowNs);
        laid.time = {here, here};
        laid.slots = {slot, slot + 1};
      }
      for (size_t i = first; i < chart_.events.size(); ++i) {
        if (chart_.events[i].instruction == instruction->id() && chart_.events[i].block == block)
          chart_.events[i].critical = critical.contains(instruction);
      }
      join(*instruction, inFlight, slot);
      noteMemory(*instruction, baseNs + folding.at(nowNs), slot);
      noteGroup(*instruction, groups, first, block);
      slot += 1;
    }
    return slot;
  }

  ChartEvent& add(const TimelineEvent& event, uint16_t lane, uint32_t block, uint16_t depth) {
    const InstructionId id = event.instruction->id();
    const auto at = static_cast<uint32_t>(chart_.events.size());
    uint32_t& known = chart_.eventOfInstruction[id.value];
    if (known == kNoEvent || (event.kind == TimelineEventKind::Async && chart_.events[known].block == block &&
                              chart_.events[known].kind != TimelineEventKind::Async))
      known = at;
    return chart_.events.emplace_back(ChartEvent{
        .instruction = id,
        .block = block,
        .lane = lane,
        .kind = event.kind,
        .opcodeClass = classOf(*event.instruction),
        .synchronous = event.kind == TimelineEventKind::Work && event.exposedNs > 0,
        .exposedNs = event.exposedNs,
        .repeat = event.repeat,
        .depth = depth,
    });
  }

  double layOutBlock(uint32_t at, const TimelineEvent& event, uint16_t depth, double slot) {
    chart_.blocks.push_back(at);
    if (event.child < 0) return slot;
    const auto child = static_cast<size_t>(event.child);
    const ChartSpan time = chart_.events[at].time;
    if (chart_.events.size() + sizes_[child] > mostEvents_) {
      chart_.events[at].closed = chart_.cut = true;
    } else {
      slot = layOut(child, time.begin, at, slot, static_cast<uint16_t>(depth + 1));
    }
    if (event.repeat > 1)
      chart_.folds.push_back({time.end, onceNs(event) * static_cast<double>(event.repeat - 1)});
    chart_.events[at].slots.end = slot + 1;
    return slot;
  }

  // A start's span reaches its done.
  void join(const Instruction& instruction, absl::flat_hash_map<const Instruction*, uint32_t>& inFlight,
            double slot) {
    if (canonicalAsyncOp(instruction, true).role != AsyncRole::Done) return;
    const Instruction* start = startOfDone(instruction);
    const auto found = start == nullptr ? inFlight.end() : inFlight.find(start);
    if (found == inFlight.end()) return;
    ChartEvent& span = chart_.events[found->second];
    span.slots.end = slot + 1;
    span.partner = instruction.id();
    for (size_t i = chart_.events.size(); i-- > 0 && chart_.events[i].instruction == instruction.id();)
      chart_.events[i].partner = start->id();
  }

  void noteMemory(const Instruction& instruction, double ns, double slot) {
    if (memory_ == nullptr) return;
    const int64_t time = ranges_->timeOf(instruction);
    if (time < 0) return;
    chart_.memory.push_back({ns, slot, memory_->liveBytes[static_cast<size_t>(time)]});
  }

  void noteGroup(const Instruction& instruction, absl::flat_hash_map<std::string_view, uint32_t>& groups,
                 uint32_t first, uint32_t block) {
    const auto name = frontendAttribute(instruction, kGroupAttribute);
    if (!name) return;
    const ChartEvent& event = chart_.events[first];
    const auto [found, added] = groups.emplace(*name, static_cast<uint32_t>(chart_.groups.size()));
    if (added) {
      chart_.groups.push_back({.name = std::string(*name),
                               .block = block,
                               .firstLane = event.lane,
                               .lastLane = event.lane,
                               .time = event.time,
                               .slots = event.slots});
    }
    ChartGroup& group = chart_.groups[found->second];
    ++group.members;
    for (size_t i = first; i < chart_.events.size(); ++i) {
      const ChartEvent& member = chart_.events[i];
      if (member.instruction != instruction.id()) continue;
      group.firstLane = std::min(group.firstLane, member.lane);
      group.lastLane = std::max(group.lastLane, member.lane);
      group.time.end = std::max(group.time.end, member.time.end);
      group.slots.end = std::max(group.slots.end, member.slots.end);
    }
  }

  // A computation's lanes are played by themselves: what is in flight around a loop lies on the lane of what
  // the loop itself starts. It gets another lane of its kind, for neither to hide the other.
  void partLanes() {
    std::vector<uint32_t> around;
    std::vector<uint32_t> latest(chart_.lanes.size(), kNoEvent);  // of the outermost, by lane
    for (uint32_t i = 0; i < chart_.events.size(); ++i) {
      const ChartEvent& event = chart_.events[i];
      if (event.kind != TimelineEventKind::Async) continue;
      uint32_t& outer = latest[event.lane];
      const bool hidden = outer != kNoEvent && chart_.events[outer].depth < event.depth &&
                          chart_.events[outer].time.end > event.time.begin;
      if (hidden && (around.empty() || around.back() != outer)) around.push_back(outer);
      if (outer == kNoEvent || event.depth <= chart_.events[outer].depth ||
          chart_.events[outer].time.end <= event.time.begin)
        outer = i;
    }
    std::vector<TimelineLane> all = chart_.lanes;
    std::vector<TimelineLane> own(around.size());
    for (size_t i = 0; i < around.size(); ++i) {
      own[i] = chart_.lanes[chart_.events[around[i]].lane];
      const auto isSame = [&](const TimelineLane& lane) {
        return lane.kind == own[i].kind && lane.thread == own[i].thread;
      };
      own[i].number = static_cast<int32_t>(std::ranges::count_if(chart_.lanes, isSame));
      if (std::ranges::find(all, own[i]) == all.end()) all.push_back(own[i]);
    }
    std::ranges::sort(
        all, {}, [](const TimelineLane& lane) { return std::tuple(lane.kind, lane.thread, lane.number); });
    const auto placeOf = [&](const TimelineLane& lane) {
      return static_cast<uint16_t>(std::ranges::find(all, lane) - all.begin());
    };
    std::vector<uint16_t> moved;
    for (const TimelineLane& lane : chart_.lanes) moved.push_back(placeOf(lane));
    for (ChartEvent& event : chart_.events) event.lane = moved[event.lane];
    for (ChartGroup& group : chart_.groups) {
      group.firstLane = moved[group.firstLane];
      group.lastLane = moved[group.lastLane];
    }
    for (size_t i = 0; i < around.size(); ++i) chart_.events[around[i]].lane = placeOf(own[i]);
    chart_.lanes = std::move(all);
  }

  void sortLanes() {
    chart_.eventsOfLane.resize(chart_.lanes.size());
    for (uint32_t i = 0; i < chart_.events.size(); ++i) {
      if (chart_.events[i].kind != TimelineEventKind::Block)
        chart_.eventsOfLane[chart_.events[i].lane].push_back(i);
    }
  }

  const Timeline& timeline_;
  const ValueLiveRanges* ranges_;
  const MemoryUsage* memory_;
  const size_t mostEvents_;
  ScheduleChart chart_;
  std::vector<Folding> foldings_;
  std::vector<std::vector<uint16_t>> laneOf_;  // by computation
  std::vector<size_t> sizes_;                  // instructions it runs, called ones included
};

}  // namespace

double ScheduleChart::elapsedNs(double atNs) const {
  for (const Fold& fold : folds) {
    if (fold.atNs > atNs) break;
    atNs += fold.skippedNs;
  }
  return atNs;
}

ScheduleChart makeScheduleChart(const Module& module, const Timeline& timeline, const ValueLiveRanges* ranges,
                                const MemoryUsage* memory, size_t mostEvents) {
  return ChartMaker(module, timeline, ranges, memory, mostEvents).run();
}

}  // namespace hilo
