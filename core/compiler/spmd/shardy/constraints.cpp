// Constraints that hold for their operand too (applyConstraints of statements.h).
#include "core/compiler/pass/replace_uses.h"
#include "core/compiler/spmd/shardy/statements.h"
#include "core/compiler/spmd/tiling.h"

namespace hilo::sdy {
namespace {

// Whether an array is one with others, over a loop, a branch or a call: its sharding is theirs.
bool isTied(const Instruction& origin) {
  switch (origin.opcode()) {
    case Opcode::While:
    case Opcode::Conditional:
    case Opcode::OptBarrier:
      return true;
    case Opcode::Call:
      return !isManualBody(*origin.get<Attr::ToApply>());
    case Opcode::Parameter:
      return !origin.parent().isEntry();
    default:
      return false;
  }
}

class Applier {
 public:
  explicit Applier(Statements& statements) : statements_(statements) {}
  void apply(Computation& computation);

 private:
  // What a user says of an operand as a constraint or entrance of a manual region; null: nothing.
  const TensorSharding* saidBy(const Instruction& user, const Instruction& operand) const;
  bool mayTake(const Instruction& input, const TensorSharding& sharding) const;
  bool isConstrainedBeside(const Instruction& input, const Instruction& but) const;
  void applyConstraint(Instruction& constraint);
  void applyEntrance(Instruction& entrance);
  void redirectChain(Instruction& head);

  Statements& statements_;
};

const TensorSharding* Applier::saidBy(const Instruction& user, const Instruction& operand) const {
  if (isConstraint(user)) return statements_.of(&user);
  const auto border = statements_.borders.find(&user);
  if (border == statements_.borders.end() || !border->second.isEntrance) return nullptr;
  size_t leaf = 0;
  for (const Instruction* other : user.operands()) {
    if (other == &operand) return &border->second.shardings[leaf];
    leaf += leavesOf(other->shape()).size();
  }
  return nullptr;
}

bool Applier::mayTake(const Instruction& input, const TensorSharding& sharding) const {
  const auto [origin, leaf] = originOf(&input);
  if (!input.shape().isArray() || statements_.of(origin, leaf) != nullptr || !sharding.isClosed())
    return false;
  return std::ranges::all_of(input.users(), [&](const Instruction* user) {
    const TensorSharding* said = saidBy(*user, input);
    return said == nullptr || *said == sharding;
  });
}

bool Applier::isConstrainedBeside(const Instruction& input, const Instruction& but) const {
  return std::ranges::any_of(input.users(), [&](const Instruction* user) {
    return user != &but && saidBy(*user, input) != nullptr;
  });
}

// All uses of `from` but that by `to` itself, which comes to stand right behind it.
void redirectUses(Instruction* from, Instruction* to) {
  Computation& computation = from->parent();
  if (from->next() != to) computation.moveBefore(to, from->next());
  const std::vector<Instruction*> users(from->users().begin(), from->users().end());
  for (Instruction* user : users) {
    if (user != to) replaceUsesBy(user, from, to);
  }
  if (computation.root() == from) computation.setRoot(to);
}

// Several constraints one behind the other: what comes after them uses the last one.
void Applier::redirectChain(Instruction& head) {
  Instruction* input = head.operand(0);
  const auto [origin, leaf] = originOf(input);
  if (isConstraint(*input) || statements_.of(origin, leaf) != nullptr || isConstrainedBeside(*input, head))
    return;
  Instruction* tail = &head;
  while (tail->users().size() == 1 && isConstraint(*tail->users()[0]) && !tail->isRoot())
    tail = tail->users()[0];
  const bool isUsedByConstraint =
      std::ranges::any_of(tail->users(), [](const Instruction* user) { return isConstraint(*user); });
  if (tail == &head || isUsedByConstraint) return;
  for (Instruction* later = tail->next(); later != nullptr; later = later->next()) {
    const bool isReturn = later->isRoot() && later->opcode() == Opcode::Tuple;
    if (!isReturn) replaceUsesBy(later, input, tail);
  }
}

void Applier::applyConstraint(Instruction& constraint) {
  redirectChain(constraint);
  Instruction* input = constraint.operand(0);
  const TensorSharding sharding = *statements_.of(&constraint);
  if (!mayTake(*input, sharding)) return;
  const auto [origin, leaf] = originOf(input);
  if (isTied(*origin)) {
    redirectUses(input, &constraint);
  } else {
    statements_.set(origin, leaf, sharding);
  }
}

void Applier::applyEntrance(Instruction& entrance) {
  for (size_t i = 0; i < entrance.operandCount(); ++i) {
    Instruction* input = entrance.operand(i);
    const TensorSharding* said = saidBy(entrance, *input);
    if (said == nullptr || !mayTake(*input, *said)) continue;
    const TensorSharding sharding = *said;
    const auto [origin, leaf] = originOf(input);
    if (!isTied(*origin)) {
      statements_.set(origin, leaf, sharding);
      continue;
    }
    Instruction* constraint =
        entrance.parent().create(Opcode::CustomCall, input->shape(), {input}, {}, input->next());
    constraint->set<Attr::CustomCallTarget>("Sharding");
    statements_.set(constraint, 0, sharding);
    redirectUses(input, constraint);
  }
}

void Applier::apply(Computation& computation) {
  for (Instruction* i = computation.first(); i != nullptr;) {
    Instruction* next = i->next();
    if (isConstraint(*i) && statements_.of(i) != nullptr) applyConstraint(*i);
    if (statements_.borders.contains(i) && statements_.borders.at(i).isEntrance) applyEntrance(*i);
    i = next;
  }
}

}  // namespace

std::pair<const Instruction*, size_t> originOf(const Instruction* instruction) {
  std::vector<int64_t> path;
  for (; instruction->opcode() == Opcode::GetTupleElement; instruction = instruction->operand(0))
    path.push_back(instruction->tupleIndex());
  size_t leaf = 0;
  Shape shape = instruction->shape();
  for (size_t i = path.size(); i-- > 0;) {
    for (int64_t before = 0; before < path[i]; ++before)
      leaf += leavesOf(shape.tupleShapes()[static_cast<size_t>(before)]).size();
    shape = shape.tupleShapes()[static_cast<size_t>(path[i])];
  }
  return {instruction, leaf};
}

void applyConstraints(Module& module, Statements& statements) {
  Applier applier(statements);
  for (Computation* computation : module.computations()) applier.apply(*computation);
}

}  // namespace hilo::sdy
