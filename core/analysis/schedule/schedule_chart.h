// A timeline laid out for looking at: one list of events from the first instruction of the entry to the last,
// loops and calls opened in place, on two axes. On the time axis a loop takes one iteration; on the slot axis
// every instruction takes one slot, in program order. Plain data, by id, that any thread may read.
#pragma once

#include "core/analysis/schedule/memory_usage.h"
#include "core/analysis/schedule/timeline.h"

namespace hilo {

inline constexpr uint32_t kNoEvent = UINT32_MAX;

enum class ChartAxis : uint8_t { Time, Slots };

struct ChartSpan {
  double begin = 0;
  double end = 0;
  double width() const { return end - begin; }
};

struct ChartEvent {
  InstructionId instruction;
  InstructionId partner;      // start and done of each other; invalid for others
  uint32_t block = kNoEvent;  // the event of the loop, branch or call around it
  uint16_t lane = 0;          // index into ScheduleChart::lanes
  TimelineEventKind kind = TimelineEventKind::Work;
  OpcodeClass opcodeClass = OpcodeClass::Leaf;  // of what runs
  bool critical = false;                        // on the longest chain of dependencies
  bool synchronous = false;                     // a collective the processor waits for all along
  ChartSpan time;                               // nanoseconds of the time axis
  ChartSpan slots;
  // The last of the span is exposed: the compute lane waits. Of a block: all of its iterations.
  double exposedNs = 0;
  int64_t repeat = 1;   // Block: iterations, of which one is laid out
  uint16_t depth = 0;   // blocks around it
  bool closed = false;  // Block: what it runs is not laid out, for the chart would be too large
  const ChartSpan& on(ChartAxis axis) const { return axis == ChartAxis::Time ? time : slots; }
};

// Bytes live while an instruction runs.
struct ChartMemory {
  double timeNs = 0;
  double slot = 0;
  int64_t bytes = 0;
  double on(ChartAxis axis) const { return axis == ChartAxis::Time ? timeNs : slot; }
};

// Instructions that carry the same scheduling annotation, within one run of a computation.
struct ChartGroup {
  std::string name;
  uint32_t block = kNoEvent;
  uint16_t firstLane = 0, lastLane = 0;
  ChartSpan time, slots;
  uint32_t members = 0;
  const ChartSpan& on(ChartAxis axis) const { return axis == ChartAxis::Time ? time : slots; }
};

struct ScheduleChart {
  std::vector<TimelineLane> lanes;  // lane 0 is the compute lane; then by kind, thread and number
  std::vector<ChartEvent> events;   // by slot; blocks before what they hold
  std::vector<ChartMemory> memory;  // by slot; empty when it is not known
  std::vector<ChartGroup> groups;
  // Where the time axis skips further iterations: place on it, and what is skipped there.
  struct Fold {
    double atNs = 0;
    double skippedNs = 0;
  };
  std::vector<Fold> folds;                          // by place
  std::vector<std::vector<uint32_t>> eventsOfLane;  // by begin; blocks are in none
  std::vector<uint32_t> blocks;
  std::vector<uint32_t> eventOfInstruction;  // by id: the first event, an Async one before others; kNoEvent
  uint16_t depth = 0;                        // most blocks within each other
  double durationNs = 0;                     // of the time axis
  double slotCount = 0;
  int64_t peakBytes = 0;
  bool cut = false;  // some blocks are closed

  double length(ChartAxis axis) const { return axis == ChartAxis::Time ? durationNs : slotCount; }
  uint32_t eventOf(InstructionId id) const {
    return id.value < eventOfInstruction.size() ? eventOfInstruction[id.value] : kNoEvent;
  }
  // Time since the start of the step when the axis is at `atNs`, all earlier iterations counted.
  double elapsedNs(double atNs) const;
};

// `ranges` and `memory` null: the memory is not known. At most `mostEvents` events; blocks that would pass
// it stay closed.
ScheduleChart makeScheduleChart(const Module& module, const Timeline& timeline, const ValueLiveRanges* ranges,
                                const MemoryUsage* memory, size_t mostEvents = 2'000'000);

}  // namespace hilo
