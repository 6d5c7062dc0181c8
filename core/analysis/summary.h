// What a module holds, counted: the content of `hilo info` and of the studio's overview.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/analysis/cost_facts.h"
#include "core/hlo/ir/module.h"

namespace hilo {

struct NamedCount {
  std::string name;
  int64_t count = 0;
};

struct SizedInstruction {
  InstructionId id;
  std::string name;
  std::string computation;
  std::string opcode;
  std::string shape;
  int64_t bytes = 0;
};

// What the instructions of one opcode cost, with the loops around them. What a fusion holds counts as the
// fusion's; loops, calls and branches cost nothing of their own.
struct OpcodeCost {
  std::string opcode;
  int64_t count = 0;
  int64_t flops = 0;
  int64_t bytesAccessed = 0;
};

// Collectives of one opcode (start and its plain form count as one; done is left out) and one set of groups.
struct CollectiveRow {
  std::string opcode;
  int64_t count = 0;
  int64_t groupCount = 0;  // 0: groups not given, that is all devices
  int64_t groupSize = 0;
  int64_t bytes = 0;          // output bytes of all of them, each counted once
  int64_t executions = 0;     // with the loops around them, see execution_counts.h
  int64_t executedBytes = 0;  // output bytes times executions
  std::vector<std::string> elementTypes;
};

struct LoopRow {
  InstructionId id;
  std::string name;
  std::string computation;
  std::string body;
  std::string condition;
  int64_t tripCount = -1;  // -1: not known
  int64_t bodyInstructions = 0;
  int64_t bodyFlops = 0;  // of one iteration
};

struct ModuleSummary {
  std::string name;
  std::string entry;
  std::string entryShape;  // "(f32[2], s32[]) -> f32[]"
  bool scheduled = false;
  int64_t partitions = 1;
  int64_t replicas = 1;
  int64_t impliedDevices = 1;  // by the collectives where the header asks for one (implied_devices.h)
  int64_t computations = 0;
  int64_t instructions = 0;
  int64_t entryInstructions = 0;
  int64_t fusions = 0;
  int64_t parameterBytes = 0;  // of the entry
  int64_t resultBytes = 0;
  int64_t constantBytes = 0;
  int64_t inputOutputAliases = 0;
  std::vector<std::pair<std::string, std::string>>
      headerAttributes;                         // names with a short value where it has one
  std::vector<NamedCount> opcodes;              // most first, then by name; so are the following
  std::vector<NamedCount> elementTypes;         // arrays by element type
  std::vector<NamedCount> customCalls;          // by target
  std::vector<SizedInstruction> largestValues;  // largest first
  std::vector<SizedInstruction> largestConstants;
  std::vector<CollectiveRow> collectives;
  std::vector<LoopRow> loops;
  CostFacts cost;
};

ModuleSummary summarize(const Module& module, size_t largest = 10);
// Most instructions first.
std::vector<OpcodeCost> costByOpcode(const Module& module, const ModuleCost& cost);

}  // namespace hilo
