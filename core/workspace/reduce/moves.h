// The moves of a reduction: where each could be made, and making it at some of these
// places. Private to the room.
#pragma once

#include <span>
#include <vector>

#include "core/workspace/reduce/draft.h"

namespace hilo {

// Where a move can be made. What the numbers mean is the move's own; instructions keep their ids from one
// candidate to the next.
struct MoveSite {
  InstructionId instruction;
  int64_t part = 0;
  int64_t to = 0;
};

struct Move {
  std::string_view name;
  std::string_view summary;
  // In the order of the module; the reduction begins at the end.
  std::vector<MoveSite> (*sites)(const Module& module);
  // Makes the move at those sites that are still there; false where it could be made at none. What it leaves
  // may be wrong: the verifier has the last word.
  bool (*apply)(Draft& draft, std::span<const MoveSite> sites);
};
std::span<const Move> allMoves();

#define MOVE(name, sites, apply, summary)            \
  std::vector<MoveSite> sites(const Module& module); \
  bool apply(Draft& draft, std::span<const MoveSite> at);
#include "core/workspace/reduce/moves.def"

}  // namespace hilo
