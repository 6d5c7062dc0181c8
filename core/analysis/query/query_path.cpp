#include "core/analysis/query/query_path.h"

#include <span>

namespace hilo {
namespace {

// What is applied to elements one by one, as a reduction's computation, is no part of a way.
bool runsItsCallees(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::Fusion:
    case Opcode::Call:
    case Opcode::While:
    case Opcode::Conditional:
    case Opcode::AsyncStart:
    case Opcode::CustomCall:
      return true;
    default:
      return false;
  }
}

struct Edge {
  uint32_t from, to;  // instruction ids
};

// Every way a value or an order can take.
std::vector<Edge> flowEdges(const Module& module) {
  std::vector<Edge> edges;
  const auto add = [&](const Instruction& from, const Instruction& to) {
    edges.push_back({from.id().value, to.id().value});
  };
  const auto addCall = [&](const Instruction& caller, const Computation& called) {
    if (called.root() != nullptr) add(*called.root(), caller);
    // Parameter by parameter where operands are handed on one by one; else any operand may reach any.
    const bool oneByOne = caller.opcode() == Opcode::Fusion || caller.opcode() == Opcode::Call;
    const auto parameters = called.parameters();
    for (size_t p = 0; p < parameters.size(); ++p) {
      for (size_t o = 0; o < caller.operandCount() && parameters[p] != nullptr; ++o) {
        if (!oneByOne || o == p) add(*caller.operands()[o], *parameters[p]);
      }
    }
  };
  for (const Computation* computation : module.computations()) {
    for (const Instruction* to : computation->instructions()) {
      for (const Instruction* operand : to->operands()) add(*operand, *to);
      for (const Instruction* before : to->get<Attr::ControlPredecessors>()) add(*before, *to);
      for (const Computation* called : to->calledComputations()) {
        if (called != nullptr && runsItsCallees(*to)) addCall(*to, *called);
      }
    }
  }
  return edges;
}

// Marks what can be reached from what is marked, along `edges` from `from` to `to`.
using EdgeEnd = uint32_t Edge::*;
void spread(std::vector<bool>& marked, std::span<const Edge> edges, EdgeEnd from, EdgeEnd to) {
  // Where the edges of each id begin, then the edges by id.
  std::vector<uint32_t> first(marked.size() + 1), ends(edges.size());
  for (const Edge& edge : edges) ++first[edge.*from + 1];
  for (size_t id = 0; id < marked.size(); ++id) first[id + 1] += first[id];
  std::vector<uint32_t> next(first.begin(), first.end() - 1);
  for (const Edge& edge : edges) ends[next[edge.*from]++] = edge.*to;
  std::vector<uint32_t> open;
  for (uint32_t id = 0; id < marked.size(); ++id) {
    if (marked[id]) open.push_back(id);
  }
  while (!open.empty()) {
    const uint32_t at = open.back();
    open.pop_back();
    for (uint32_t n = first[at]; n < first[at + 1]; ++n) {
      if (marked[ends[n]]) continue;
      marked[ends[n]] = true;
      open.push_back(ends[n]);
    }
  }
}

std::vector<bool> picked(const Module& module, const std::function<bool(const Instruction&)>& is) {
  std::vector<bool> marked(module.idLimit());
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (is(*instruction)) marked[instruction->id().value] = true;
    }
  }
  return marked;
}

}  // namespace

std::vector<bool> instructionsOnPath(const Module& module,
                                     const std::function<bool(const Instruction&)>& isFrom,
                                     const std::function<bool(const Instruction&)>& isTo) {
  const std::vector<Edge> edges = flowEdges(module);
  std::vector<bool> below = picked(module, isFrom), above = picked(module, isTo);
  spread(below, edges, &Edge::from, &Edge::to);
  spread(above, edges, &Edge::to, &Edge::from);
  for (size_t id = 0; id < below.size(); ++id) below[id] = below[id] && above[id];
  return below;
}

}  // namespace hilo
