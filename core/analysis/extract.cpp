#include "core/analysis/extract.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/async_pair.h"
#include "core/hlo/ir/computation.h"

namespace hilo {
namespace {

using Instructions = absl::flat_hash_set<const Instruction*>;

Result<Computation*> onlyParent(const Module& module, std::span<const InstructionId> wanted) {
  Computation* parent = nullptr;
  for (const InstructionId id : wanted) {
    const Instruction* i = module.instruction(id);
    if (i == nullptr)
      return fail("no-such-instruction", fmt::format("no instruction {} in this module", id.value));
    if (parent != nullptr && parent != &i->parent()) {
      return fail("several-computations",
                  fmt::format("the instructions are in {} and in {}", parent->name(), i->parent().name()), {},
                  {"choose instructions of one computation"});
    }
    parent = &i->parent();
  }
  if (parent == nullptr) return fail("nothing-selected", "no instruction is selected");
  return parent;
}

// What begins asynchronously comes with its end, and the other way round: one without the other
// is no program.
void completeAsyncPairs(Instructions& inside) {
  std::vector<const Instruction*> waiting(inside.begin(), inside.end());
  while (!waiting.empty()) {
    const Instruction& at = *waiting.back();
    waiting.pop_back();
    const auto add = [&](const Instruction* other) {
      if (inside.insert(other).second) waiting.push_back(other);
    };
    for (const Instruction* user : at.users()) {
      if (isAsyncPair(at, *user)) add(user);
    }
    for (const Instruction* operand : at.operands()) {
      if (isAsyncPair(*operand, at)) add(operand);
    }
  }
}

bool isResult(const Instruction& i, const Instructions& inside) {
  const auto outside = [&](const Instruction* user) { return !inside.contains(user); };
  return i.isRoot() || i.users().empty() || std::ranges::any_of(i.users(), outside);
}

// Copies the wanted instructions of `from` into `to`, in order.
class Copier {
 public:
  Copier(Computation& from, Computation& to, const Instructions& inside) : to_(to), inside_(inside) {
    for (Instruction* i : from.instructions()) {
      if (inside.contains(i)) copy(*i);
    }
  }

  void makeRoot() {
    std::vector<Instruction*> results;
    for (const auto& [original, made] : order_) {
      if (isResult(*original, inside_)) results.push_back(made);
    }
    if (results.size() == 1) return to_.setRoot(results[0]);
    std::vector<Shape> shapes;
    for (const Instruction* result : results) shapes.push_back(result->shape());
    to_.setRoot(to_.create(Opcode::Tuple, Shape::tuple(shapes), results, "results"));
  }

  // Once the originals are gone.
  void restoreNames(const absl::flat_hash_map<const Instruction*, std::string>& names) {
    for (const auto& [original, made] : order_) made->setName(names.at(original));
    for (const auto& [original, made] : outside_) made->setName(names.at(original));
  }
  absl::flat_hash_map<const Instruction*, std::string> names() const {
    absl::flat_hash_map<const Instruction*, std::string> names;
    for (const auto& [original, made] : order_) names.emplace(original, original->name());
    for (const auto& [original, made] : outside_) names.emplace(original, original->name());
    return names;
  }

 private:
  Instruction* parameterFor(const Instruction& original) {
    return to_.createParameter(static_cast<int64_t>(to_.parameters().size()), original.shape());
  }
  void copy(const Instruction& i) {
    Instruction* made = nullptr;
    if (i.opcode() == Opcode::Parameter) {
      made = parameterFor(i);
    } else {
      std::vector<Instruction*> operands;
      for (const Instruction* operand : i.operands()) operands.push_back(madeFor(*operand));
      made = to_.createLike(i, operands);
    }
    made_[&i] = made;
    order_.emplace_back(&i, made);
  }
  Instruction* madeFor(const Instruction& operand) {
    Instruction*& made = made_[&operand];
    if (made == nullptr) {
      made = parameterFor(operand);
      outside_.emplace_back(&operand, made);
    }
    return made;
  }

  Computation& to_;
  const Instructions& inside_;
  absl::flat_hash_map<const Instruction*, Instruction*> made_;
  std::vector<std::pair<const Instruction*, Instruction*>> order_, outside_;
};

void keepReached(Module& module) {
  absl::flat_hash_set<const Computation*> reached = {module.entry()};
  std::vector<const Computation*> open = {module.entry()};
  while (!open.empty()) {
    const Computation* c = open.back();
    open.pop_back();
    for (const Instruction* i : c->instructions()) {
      for (const Computation* called : i->calledComputations()) {
        if (reached.insert(called).second) open.push_back(called);
      }
    }
  }
  const std::vector<Computation*> all(module.computations().begin(), module.computations().end());
  for (auto c = all.rbegin(); c != all.rend(); ++c) {
    if (!reached.contains(*c)) module.removeComputation(*c);
  }
}

void dropHeader(Module& module) {
  std::vector<Attr> keys;
  for (const Attribute& attribute : module.attributes().all()) keys.push_back(attribute.key);
  for (const Attr key : keys) {
    if (key != Attr::NumPartitions && key != Attr::ReplicaCount) module.attributes().erase(key);
  }
}

}  // namespace

void makeEntry(Module& module, Computation& entry) {
  module.setEntry(&entry);
  keepReached(module);
  dropHeader(module);
}

Result<std::unique_ptr<Module>> extractModule(const Module& module, std::span<const InstructionId> wanted) {
  TRY_STATUS(onlyParent(module, wanted));
  std::unique_ptr<Module> made = module.clone();
  Instructions inside;
  for (const InstructionId id : wanted) inside.insert(made->instruction(id));
  completeAsyncPairs(inside);
  Computation& from = (*inside.begin())->parent();
  Computation* snippet = made->createComputation("snippet");
  Copier copier(from, *snippet, inside);
  copier.makeRoot();
  const auto names = copier.names();
  makeEntry(*made, *snippet);
  copier.restoreNames(names);
  return made;
}

}  // namespace hilo
