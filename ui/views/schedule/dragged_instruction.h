// An instruction dragged to another place among those of its computation. It knows in front of which it would
// stand, not how that is shown.
#pragma once

#include <memory>
#include <optional>

#include "core/workspace/schedule/schedule_scenario.h"
#include "ui/views/schedule/shown_order.h"

namespace hilo {

class DraggedInstruction {
 public:
  // What an event shows; of an asynchronous one its done where it was taken `atEnd`.
  DraggedInstruction(std::shared_ptr<const ShownOrder> order, uint32_t event, bool atEnd);

  InstructionId id() const { return id_; }
  // To the place nearest to `at`. True where that is another than before.
  bool moveTo(ChartAxis axis, double at);
  // In front of which it would stand; kNoEvent before it was moved.
  uint32_t target() const { return target_; }
  QString targetName() const;
  // Nothing where it would stay.
  std::optional<ScheduleMove> move() const;

 private:
  const Instruction* instruction() const { return order_->module().instruction(id_); }

  std::shared_ptr<const ShownOrder> order_;
  InstructionId id_;
  std::vector<uint32_t> places_;  // events of its computation, in order
  uint32_t target_ = kNoEvent;
};

}  // namespace hilo
