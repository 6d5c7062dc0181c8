// Rows of what instructions have when shardings have spread, and what of them does not hold.
#pragma once

#include "core/compiler/spmd/tiling.h"
#include "core/hlo/text/print.h"
#include "tests/conformance/spmd/xla_cases.h"

namespace hilo {

// Test, allowed to parameters, to output, instruction, sharding.
using SpreadRow = std::vector<std::string>;

// "gather/1" is its operand 1.
inline Instruction* subjectOf(const Module& module, const std::string& name) {
  if (const size_t slash = name.rfind('/'); slash != name.npos) {
    Instruction* user = subjectOf(module, name.substr(0, slash));
    return user == nullptr ? nullptr : user->operand(static_cast<size_t>(std::stoi(name.substr(slash + 1))));
  }
  if (name == "<root>") return module.entry()->root();
  if (name.starts_with("<parameter "))
    return module.entry()->parameters()[static_cast<size_t>(std::stoi(name.substr(11)))];
  return module.findInstruction(name);
}

inline std::string shardingText(const Sharding* sharding) {
  if (sharding == nullptr) return "none";
  std::string text;
  appendSharding(text, *sharding);
  return text;
}

// "" where a sharding is the one of a text.
inline std::string problemOf(const Module& module, const DeviceNames& devices, const Instruction& subject,
                             const std::string& expected) {
  const Sharding* has = subject.get<Attr::Sharding>();
  const std::string problem =
      fmt::format("{} has {}, expected {}", subject.name(), shardingText(has), expected);
  // To the partitioner nothing is the same as replicated; XLA's tests of both kinds are run as SPMD here.
  if (expected == "none") return has == nullptr || shardingText(has) == "{replicated}" ? "" : problem;
  if (has == nullptr) return problem;
  Arena arena;
  const auto wanted = parseSharding(devices.renamed(expected), arena);
  if (!wanted) return toString(wanted.error());
  const auto a = tilingsOf(*has, subject.shape(), module.partitionCount(), subject);
  const auto b = tilingsOf(*wanted, subject.shape(), module.partitionCount(), subject);
  if (!a || !b) return toString(!a ? a.error() : b.error());
  return *a == *b ? "" : problem;
}

// "= NAME" and "!= NAME": as another instruction or not. "<each>": all of the entry. "" where it holds.
inline std::string problemOf(const Module& module, const DeviceNames& devices, const SpreadRow& row) {
  const std::string& expected = row[4];
  if (row[3] == "<each>") {
    for (const Instruction* i : module.entry()->instructions()) {
      if (std::string problem = problemOf(module, devices, *i, expected); !problem.empty()) return problem;
    }
    return "";
  }
  const Instruction* subject = subjectOf(module, row[3]);
  if (subject == nullptr) return "no instruction " + row[3];
  if (const size_t sign = expected.find("= "); sign == 0 || expected.starts_with("!= ")) {
    const Instruction* other = subjectOf(module, expected.substr(sign + 2));
    if (other == nullptr) return "no instruction " + expected;
    const std::string a = shardingText(subject->get<Attr::Sharding>()),
                      b = shardingText(other->get<Attr::Sharding>());
    return (a == b) == (sign == 0) ? "" : fmt::format("{} has {}, {} has {}", row[3], a, expected, b);
  }
  return problemOf(module, devices, *subject, expected);
}

// "" where all rows hold of a module that was `before` before.
inline std::string problemOf(const Module& module, const DeviceNames& devices, const std::string& before,
                             const std::vector<SpreadRow>& rows) {
  for (const SpreadRow& row : rows) {
    if (row[3] == "<module>") {
      const std::string is = printModule(module) == before ? "unchanged" : "changed";
      if (is != row[4]) return "the module is " + is;
    } else if (std::string problem = problemOf(module, devices, row); !problem.empty()) {
      return problem;
    }
  }
  return "";
}

}  // namespace hilo
