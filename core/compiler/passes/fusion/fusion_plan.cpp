#include "core/compiler/passes/fusion/fusion_plan.h"

#include <absl/container/inlined_vector.h>
#include <fmt/format.h>

#include <ranges>

#include "core/analysis/cumulative_window.h"
#include "core/analysis/dense_dimension.h"
#include "core/analysis/dimension_order.h"
#include "core/analysis/llvm_kernel_options.h"
#include "core/hlo/ir/side_effects.h"

namespace hilo {
namespace {

// Longer kernels compile slowly and run out of registers.
constexpr size_t kMostMembers = 100;
// What each operand of a concatenate is made of is a loop of its own, and several kernels when
// there are many.
size_t mostMembers(const Instruction& root) {
  constexpr size_t kMostLoops = 10;
  return root.opcode() == Opcode::Concatenate ? kMostMembers * std::min(root.operandCount(), kMostLoops)
                                              : kMostMembers;
}
// An instruction is written out once for each.
constexpr size_t kMostPlaces = 4;
// Operands a concatenate may have that is not at the root's own places, where each would be a loop.
constexpr size_t kMostChoices = 4;

// An index of the kernel at which a member is computed, and how often. Elementwise users hand theirs on, so
// that a value that several of them use is computed once.
struct Place {
  size_t index;
  double evaluations;
};
constexpr size_t kRootPlace = 0;  // where the kernel stores

struct Member {
  absl::InlinedVector<Place, 2> places;
  bool belowSum = false;     // a reduction in the kernel depends on it
  bool belowBranch = false;  // a gather, concatenate or pad does

  double evaluations() const {
    double sum = 0;
    for (const Place& place : places) sum += place.evaluations;
    return sum;
  }
  void add(Place place) {
    if (std::ranges::find(places, place.index, &Place::index) == places.end()) places.push_back(place);
  }
};

bool isSum(const Instruction& instruction) {
  return instruction.opcode() == Opcode::Reduce || instruction.opcode() == Opcode::ReduceWindow;
}

constexpr int64_t kLongestRow = 65536;  // that stays in a near cache

// Folds one row of the root's value: an array of the root's dimensions over the dense one. The kernel then
// goes row by row and each sum is there before the row needs it.
bool reducesRowOf(const Instruction& sum, const Instruction& root) {
  if (sum.opcode() != Opcode::Reduce || sum.operandCount() != 2 || !root.shape().isArray() || isSum(root))
    return false;
  const Shape folded = sum.operand(0)->shape(), stored = root.shape();
  const int64_t dense = denseDimension(stored);
  return stored.rank() > 0 && std::ranges::equal(folded.dimensions(), stored.dimensions()) &&
         denseDimension(folded) == dense && sum.dimensions().size() == 1 && sum.dimensions()[0] == dense &&
         stored.dimension(static_cast<size_t>(dense)) <= kLongestRow;
}

// Folds a row into one element of the root's, as others in the kernel may: all of the same rows.
bool reducesToElementOf(const Instruction& sum, const Instruction& root) {
  if (sum.opcode() != Opcode::Reduce || sum.operandCount() != 2 || !root.shape().isArray() ||
      sum.dimensions().size() != 1)
    return false;
  const Shape folded = sum.operand(0)->shape();
  const int64_t dense = denseDimension(folded);
  return sum.dimensions()[0] == dense &&
         std::ranges::equal(sum.shape().dimensions(), root.shape().dimensions()) &&
         folded.dimension(static_cast<size_t>(dense)) <= kLongestRow;
}

bool foldsTheSameRows(const Instruction& a, const Instruction& b) {
  const Shape x = a.operand(0)->shape(), y = b.operand(0)->shape();
  return std::ranges::equal(x.dimensions(), y.dimensions()) && denseDimension(x) == denseDimension(y);
}

struct Group {
  std::vector<Instruction*> order;
  absl::flat_hash_map<const Instruction*, Member> members;
  const Instruction& root() const { return *order[0]; }
  // Around reductions of rows: then nothing may join that does not go by row.
  bool isByRow() const {
    return std::ranges::any_of(order, [&](const Instruction* i) {
      return reducesRowOf(*i, root()) || (isSum(*i) && members.at(i).belowSum);
    });
  }
};

bool isBranch(Opcode opcode) {
  return opcode == Opcode::Gather || opcode == Opcode::Concatenate || opcode == Opcode::Pad;
}

bool movesData(Opcode opcode) {
  switch (opcode) {
    case Opcode::Bitcast:
    case Opcode::Broadcast:
    case Opcode::Copy:
    case Opcode::DynamicSlice:
    case Opcode::Iota:
    case Opcode::Map:
    case Opcode::Reshape:
    case Opcode::Reverse:
    case Opcode::Slice:
    case Opcode::Transpose:
      return true;
    default:
      return isBranch(opcode);
  }
}

// Of size, and with another dimension dense than before: done in squares by a kernel of its own, which is
// much quicker than reading element by element.
bool turnsSquares(const Instruction& instruction) {
  const bool isTranspose = instruction.opcode() == Opcode::Transpose;
  if (!isTranspose && instruction.opcode() != Opcode::Copy) return false;
  const Shape to = instruction.shape();
  if (!to.isArray() || to.rank() < 2 || to.elementCount() < 4096) return false;
  const int64_t dense = denseDimension(to);
  return (isTranspose ? instruction.dimensions()[static_cast<size_t>(dense)] : dense) !=
         denseDimension(instruction.operand(0)->shape());
}

// Costs nothing by itself: another name for the same bytes.
bool isSameBytes(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::Bitcast) return true;
  const auto isPlain = [](Shape shape) { return sameMemoryOrder(shape, shape.withoutLayout()); };
  return instruction.opcode() == Opcode::Reshape && isPlain(instruction.shape()) &&
         isPlain(instruction.operand(0)->shape());
}

bool isPlainArray(Shape shape) { return shape.isArray() && !shape.isDynamic() && shape.elementCount() > 0; }

bool isScalarConstant(const Instruction& instruction) {
  return instruction.opcode() == Opcode::Constant && instruction.shape().isArray() &&
         instruction.shape().elementCount() == 1;
}

bool isFirstWrittenInPlace(Opcode opcode) {
  return opcode == Opcode::DynamicUpdateSlice || opcode == Opcode::Scatter;
}

bool goesByRow(const Instruction& instruction) {
  return isElementwise(instruction.opcode()) || instruction.opcode() == Opcode::Broadcast ||
         instruction.opcode() == Opcode::Iota || isScalarConstant(instruction);
}

class Planner {
 public:
  Planner(const Computation& computation, const EngineCosts& costs) : costs_(costs) {
    int place = 0;
    for (Instruction* instruction : computation.instructions()) {
      place_[instruction] = place++;
      instructions_.push_back(instruction);
      const auto before = instruction->get<Attr::ControlPredecessors>();
      if (!before.empty()) ordered_.insert(instruction);
      ordered_.insert(before.begin(), before.end());
    }
  }

