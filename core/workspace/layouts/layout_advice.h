// What would make a copy or transpose unnecessary, as words, and as a layout to try where there is one: only
// laying the module out again tells what it is worth.
#pragma once

#include "core/workspace/layouts/layout_study.h"

namespace hilo {

struct LayoutAdvice {
  std::string text;
  std::optional<LayoutConstraint> constraint;
};
std::vector<LayoutAdvice> adviceFor(const LayoutStudy& study, const LayoutMove& move);

}  // namespace hilo
