// What is selected in the graph, what was selected before it, and which parts of the graph they mean.
#pragma once

#include <QString>
#include <optional>

#include "core/base/result.h"
#include "ui/views/graph/graph_worker.h"

namespace hilo {

class FocusChoice {
 public:
  InstructionId selected() const { return selected_; }
  void select(InstructionId id) { before_ = std::exchange(selected_, id); }
  // Of another module: the selection is kept where it has the same one.
  void goInto(const Module* module);

  GraphFocus around(FocusKind kind, uint32_t hops = 1) const;
  // A number of hops, "operands" or "users". Fails with "unknown-word".
  Result<GraphFocus> named(const QString& name) const;
  // All paths from what was selected before; nullopt where there is no such pair in the module.
  std::optional<GraphFocus> paths(const Module& module) const;

 private:
  InstructionId selected_;
  InstructionId before_;
};

}  // namespace hilo