  FusionPlan plan() {
    for (Instruction* instruction : instructions_ | std::views::reverse) {
      if (canJoin(*instruction) && joinUsers(*instruction)) continue;
      if (canBegin(*instruction) && instruction->opcode() != Opcode::Bitcast) begin(*instruction);
    }
    for (Group& group : groups_ | std::views::reverse) {
      const auto work = std::ranges::count_if(
          group.order, [](const Instruction* i) { return !isScalarConstant(*i) && !isSameBytes(*i); });
      if (work > 1) plan_.groups.push_back({std::move(group.order)});
    }
    std::ranges::reverse(plan_.verdicts);
    return std::move(plan_);
  }

 private:
  using GroupList = absl::InlinedVector<size_t, 2>;

  bool canBegin(const Instruction& instruction) const {
    if (ordered_.contains(&instruction)) return false;
    // How its kernel is to be compiled is said, and not of others.
    if (const auto options = llvmKernelOptions(instruction); !options || *options) return false;
    // One pass by itself, and in a kernel every window anew.
    if (instruction.opcode() == Opcode::ReduceWindow && cumulativeWindow(instruction)) return false;
    if (instruction.opcode() == Opcode::Reduce && instruction.shape().isTuple())
      return std::ranges::all_of(instruction.shape().tupleShapes(), isPlainArray);
    if (!isPlainArray(instruction.shape())) return false;
    return isElementwise(instruction.opcode()) || movesData(instruction.opcode()) || isSum(instruction) ||
           instruction.opcode() == Opcode::DynamicUpdateSlice;
  }

  bool canJoin(const Instruction& instruction) const {
    if (isScalarConstant(instruction)) return true;
    if (turnsSquares(instruction)) return false;
    return canBegin(instruction) && instruction.shape().isArray() && !instruction.isRoot() &&
           instruction.opcode() != Opcode::DynamicUpdateSlice && !hasOwnSideEffect(instruction);
  }

