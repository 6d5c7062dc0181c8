// What lies on a way from some instructions to others: the query's path:a->b.
#pragma once

#include <functional>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// By instruction id: whether the instruction is on a way from one that `isFrom` picks to one that `isTo`
// picks, both included. Ways follow users and control dependencies, go into called computations by their
// parameters and out of them by their roots; a computation called in several places joins the ways of all of
// them. A loop's body is gone through once: its root does not lead back to its parameter. Computations that
// are applied to elements, as a reduction's, are left out.
std::vector<bool> instructionsOnPath(const Module& module,
                                     const std::function<bool(const Instruction&)>& isFrom,
                                     const std::function<bool(const Instruction&)>& isTo);

}  // namespace hilo
