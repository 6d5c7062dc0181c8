#include "core/workspace/reduce/moves.h"

#include "core/workspace/reduce/reduce.h"

namespace hilo {
namespace {

constexpr Move kMoves[] = {
#define MOVE(name, sites, apply, summary) {name, summary, &sites, &apply},
#include "core/workspace/reduce/moves.def"
};
constexpr MoveInfo kInfos[] = {
#define MOVE(name, sites, apply, summary) {name, summary},
#include "core/workspace/reduce/moves.def"
};

}  // namespace

std::span<const Move> allMoves() { return kMoves; }
std::span<const MoveInfo> listMoves() { return kInfos; }

}  // namespace hilo
