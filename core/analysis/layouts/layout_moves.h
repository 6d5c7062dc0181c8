// Every copy and transpose of a module with what made it necessary: who gives the array in one order and who
// wants it in another, found by going from the move to both sides as far as values lie as one another. Of a
// module after layout assignment, XLA's or Hilo's; nothing but the module is needed, and an earlier stage of
// it tells what the program itself asked for.
#pragma once

#include "core/analysis/layouts/dimension_axes.h"
#include "core/analysis/layouts/wishes.h"
#include "core/analysis/lineage/lineage.h"
#include "core/base/cancel.h"

namespace hilo {

enum class LayoutMoveKind : uint8_t {
  Order,        // elements go to other places
  Tiles,        // the same order, other tiles
  SameBytes,    // a transpose that only gives dimensions other numbers: free
  MemorySpace,  // to another memory
  Ownership,    // the same bytes once more: a value is kept from being written over
};
enum class LayoutMoveOrigin : uint8_t {
  Program,           // the program says transpose
  LayoutAssignment,  // two orders meet
  Rewrite,           // a pass wrote a gather or scatter anew
  Buffers,           // copy insertion
  Placement,         // memory spaces
};
std::string_view layoutMoveKindName(LayoutMoveKind kind);
std::string_view layoutMoveOriginName(LayoutMoveOrigin origin);

// A value on the way from the one who gives an order to the one who wants another.
struct LayoutChainLink {
  InstructionId instruction;  // invalid: the entry's result
  std::string name, opcode;
  Shape shape;
  DimensionAxes axes;  // empty where it is no array
  bool isMove = false;
};

struct LayoutMove {
  InstructionId instruction;
  std::string name, opcode, computation, source;
  InstructionId kernel;  // the fusion it is in, or itself
  std::string kernelName;
  bool isAlone = false;  // the kernel does nothing else than move elements
  LayoutMoveKind kind = LayoutMoveKind::Order;
  LayoutMoveOrigin origin = LayoutMoveOrigin::LayoutAssignment;
  Shape from, to;
  LayoutWish given, wanted;
  std::string text;                    // both wishes in a sentence
  std::vector<LayoutChainLink> chain;  // from who gives to who wants, the move between
  size_t movePlace = 0;                // in the chain
  DimensionAxes fromAxes;              // of what is moved; those of the result are in the chain
  int64_t bytes = 0;                   // read and written, once; 0 of what is free

  bool costs() const { return kind != LayoutMoveKind::SameBytes; }
};

// `before`: the module before layout assignment, or as early as there is, and what of it became what here;
// null where there is none.
struct LayoutMovesRequest {
  const Module* before = nullptr;
  const Lineage* lineage = nullptr;
  CancelToken cancel = {};
};
// In module order; what is found so far where it is cancelled.
std::vector<LayoutMove> layoutMoves(const Module& module, const LayoutMovesRequest& request = {});

}  // namespace hilo
