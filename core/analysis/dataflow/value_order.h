// Whether values are needed at the same time: two that are never may share a place. On the order of execution
// and the flow of values alone, no times. Matches the value part of XLA's hlo/analysis/hlo_ordering.cc.
#pragma once

#include "core/analysis/backend.h"
#include "core/analysis/dataflow/dataflow_analysis.h"
#include "core/analysis/execution_order.h"

namespace hilo {

class ValueOrder {
 public:
  // All three must outlive this.
  ValueOrder(const DataflowAnalysis& dataflow, ExecutionOrder& order, Backend backend)
      : dataflow_(dataflow), order_(order), backend_(backend) {}

  bool isDefinedBefore(const HloValue& a, const HloValue& b);
  // Every use is over when `value` is written. The first that is not goes to `*blocking`, when given. With
  // `useBeforeDefinition` an instruction is taken to read its operands before it writes; else only where it
  // may share their buffers.
  bool usesBeforeDefinition(std::span<const HloUse> uses, const HloValue& value, bool useBeforeDefinition,
                            const HloUse** blocking = nullptr);
  bool liveRangeBefore(const HloValue& a, const HloValue& b, bool useBeforeDefinition = false);
  bool mayInterfere(const HloValue& a, const HloValue& b) {
    return !liveRangeBefore(a, b) && !liveRangeBefore(b, a);
  }
  ExecutionOrder& order() { return order_; }

 private:
  bool useIsBefore(const HloUse& use, const HloValue& value, bool useBeforeDefinition, bool& escapes);
  bool sharesOwnOperand(const HloUse& use, const HloValue& value) const;
  bool ignoresOperand(const HloValue& value, const HloUse& use) const;

  const DataflowAnalysis& dataflow_;
  ExecutionOrder& order_;
  Backend backend_;
};

bool isRootOf(const HloValue& value, const Computation& computation);

}  // namespace hilo
