// Windows that hold every element up to each place of one dimension, or every one from it on: a reduce-window
// over them gives running sums and the like, which one pass over the elements makes.
#pragma once

#include <optional>

#include "core/hlo/ir/module.h"

namespace hilo {

struct CumulativeWindow {
  size_t dimension = 0;
  bool isFromEnd = false;  // each place and those after it
};

// nullopt when the reduce-window's are others, or are from the end and folding them from there would give
// something else than the reduction's order does, roundings of sums aside.
std::optional<CumulativeWindow> cumulativeWindow(const Instruction& reduceWindow);

}  // namespace hilo
