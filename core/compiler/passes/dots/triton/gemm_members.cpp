#include "core/compiler/passes/dots/triton/gemm_members.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "core/analysis/saturating.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

constexpr size_t kMostArrays = 4;    // as XLA: read by a side
constexpr size_t kMostMembers = 64;  // of a kernel
constexpr int64_t kFewBytes = 1024;  // that a kernel may read more

using Members = absl::flat_hash_set<const Instruction*>;

bool isScalarConstant(const Instruction& i) {
  return i.opcode() == Opcode::Constant && i.shape().isArray() && i.shape().elementCount() == 1;
}

bool isTiled(const Instruction& i) {
  if (!isPlainArray(i.shape()) || i.has(Attr::ControlPredecessors) || i.operandCount() == 0) return false;
  const bool areArrays = std::ranges::all_of(
      i.operands(), [](const Instruction* operand) { return isPlainArray(operand->shape()); });
  switch (i.opcode()) {
    case Opcode::Bitcast:
    case Opcode::Broadcast:
    case Opcode::Transpose:
    case Opcode::Slice:
      return areArrays;
    default:
      return areArrays && isElementwise(i.opcode()) && i.opcode() != Opcode::Copy;
  }
}

// A conversion to a larger type: done twice where another reads it too, since what it reads is smaller, and
// left to those behind the kernel, which would write more.
bool isWidening(const Instruction& i) {
  return i.opcode() == Opcode::Convert && i.operand(0)->shape().byteSize() < i.shape().byteSize();
}

bool belongs(const Instruction& i, const Members& members) {
  if (isWidening(i)) return true;
  return !i.isRoot() &&
         std::ranges::all_of(i.users(), [&](const Instruction* user) { return members.contains(user); });
}

bool isStored(const Instruction& i) {
  return i.opcode() == Opcode::Parameter || i.opcode() == Opcode::Constant;
}

bool isSmallRead(const Instruction& i) { return i.opcode() == Opcode::Broadcast && isStored(*i.operand(0)); }

// Of an array that is stored anyway: others read other parts of it, or what it is made of is as good as read.
bool isPartOfStored(const Instruction& slice) {
  const Instruction& whole = *slice.operand(0);
  if (isStored(whole)) return true;
  const auto& users = whole.users();
  const bool areSlices =
      std::ranges::all_of(users, [](const Instruction* user) { return user->opcode() == Opcode::Slice; });
  const bool areAlike = areSlices && std::ranges::all_of(users, [&](const Instruction* user) {
                          return std::ranges::equal(user->shape().dimensions(), slice.shape().dimensions());
                        });
  return users.size() > 1 && !areAlike && (areSlices || isElementwise(whole.opcode()));
}

// One side: what is read, and what of it is computed inside.
class Side {
 public:
  Side(Members& members, std::vector<Instruction*> reads) : members_(members), reads_(std::move(reads)) {}

  void grow() {
    while (members_.size() < kMostMembers && takeOne()) continue;
  }

 private:
  bool takeOne() {
    for (Instruction* read : reads_) {
      const bool isConstant = isScalarConstant(*read);
      if (!isConstant && (!isTiled(*read) || !belongs(*read, members_) || !isWorthComputing(*read))) continue;
      std::vector<Instruction*> reads = readsWithout(*read);
      if (arraysOf(reads) > std::max(kMostArrays, arraysOf(reads_))) continue;
      members_.insert(read);
      reads_ = std::move(reads);
      return true;
    }
    return false;
  }

  std::vector<Instruction*> readsWithout(const Instruction& taken) const {
    std::vector<Instruction*> reads;
    const auto add = [&](Instruction* read) {
      if (read != &taken && !members_.contains(read) && std::ranges::find(reads, read) == reads.end())
        reads.push_back(read);
    };
    std::ranges::for_each(reads_, add);
    std::ranges::for_each(taken.operands(), add);
    return reads;
  }

  static size_t arraysOf(const std::vector<Instruction*>& reads) {
    return static_cast<size_t>(
        std::ranges::count_if(reads, [](const Instruction* i) { return !isScalarConstant(*i); }));
  }

  Members& members_;
  std::vector<Instruction*> reads_;  // outside, each once
};

// What follows the dot, one reader after the other; the last is the kernel's result.
Instruction* lastBehind(Instruction& dot, Members& members) {
  Instruction* last = &dot;
  while (!last->isRoot() && members.size() < kMostMembers) {
    Instruction* user = last->users().empty() ? nullptr : last->users()[0];
    const bool isOnly = user != nullptr &&
                        std::ranges::all_of(last->users(), [&](const Instruction* i) { return i == user; });
    if (!isOnly || !isTiled(*user) || user->opcode() == Opcode::Slice || isWidening(*user)) break;
    members.insert(user);
    last = user;
  }
  return last;
}

void addOperandsFirst(Instruction& i, const Members& members, Members& seen,
                      std::vector<Instruction*>& order) {
  if (!members.contains(&i) || !seen.insert(&i).second) return;
  for (Instruction* operand : i.operands()) addOperandsFirst(*operand, members, seen, order);
  order.push_back(&i);
}

}  // namespace

bool isWorthComputing(const Instruction& i) {
  int64_t more = -i.shape().byteSize();
  for (const Instruction* operand : i.operands()) more = saturatingAdd(more, operand->shape().byteSize());
  if (more <= kFewBytes ||
      std::ranges::any_of(i.operands(), [](const Instruction* read) { return isSmallRead(*read); }))
    return true;
  if (i.users().size() == 1 && i.opcode() == Opcode::Slice && isPartOfStored(i)) return true;
  return i.users().size() == 1 && std::ranges::all_of(i.operands(), [](const Instruction* read) {
           return isStored(*read) && read->users().size() == 1;
         });
}

std::vector<Instruction*> gemmMembers(Instruction& dot) {
  Members members = {&dot};
  Instruction* last = lastBehind(dot, members);
  std::vector<Instruction*> others;  // read behind the dot
  for (const Instruction* i : members) {
    for (Instruction* operand : i->operands()) {
      if (i != &dot && !members.contains(operand) && std::ranges::find(others, operand) == others.end())
        others.push_back(operand);
    }
  }
  std::ranges::sort(others, {}, [](const Instruction* i) { return i->id().value; });
  Side(members, {dot.operand(0)}).grow();
  Side(members, {dot.operand(1)}).grow();
  Side(members, std::move(others)).grow();
  std::vector<Instruction*> order;
  Members seen;
  addOperandsFirst(*last, members, seen, order);
  std::ranges::reverse(order);
  return order;
}

}  // namespace hilo