  void begin(Instruction& root) {
    Group& group = groups_.emplace_back();
    group.order.push_back(&root);
    const Shape shape = root.shape().isTuple() ? root.shape().tupleShapes()[0] : root.shape();
    group.members[&root].add({kRootPlace, static_cast<double>(shape.elementCount())});
    groupsOf_[&root].push_back(groups_.size() - 1);
  }

  // The groups its users are in, each once.
  GroupList groupsOfUsers(const Instruction& instruction, bool* everyUser) const {
    GroupList result;
    *everyUser = !instruction.isRoot();
    for (const Instruction* user : instruction.users()) {
      const auto found = groupsOf_.find(user);
      if (found == groupsOf_.end()) {
        *everyUser = false;
        continue;
      }
      for (const size_t g : found->second) {
        if (std::ranges::find(result, g) == result.end()) result.push_back(g);
      }
    }
    return result;
  }

  Member memberOf(const Instruction& instruction, const Group& group) const {
    Member member;
    for (const Instruction* user : instruction.users()) {
      const auto found = group.members.find(user);
      if (found == group.members.end()) continue;
      const Member& above = found->second;
      for (size_t i = 0; i < user->operandCount(); ++i) {
        if (user->operand(i) != &instruction) continue;
        for (const Place& place : above.places) {
          const size_t index =
              isElementwise(user->opcode()) ? place.index : absl::HashOf(user, i, place.index);
          member.add({index, costs_.operandEvaluations(*user, i, place.evaluations)});
        }
      }
      member.belowSum |= isSum(*user) || above.belowSum;
      member.belowBranch |= isBranch(user->opcode()) || above.belowBranch;
    }
    if (reducesRowOf(instruction, group.root()) || (isSum(instruction) && member.belowSum))
      member.places = {{absl::HashOf(&instruction), static_cast<double>(instruction.shape().elementCount())}};
    return member;
  }

  // Why it may not join, whatever the cost; empty when it may.
  std::string obstacle(const Instruction& instruction, const Group& group) const {
    const Instruction& root = group.root();
    const Member member = memberOf(instruction, group);
    if (member.places.size() > kMostPlaces)
      return fmt::format("%{} needs it at too many places", root.name());
    const bool isAtRoot = member.places.size() == 1 && member.places[0].index == kRootPlace;
    if (instruction.opcode() == Opcode::Concatenate && instruction.operandCount() > kMostChoices && !isAtRoot)
      return fmt::format("%{} would choose among its {} operands for each element", root.name(),
                         instruction.operandCount());
    if (group.order.size() >= mostMembers(root))
      return fmt::format("the kernel of %{} is large enough", root.name());
    if (root.opcode() == Opcode::DynamicUpdateSlice) {
      const Instruction* updated = root.operand(0);
      if (updated == &instruction) return fmt::format("%{} is written in place", root.name());
      if (std::ranges::find(instruction.operands(), updated) != instruction.operands().end())
        return fmt::format("%{} writes in place what it reads", root.name());
    }
    for (const Instruction* operand : instruction.operands()) {
      for (const Instruction* writer : operand->users()) {
        if (writer != &instruction && writer != &root && isFirstWrittenInPlace(writer->opcode()) &&
            writer->operand(0) == operand && place_.at(writer) < place_.at(&root))
          return fmt::format("it would read %{} after %{} has written over it", operand->name(),
                             writer->name());
      }
    }
    if (turnsSquares(root)) return fmt::format("%{} is done in squares", root.name());
    if (isSum(instruction)) return obstacleToSum(instruction, group);
    if (group.isByRow() && !goesByRow(instruction)) return fmt::format("%{} goes row by row", root.name());
    return "";
  }

  // A reduction inside a kernel must run once for each element the kernel stores, or once for each row.
  std::string obstacleToSum(const Instruction& sum, const Group& group) const {
    const Instruction& root = group.root();
    const Member member = memberOf(sum, group);
    if (member.belowBranch) return fmt::format("%{} would need it in a branch", root.name());
    if (reducesRowOf(sum, root)) {
      const bool fits = std::ranges::all_of(
          group.order, [&](const Instruction* i) { return goesByRow(*i) || reducesRowOf(*i, root); });
      return fits ? "" : fmt::format("the kernel of %{} does not go row by row", root.name());
    }
    if (member.belowSum || group.isByRow()) {
      const bool fits =
          reducesToElementOf(sum, root) && std::ranges::all_of(group.order, [&](const Instruction* i) {
            return isSum(*i) ? reducesToElementOf(*i, root) && foldsTheSameRows(*i, sum) : goesByRow(*i);
          });
      return fits ? "" : fmt::format("%{} depends on another reduction of its kernel", root.name());
    }
    const auto elements = static_cast<double>(sum.shape().elementCount());
    if (!root.shape().isArray() || root.shape().elementCount() != sum.shape().elementCount() ||
        member.evaluations() > elements)
      return fmt::format("%{} would compute each of its sums more than once", root.name());
    return "";
  }

