// What a program costs by the scopes of its op_names: "jit(step)/layers/attention" and so on, with flops,
// bytes and instructions summed on the way up. What the overview's treemap draws.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/analysis/cost_facts.h"
#include "core/hlo/ir/module.h"

namespace hilo {

struct ScopeNode {
  std::string name;  // the part of the path below the parent's, the operation last; "" for the root
  uint32_t parent = 0;
  std::vector<uint32_t> children;
  // Of instructions in this scope and below, each times the known trip counts of the loops around it.
  int64_t flops = 0;
  int64_t bytesAccessed = 0;
  int64_t instructions = 0;  // as written, loops not multiplied
  double timeNs = 0;         // of the times that were given
};

struct ScopeTree {
  std::vector<ScopeNode> nodes;  // node 0 is the root
  // "jit(step)/layers": what op_names in this scope start with; "" for the root.
  std::string path(uint32_t node) const;
};

// Instructions of the entry and of the loop bodies, branches and called computations reached from it; what is
// within fusions and scalar functions is counted by their callers. A body reached twice counts twice.
// Instructions without an op_name stand in a scope "(no op_name)". `timesNs` says by instruction id how long
// each takes in all, loops multiplied; empty: not known.
ScopeTree scopeTree(const Module& module, const ModuleCost& cost, std::span<const double> timesNs = {});

}  // namespace hilo
