#include "core/analysis/neighbourhood.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

namespace hilo {
namespace {

using Neighbours = absl::flat_hash_map<const Instruction*, std::vector<const Instruction*>>;

// Control successors are not kept in the IR: gathered once from the predecessors.
Neighbours controlSuccessors(const Computation& computation) {
  Neighbours successors;
  for (const Instruction* instruction : computation.instructions()) {
    for (const Instruction* before : instruction->get<Attr::ControlPredecessors>())
      successors[before].push_back(instruction);
  }
  return successors;
}

class Walk {
 public:
  Walk(const Instruction& start, bool operands, bool users)
      : operands_(operands), users_(users), order_{&start}, distance_{0}, seen_{&start} {
    if (users) successors_ = controlSuccessors(start.parent());
  }

  std::vector<const Instruction*> run(uint32_t hops, size_t limit) {
    for (size_t i = 0; i < order_.size() && order_.size() < limit; ++i) {
      if (distance_[i] == hops) break;
      visitNeighbours(*order_[i], [&](const Instruction* next) {
        if (order_.size() >= limit || &next->parent() != &order_[0]->parent()) return;
        if (!seen_.insert(next).second) return;
        order_.push_back(next);
        distance_.push_back(distance_[i] + 1);
      });
    }
    return std::move(order_);
  }

 private:
  template <typename Visit>
  void visitNeighbours(const Instruction& at, Visit visit) const {
    if (operands_) {
      for (const Instruction* operand : at.operands()) visit(operand);
      for (const Instruction* before : at.get<Attr::ControlPredecessors>()) visit(before);
    }
    if (!users_) return;
    for (const Instruction* user : at.users()) visit(user);
    if (const auto after = successors_.find(&at); after != successors_.end()) {
      for (const Instruction* next : after->second) visit(next);
    }
  }

  const bool operands_;
  const bool users_;
  Neighbours successors_;
  std::vector<const Instruction*> order_;
  std::vector<uint32_t> distance_;
  absl::flat_hash_set<const Instruction*> seen_;
};

std::vector<const Instruction*> pathsAlongUsers(const Instruction& from, const Instruction& to,
                                                size_t limit) {
  const auto below = Walk(from, false, true).run(UINT32_MAX, SIZE_MAX);
  const auto above = Walk(to, true, false).run(UINT32_MAX, SIZE_MAX);
  const absl::flat_hash_set<const Instruction*> reaches(above.begin(), above.end());
  std::vector<const Instruction*> paths;
  for (const Instruction* instruction : below) {
    if (reaches.contains(instruction) && paths.size() < limit) paths.push_back(instruction);
  }
  return paths;
}

}  // namespace

std::vector<const Instruction*> instructionsWithin(const Instruction& centre, uint32_t hops, size_t limit) {
  return Walk(centre, true, true).run(hops, limit);
}

std::vector<const Instruction*> coneOf(const Instruction& tip, ConeDirection direction, size_t limit) {
  return Walk(tip, direction == ConeDirection::Operands, direction == ConeDirection::Users)
      .run(UINT32_MAX, limit);
}

std::vector<const Instruction*> pathsBetween(const Instruction& from, const Instruction& to, size_t limit) {
  if (&from.parent() != &to.parent()) return {};
  std::vector<const Instruction*> paths = pathsAlongUsers(from, to, limit);
  return paths.empty() ? pathsAlongUsers(to, from, limit) : paths;
}

}  // namespace hilo
