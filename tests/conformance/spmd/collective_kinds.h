// The kinds of collectives of a partitioned module, and whether they are those that a test of XLA's expects.
#pragma once

#include <set>
#include <sstream>
#include <string>

#include "core/hlo/ir/module.h"

namespace hilo {

// "all-gather,all-reduce", by name; "none".
inline std::string kindsOf(const Module& module) {
  std::set<std::string> kinds;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      const bool isKind = i->opcode() == Opcode::AllGather || i->opcode() == Opcode::AllReduce ||
                          i->opcode() == Opcode::AllToAll || i->opcode() == Opcode::CollectivePermute;
      if (isKind) kinds.insert(std::string(i->opcodeText()));
    }
  }
  std::string text;
  for (const std::string& kind : kinds) text += (text.empty() ? "" : ",") + kind;
  return text.empty() ? "none" : text;
}

// Of "kinds+" there may be others.
inline bool hasKinds(const std::string& kinds, std::string expected) {
  if (!expected.ends_with('+')) return kinds == expected;
  expected.pop_back();
  std::istringstream stream(expected);
  for (std::string kind; std::getline(stream, kind, ',');) {
    if (!kinds.contains(kind)) return false;
  }
  return true;
}

}  // namespace hilo
