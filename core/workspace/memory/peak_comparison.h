// The peaks of two modules' memory compared: what makes the one larger than the other, with names, bytes and
// source lines, as the command line and the view list it.
#pragma once

#include "core/analysis/diff/peak_diff.h"
#include "core/workspace/memory/memory_plans.h"

namespace hilo {

struct PeakRow {
  InstructionId instruction;  // of the module it is live in; of a row of both, of A's
  std::string name, opcode, opName;
  std::string source;              // "model.py:12"; "" where it is not known
  int64_t bytesA = 0, bytesB = 0;  // 0: not at that peak
  std::string why;                 // of what is at one peak alone: why not at the other
  std::string otherName;           // of a row of both: B's
};

struct PeakComparison {
  std::string plan;  // whose both plans are: "XLA", "Hilo"
  int64_t bytesA = 0, bytesB = 0;
  std::string atA, atB;  // names of the instructions at the peaks
  // Largest first: at the peak of A alone, at that of B alone, at both with other bytes.
  std::vector<PeakRow> onlyA, onlyB, resized;
  size_t samePlaces = 0;  // at both peaks with the same bytes
  int64_t sameBytes = 0;
};

// By XLA's plans where both modules have one, and by Hilo's where both do. Error kind: "no-plan".
Result<std::vector<PeakComparison>> comparePeaks(const MemoryPlans& a, const MemoryPlans& b);

}  // namespace hilo
