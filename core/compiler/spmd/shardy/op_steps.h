// When an operation takes part: the five steps, from what surely keeps elements where they are to everything.
#pragma once

#include "core/compiler/spmd/shardy/value_graph.h"

namespace hilo::sdy {

constexpr int kSteps = 5;

// In which direction shardings pass along a factor of the node at a step and those before it.
Direction directionAt(const GraphNode& node, size_t factor, int step);
// "dot", with the kind of the factor where it does not just pass: for records.
std::string ruleText(const GraphNode& node, size_t factor);

}  // namespace hilo::sdy
