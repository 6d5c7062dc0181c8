#include "core/compiler/spmd/shardy/flat_entry.h"

#include "core/compiler/spmd/shardy/flat_header.h"
#include "core/compiler/spmd/tiling.h"

namespace hilo::sdy {
namespace {

bool isNested(Shape shape) {
  return shape.isTuple() && std::ranges::any_of(shape.tupleShapes(), &Shape::isTuple);
}

bool isFlat(const Computation& entry) {
  const auto takesTuple = [](const Instruction* parameter) { return parameter->shape().isTuple(); };
  return !isNested(entry.root()->shape()) && std::ranges::none_of(entry.parameters(), takesTuple);
}

void say(Instruction& instruction, const Sharding* sharding) {
  if (sharding != nullptr) instruction.set<Attr::Sharding>(sharding);
}

// Makes the flat entry beside the old one, which it takes the place of.
class FlatEntry {
 public:
  explicit FlatEntry(Module& module)
      : module_(module),
        old_(*module.entry()),
        made_(*module.createComputation(module.uniqueName(old_.name()), &old_)) {}

  void takeLeaves(bool asOneTuple);
  void copyInstructions();
  void giveLeaves();
  void takePlace();

 private:
  void takeSeparately();
  void takeTogether();
  Instruction* element(Instruction* tuple, size_t index);
  Instruction* whole(Shape shape, std::span<Instruction* const>& leaves);
  void addLeaves(Instruction* value, std::vector<Instruction*>& leaves);
  void dropUnused(Instruction* tuple);
  Instruction* twinOf(const Instruction* original);
  void copy(const Instruction& original);

