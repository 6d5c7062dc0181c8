// In which order each array of a computation lies in memory, found by propagation: what the computation's
// interface states and what operations ask for goes on to operands and users until all know. What is needed
// wins over what is liked, and of two of those what came first, except that a later need wins over an earlier
// one. XLA's service/layout_assignment.cc. Each constraint knows the one it followed from, so that a copy can
// name who asked.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <deque>

#include "core/compiler/passes/layout/library_orders.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// Who says how parameters and the result lie: their shapes, nobody, or those shapes that state a layout.
enum class InterfaceOrders : uint8_t { Stated, Chosen, ChosenWhereNoneIsStated };

class LayoutConstraints {
 public:
  // `result`: the root's shape as the computation must give it, where that is stated. What called
  // computations take and give lies as their parameters and the calls state.
  LayoutConstraints(const Computation& computation, const GpuLayoutSettings& settings,
                    InterfaceOrders interface, Shape result);

  // Of an array of rank 2 or more.
  const DimensionOrder& orderOf(const Instruction& value) const { return values_.at(&value).order; }
  // Null: the user takes any.
  const DimensionOrder* operandOrder(const Instruction& user, size_t index) const;

  // Of a value where index is kValue, else of an operand.
  using Place = std::pair<const Instruction*, size_t>;
  static constexpr size_t kValue = SIZE_MAX;
  // From the constraint of a place back to the one that asked by itself, both included. Empty: it has none.
  std::vector<Place> wayTo(Place place) const;

 private:
  struct Constraint {
    DimensionOrder order;
    bool isNeeded = false, isUrgent = false;
    int priority = 0;
    int changes = 0;
    Place from = {nullptr, 0};  // null: it asks by itself
  };

  bool isFree(Shape stated) const;
  bool isFixed(const Instruction& value) const;
  std::optional<Shape> shapeWantedOf(const Instruction& tuple) const;
  std::optional<DimensionOrder> orderTakenBy(const Instruction& taker, size_t index) const;
  void addStated(const Computation& computation);
  void addAsked(const Instruction& instruction);
  bool comesOfFree(const Instruction& value) const;
  void askDotResult(const Instruction& dot);
  void setValue(const Instruction& value, const DimensionOrder& order, bool isNeeded, bool isUrgent,
                int priority);
  void setOperand(const Instruction& user, size_t index, const DimensionOrder& order, bool isNeeded,
                  bool isUrgent, int priority);
  void push(Place place, const Constraint& constraint);
  void flush();
  void propagate();
  void propagateValue(const Instruction& value);
  void propagateOperand(const Instruction& user, size_t index);
  void propagateToChannel(const Instruction& value);
  void propagateToSiblings(const Instruction& user, size_t index);

  GpuLayoutSettings settings_;
  InterfaceOrders interface_;
  Shape result_;
  std::vector<const Instruction*> reductionsOverChannels_;
  absl::flat_hash_map<const Instruction*, Constraint> values_;
  absl::flat_hash_map<Place, Constraint> operands_;
  std::vector<Place> added_;
  std::deque<Place> waiting_;
  Place cause_ = {nullptr, 0};  // of what is set now
};

}  // namespace hilo
