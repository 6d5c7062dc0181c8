// Layout by Graphviz's `dot`, run as a process so that it can be killed and cannot take the program down.
#pragma once

#include <chrono>
#include <string>

#include "ui/canvas/layout/layout.h"

namespace hilo {

// Bounded effort stops dot's network simplex early: much faster on graphs of many long edges.
enum class DotEffort : uint8_t { kBounded, kFull };

// Blocks until dot answers or `cancel` asks to stop (looked at every few milliseconds; dot is then killed).
// Fails with "cancelled", "dot-not-found" (no such program on the PATH), "dot-failed" (its own words) or
// "dot-slow" (no answer within `limit`).
Result<LayoutResult> layoutWithDot(const LayoutInput& input, const CancelToken& cancel,
                                   std::chrono::milliseconds limit = std::chrono::seconds(2),
                                   DotEffort effort = DotEffort::kBounded);

// The input in the DOT language, sizes in inches of 72 pixels; nodes are n0, n1, ...
std::string dotText(const LayoutInput& input);

// Reads `dot -Tplain` output for `input`. Fails with "dot-failed" on anything it does not expect.
Result<LayoutResult> parseDotPlain(const LayoutInput& input, std::string_view text);

}  // namespace hilo
