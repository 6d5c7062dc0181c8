#include "ui/views/graph/focus_choice.h"

#include <fmt/format.h>

namespace hilo {

void FocusChoice::goInto(const Module* module) {
  if (module == nullptr || module->instruction(selected_) == nullptr) selected_ = {};
  before_ = {};
}

GraphFocus FocusChoice::around(FocusKind kind, uint32_t hops) const {
  return {.kind = kind, .centre = selected_, .other = {}, .hops = hops};
}

Result<GraphFocus> FocusChoice::named(const QString& name) const {
  bool isNumber = false;
  const uint32_t hops = name.toUInt(&isNumber);
  if (isNumber) return around(FocusKind::Hops, hops);
  if (name == QLatin1String("operands")) return around(FocusKind::Operands);
  if (name == QLatin1String("users")) return around(FocusKind::Users);
  return fail("unknown-word", fmt::format("no focus is called {}", name.toStdString()));
}

std::optional<GraphFocus> FocusChoice::paths(const Module& module) const {
  if (module.instruction(before_) == nullptr || module.instruction(selected_) == nullptr) return std::nullopt;
  return GraphFocus{.kind = FocusKind::Paths, .centre = before_, .other = selected_, .hops = 0};
}

}  // namespace hilo