  double fusedNs(const Instruction& instruction, double evaluations) const {
    double readsNs = 0;
    for (const Instruction* operand : instruction.operands()) {
      if (!operand->shape().isArray() || operand->shape().rank() == 0 ||
          operand->opcode() == Opcode::Broadcast)
        continue;
      readsNs += costs_.memoryNs(operand->shape()) /
                 static_cast<double>(std::max<int64_t>(1, operand->shape().elementCount()));
    }
    return evaluations * (costs_.elementWorkNs(instruction) + readsNs);
  }

  bool costsNothing(const Instruction& instruction) const {
    return isScalarConstant(instruction) || instruction.opcode() == Opcode::Iota ||
           (instruction.opcode() == Opcode::Broadcast && instruction.operand(0)->shape().rank() == 0);
  }

  void join(Instruction& instruction, size_t g) {
    const Member member = memberOf(instruction, groups_[g]);
    groups_[g].order.push_back(&instruction);
    groups_[g].members[&instruction] = member;
    groupsOf_[&instruction].push_back(g);
  }

  // True when it need not be stored.
  bool joinUsers(Instruction& instruction) {
    bool everyUser = true;
    const GroupList users = groupsOfUsers(instruction, &everyUser);
    if (users.empty()) return false;
    if (costsNothing(instruction)) return joinForNothing(instruction, users) && everyUser;
    std::string reason;
    if (!everyUser) reason = "something that cannot be in a kernel with it needs its value";
    for (const size_t g : users) {
      if (reason.empty()) reason = obstacle(instruction, groups_[g]);
    }
    if (reason.empty() && isSum(instruction) && users.size() > 1) reason = "several kernels need its sums";
    if (reason.empty()) reason = whyNotWorth(instruction, users);
    if (reason.empty()) {
      for (const size_t g : users) join(instruction, g);
      reason = users.size() == 1 ? fmt::format("into %{}", groups_[users[0]].root().name())
                                 : fmt::format("into {} kernels, and computed in each", users.size());
      plan_.verdicts.push_back({&instruction, true, std::move(reason)});
      return true;
    }
    plan_.verdicts.push_back({&instruction, false, std::move(reason)});
    return false;
  }

  bool joinForNothing(Instruction& instruction, const GroupList& users) {
    bool all = true;
    for (const size_t g : users) {
      if (isScalarConstant(instruction) || obstacle(instruction, groups_[g]).empty()) {
        join(instruction, g);
      } else {
        all = false;
      }
    }
    return all;
  }

  std::string whyNotWorth(const Instruction& instruction, const GroupList& users) const {
    const Shape shape = instruction.shape();
    double apartNs = costs_.kernelNs() + fusedNs(instruction, static_cast<double>(shape.elementCount())) +
                     costs_.memoryNs(shape);
    double togetherNs = 0, evaluations = 0;
    for (const size_t g : users) {
      // What several stages of a row need is kept.
      double here = memberOf(instruction, groups_[g]).evaluations();
      if (groups_[g].isByRow()) here = std::min(here, static_cast<double>(shape.elementCount()));
      evaluations += here;
      togetherNs += fusedNs(instruction, here);
      apartNs += here * costs_.memoryNs(shape) / static_cast<double>(shape.elementCount());
    }
    // A sum's operands are not known to it yet; that it runs as often as apart was made sure of.
    if (isSum(instruction) || togetherNs <= apartNs) return "";
    return fmt::format(
        "computing {:.3g} elements for {} costs more than to store and read them ({:.3g} against {:.3g} "
        "us)",
        evaluations, shape.elementCount(), togetherNs / 1000, apartNs / 1000);
  }

  const EngineCosts& costs_;
  std::vector<Instruction*> instructions_;
  absl::flat_hash_map<const Instruction*, int> place_;
  absl::flat_hash_set<const Instruction*> ordered_;  // by control dependencies
  std::vector<Group> groups_;
  absl::flat_hash_map<const Instruction*, GroupList> groupsOf_;
  FusionPlan plan_;
};

}  // namespace

FusionPlan planLoopFusion(const Computation& computation, const EngineCosts& costs) {
  return Planner(computation, costs).plan();
}

}  // namespace hilo