  Module& module_;
  Computation& old_;
  Computation& made_;
  // Of a tuple that a parameter held, or held in it: its leaves; of anything else: its copy.
  absl::flat_hash_map<const Instruction*, std::vector<Instruction*>> leavesOf_;
  absl::flat_hash_map<const Instruction*, Instruction*> twins_;
};

const Sharding* leafSharding(const Instruction& instruction, size_t leaf) {
  const Sharding* sharding = instruction.get<Attr::Sharding>();
  const bool isList = sharding != nullptr && sharding->type == Sharding::Type::Tuple;
  return isList ? &sharding->elements[leaf] : sharding;
}

void FlatEntry::takeSeparately() {
  int64_t number = 0;
  for (const Instruction* parameter : old_.parameters()) {
    const auto shapes = leavesOf(parameter->shape());
    for (size_t leaf = 0; leaf < shapes.size(); ++leaf) {
      Instruction* made =
          made_.createParameter(number++, shapes[leaf], module_.uniqueName(parameter->name()));
      module_.recordProvenance(made->id(), parameter->id());
      say(*made, leafSharding(*parameter, leaf));
      leavesOf_[parameter].push_back(made);
    }
  }
}

void FlatEntry::takeTogether() {
  std::vector<Shape> shapes;
  std::vector<Sharding> shardings;
  bool isSaid = false;
  for (const Instruction* parameter : old_.parameters()) {
    const auto leaves = leavesOf(parameter->shape());
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      const Sharding* sharding = leafSharding(*parameter, leaf);
      isSaid = isSaid || sharding != nullptr;
      shapes.push_back(leaves[leaf]);
      shardings.push_back(sharding != nullptr ? *sharding : Sharding{.type = Sharding::Type::Replicated});
    }
  }
  Instruction* tuple = made_.createParameter(0, Shape::tuple(shapes), module_.uniqueName("arg_tuple"));
  const Sharding all{.type = Sharding::Type::Tuple, .elements = shardings};
  if (isSaid) say(*tuple, &all);
  size_t next = 0;
  for (const Instruction* parameter : old_.parameters()) {
    for (size_t leaf = 0; leaf < leavesOf(parameter->shape()).size(); ++leaf, ++next) {
      Instruction* made = element(tuple, next);
      module_.recordProvenance(made->id(), parameter->id());
      say(*made, leafSharding(*parameter, leaf));
      leavesOf_[parameter].push_back(made);
    }
  }
}

Instruction* FlatEntry::element(Instruction* tuple, size_t index) {
  Instruction* made = made_.create(Opcode::GetTupleElement, tuple->shape().tupleShapes()[index], {tuple});
  made->set<Attr::Index>(static_cast<int64_t>(index));
  return made;
}

void FlatEntry::takeLeaves(bool asOneTuple) { asOneTuple ? takeTogether() : takeSeparately(); }

// A tuple of this shape of the next leaves.
Instruction* FlatEntry::whole(Shape shape, std::span<Instruction* const>& leaves) {
  if (!shape.isTuple()) {
    Instruction* leaf = leaves.front();
    leaves = leaves.subspan(1);
    return leaf;
  }
  std::vector<Instruction*> elements;
  for (Shape element : shape.tupleShapes()) elements.push_back(whole(element, leaves));
  return made_.create(Opcode::Tuple, shape, elements);
}

Instruction* FlatEntry::twinOf(const Instruction* original) {
  if (const auto twin = twins_.find(original); twin != twins_.end()) return twin->second;
  std::span<Instruction* const> leaves = leavesOf_.at(original);
  return twins_[original] = whole(original->shape(), leaves);
}

// An element of a tuple that was taken apart is some of its leaves.
void FlatEntry::copy(const Instruction& original) {
  if (leavesOf_.contains(&original)) return;
  if (original.opcode() == Opcode::GetTupleElement && leavesOf_.contains(original.operand(0))) {
    const auto shapes = original.operand(0)->shape().tupleShapes();
    size_t from = 0;
    for (size_t i = 0; i < static_cast<size_t>(original.tupleIndex()); ++i)
      from += leavesOf(shapes[i]).size();
    const std::vector<Instruction*> all = leavesOf_.at(original.operand(0));
    const auto first = all.begin() + static_cast<ptrdiff_t>(from);
    leavesOf_[&original] = {first, first + static_cast<ptrdiff_t>(leavesOf(original.shape()).size())};
    return;
  }
  std::vector<Instruction*> operands;
  for (const Instruction* operand : original.operands()) operands.push_back(twinOf(operand));
  twins_[&original] = made_.createLike(original, operands);
}

void FlatEntry::copyInstructions() {
  for (const Instruction* original : old_.instructions()) copy(*original);
  for (const auto& [original, twin] : twins_) {
    std::vector<Instruction*> predecessors;
    for (const Instruction* before : original->get<Attr::ControlPredecessors>())
      predecessors.push_back(twinOf(before));
    if (!predecessors.empty())
      twin->set<Attr::ControlPredecessors>(std::span<Instruction* const>(predecessors));
  }
}

void FlatEntry::addLeaves(Instruction* value, std::vector<Instruction*>& leaves) {
  const Shape shape = value->shape();
  if (!shape.isTuple()) leaves.push_back(value);
  for (size_t i = 0; shape.isTuple() && i < shape.tupleShapes().size(); ++i)
    addLeaves(value->opcode() == Opcode::Tuple ? value->operand(i) : element(value, i), leaves);
}

void FlatEntry::giveLeaves() {
  Instruction* root = twinOf(old_.root());
  if (isNested(root->shape())) {
    std::vector<Instruction*> leaves;
    addLeaves(root, leaves);
    const auto shapes = leavesOf(root->shape());
    Instruction* flat = made_.create(Opcode::Tuple, Shape::tuple(shapes), leaves);
    say(*flat, old_.root()->get<Attr::Sharding>());
    made_.setRoot(flat);
    dropUnused(root);
    return;
  }
  made_.setRoot(root);
}

// The tuples that the root was made of.
void FlatEntry::dropUnused(Instruction* tuple) {
  if (tuple->opcode() != Opcode::Tuple || tuple->isRoot() || !tuple->users().empty()) return;
  const std::vector<Instruction*> operands(tuple->operands().begin(), tuple->operands().end());
  absl::erase_if(twins_, [&](const auto& twin) { return twin.second == tuple; });
  made_.remove(tuple);
  for (Instruction* operand : operands) dropUnused(operand);
}

// Under the names there were.
void FlatEntry::takePlace() {
  const std::string name(old_.name());
  std::vector<std::pair<Instruction*, std::string>> names;
  for (const auto& [original, twin] : twins_) names.emplace_back(twin, original->name());
  for (const Instruction* parameter : old_.parameters()) {
    if (parameter->shape().isArray() && leavesOf_.at(parameter)[0]->opcode() == Opcode::Parameter)
      names.emplace_back(leavesOf_.at(parameter)[0], parameter->name());
  }
  for (const Attribute& attribute : old_.attributes().all())
    made_.attributes().append(module_.arena(), attribute);
  module_.setEntry(&made_);
  module_.removeComputation(&old_);
  made_.setName(name);
  for (const auto& [twin, kept] : names) twin->setName(kept);
}

}  // namespace

bool wantsOneTuple(const Module& module) {
  return std::ranges::any_of(module.get<Attr::FrontendAttributes>(), [](const FrontendAttribute& attribute) {
    return attribute.name == "xla.sdy.use_tuple_args";
  });
}

void flattenEntry(Module& module, bool asOneTuple) {
  if (!asOneTuple && isFlat(*module.entry())) return;
  flattenHeader(module, asOneTuple);
  FlatEntry flat(module);
  flat.takeLeaves(asOneTuple);
  flat.copyInstructions();
  flat.giveLeaves();
  flat.takePlace();
}

}  // namespace hilo::sdy
