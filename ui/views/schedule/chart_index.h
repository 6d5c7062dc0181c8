// Finds a chart's events by place without looking at all of them. Made off the UI thread, read by it.
#pragma once

#include "core/analysis/schedule/schedule_chart.h"

namespace hilo {

class ChartIndex {
 public:
  explicit ChartIndex(const ScheduleChart& chart);

  // Events of one lane, or blocks of one depth, that touch a stretch of the axis, by where they begin.
  class Row {
   public:
    template <typename Visit>
    void visit(ChartAxis axis, double begin, double end, Visit visit) const {
      const Side& side = sides_[static_cast<size_t>(axis)];
      const auto first = std::ranges::lower_bound(side.reach, begin) - side.reach.begin();
      for (size_t i = static_cast<size_t>(first); i < side.events.size() && side.begins[i] <= end; ++i)
        visit(side.events[i]);
    }
    // The one that begins last of those that have begun there, of several the last in order; else kNoEvent.
    uint32_t lastBegun(ChartAxis axis, double at) const;
    size_t size() const { return sides_[0].events.size(); }
    std::span<const uint32_t> events(ChartAxis axis) const {
      return sides_[static_cast<size_t>(axis)].events;
    }

   private:
    friend class ChartIndex;
    struct Side {
      std::vector<uint32_t> events;  // by begin
      std::vector<double> begins;
      std::vector<double> reach;  // the farthest end so far
    };
    static Row of(const ScheduleChart& chart, std::vector<uint32_t> events);
    Side sides_[2];
  };
  const Row& lane(size_t lane) const { return lanes_[lane]; }
  const Row& blocks(size_t depth) const { return blocks_[depth]; }
  size_t depths() const { return blocks_.size(); }

  // The event drawn on top within `slack` of a place; kNoEvent when there is none.
  uint32_t eventAt(const Row& row, const ScheduleChart& chart, ChartAxis axis, double at, double slack) const;
  // The one before or after it on its lane; itself at the end.
  uint32_t neighbour(const ScheduleChart& chart, uint32_t event, ChartAxis axis, int direction) const;

 private:
  std::vector<Row> lanes_;
  std::vector<Row> blocks_;  // by depth
};

}  // namespace hilo
