// Why a plan is as large as it is, and where two plans of one module part: which values lie
// higher in a heap than need be and how much is free below them, and which values the one plan puts into
// memory of another kind than the other.
#pragma once

#include "core/analysis/memory/memory_profile.h"

namespace hilo {

enum class PlaceKind : uint8_t { Parameter, Constant, Output, Temporary };
PlaceKind placeKindOf(const BufferAllocation& allocation);
std::string_view placeKindName(PlaceKind kind);  // "parameter", ...

// A value that reaches beyond what is in use of its heap at once at most: with all values below that, the
// heap could not be smaller. What reaches beyond by less than a thousandth of the heap is none.
struct HeapEnd {
  size_t value = 0;            // position in the profile
  int64_t neededBytes = 0;     // what is in use of its heap at once at most
  int64_t freeBelowBytes = 0;  // of the heap under it at its fullest step
  int64_t fullestStep = 0;     // of the value's steps the one at which most of the heap is in use
};
// Of every heap of temporaries, largest value first; at most `limit`.
std::vector<HeapEnd> heapEnds(const MemoryProfile& profile, const BufferAssignment& plan, size_t limit = 50);

// One value that two plans put into memory of different kinds.
struct PlacementDifference {
  InstructionId instruction;
  ShapeIndex index;
  std::string name;
  int64_t sizeBytes = 0;
  PlaceKind a = PlaceKind::Temporary, b = PlaceKind::Temporary;
  int64_t allocationA = 0, offsetA = 0, allocationB = 0, offsetB = 0;
  // What writes its result there in plan a, or what it is written over: "" when its bytes are its own.
  std::string sharedA, sharedB;
};
// Arrays that are in both plans, largest first. `a` and `b` are of one module.
std::vector<PlacementDifference> comparePlacements(const MemoryProfile& a, const BufferAssignment& planA,
                                                   const MemoryProfile& b, const BufferAssignment& planB);

}  // namespace hilo
