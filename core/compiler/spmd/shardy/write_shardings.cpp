#include "core/compiler/spmd/shardy/write_shardings.h"

#include "core/analysis/device_mesh.h"
#include "core/compiler/spmd/shardy/hlo_sharding.h"
#include "core/compiler/spmd/shardy/manual_regions.h"
#include "core/compiler/spmd/tiling.h"
#include "core/hlo/text/print.h"

namespace hilo::sdy {
namespace {

bool isShardys(const FrontendAttribute& attribute) { return attribute.name.starts_with("xla.sdy."); }

std::vector<FrontendAttribute> withoutShardys(std::span<const FrontendAttribute> attributes) {
  std::vector<FrontendAttribute> kept;
  std::ranges::remove_copy_if(attributes, std::back_inserter(kept), isShardys);
  return kept;
}

class Writer {
 public:
  Writer(Module& module, const ValueGraph& graph, const Statements& statements)
      : module_(module), graph_(graph), statements_(statements), regionOf_(graph.values.size()) {}
  void run();

 private:
  std::optional<ManualRegion> regionAround(const Instruction* owner) const;
  void findRegions();
  Sharding leafSharding(ValueId value);
  Sharding shardingOf(Shape shape, std::vector<Sharding> leaves);
  void write(Instruction& instruction);
  void writeDevice(Instruction& instruction);
  void writeRoot();
  void writeBodies();
  void writeBorders();
  void writeInside(Instruction& call, const ManualRegion& region);
  void openRegions();
  void writeHeader();
  void clean(Instruction& instruction);

  Module& module_;
  const ValueGraph& graph_;
  const Statements& statements_;
  std::vector<std::optional<ManualRegion>> regionOf_;
  Arena arena_;
};

std::optional<ManualRegion> Writer::regionAround(const Instruction* owner) const {
  const auto found = statements_.regions.find(&owner->parent());
  return found == statements_.regions.end() ? std::nullopt : std::optional(found->second);
}

// A part is made outside of its region, but is of it.
void Writer::findRegions() {
  for (ValueId id = 0; id < graph_.values.size(); ++id) regionOf_[id] = regionAround(graph_.values[id].owner);
  for (const GraphNode& node : graph_.nodes) {
    if (node.kind != GraphNode::Kind::Entrance || node.manualAxes.empty()) continue;
    std::optional<ManualRegion>& region = regionOf_[node.results[0]];
    if (!region) region = ManualRegion{.mesh = node.outer.mesh, .axes = {}};
    region->axes.insert(region->axes.end(), node.manualAxes.begin(), node.manualAxes.end());
    sortAndMerge(region->axes);
  }
}

Sharding Writer::leafSharding(ValueId id) {
  const Value& value = graph_.values[id];
  const auto& region = regionOf_[id];
  if (!value.shape.isArray() && !region) return {.type = Sharding::Type::Replicated};
  std::optional<TensorSharding> sharding = value.sharding;
  const bool isArgument = value.owner->opcode() == Opcode::Parameter && value.owner->parent().isEntry();
  if (sharding && isArgument) sharding = forBorder(*sharding, value.shape, statements_.meshes);
  return toHlo(statements_.meshes, sharding ? &*sharding : nullptr, value.shape.rank(),
               region ? &*region : nullptr, arena_);
}

Sharding Writer::shardingOf(Shape shape, std::vector<Sharding> leaves) {
  if (!shape.isTuple()) return leaves[0];
  return {.type = Sharding::Type::Tuple, .elements = copyListInto(arena_, std::span<const Sharding>(leaves))};
}

// Of what has no result: the one device it is on.
void Writer::writeDevice(Instruction& instruction) {
  const TensorSharding* said = leavesOf(instruction.shape()).empty() ? statements_.of(&instruction) : nullptr;
  if (said == nullptr) return;
  const Sharding device = toHlo(statements_.meshes, said, 0, nullptr, arena_);
  if (device.type != Sharding::Type::Maximal) return;
  const Sharding sharding{.type = Sharding::Type::Tuple, .elements = {&device, 1}};
  instruction.set<Attr::Sharding>(&sharding);
}

void Writer::write(Instruction& instruction) {
  const auto values = graph_.valuesOf.find(&instruction);
  if (values == graph_.valuesOf.end() || values->second.empty()) return writeDevice(instruction);
  const bool flows = instruction.opcode() == Opcode::While || instruction.opcode() == Opcode::Conditional;
  bool isSaid = flows;
  std::vector<Sharding> leaves;
  for (ValueId value : values->second) {
    isSaid = isSaid || graph_.values[value].sharding.has_value() || regionOf_[value].has_value();
    leaves.push_back(leafSharding(value));
  }
  if (!isSaid) return;
  const Sharding sharding = shardingOf(instruction.shape(), std::move(leaves));
  instruction.set<Attr::Sharding>(&sharding);
}

std::string textOf(const Sharding* sharding) {
  std::string text;
  if (sharding != nullptr) appendSharding(text, *sharding);
  return text;
}

// Says a sharding of what a computation gives; a root that says something else first becomes a copy of it.
void giveRoot(Computation& computation, const Sharding& sharding) {
  Instruction* root = computation.root();
  const auto elements = root->shape().isTuple() ? root->shape().tupleShapes() : std::span<const Shape>();
  const bool isFlat = std::ranges::none_of(elements, &Shape::isTuple);
  const bool isSame = textOf(root->get<Attr::Sharding>()) == textOf(&sharding);
  if (isSame || root->opcode() == Opcode::Tuple || !isFlat) {
    root->set<Attr::Sharding>(&sharding);
    return;
  }
  Instruction* made = nullptr;
  if (root->shape().isTuple()) {
    std::vector<Instruction*> taken;
    for (size_t i = 0; i < elements.size(); ++i) {
      taken.push_back(computation.create(Opcode::GetTupleElement, elements[i], {root}));
      taken.back()->set<Attr::Index>(static_cast<int64_t>(i));
    }
    made = computation.create(Opcode::Tuple, root->shape(), taken);
  } else {
    made = computation.create(Opcode::Copy, root->shape(), {root});
  }
  made->set<Attr::Sharding>(&sharding);
  computation.setRoot(made);
}

// What the program gives is said of its root.
void Writer::writeRoot() {
  const Shape shape = module_.entry()->root()->shape();
  std::vector<Sharding> leaves(leavesOf(shape).size(), Sharding{.type = Sharding::Type::Replicated});
  bool isSaid = false;
  for (const GraphNode& node : graph_.nodes) {
    if (node.kind != GraphNode::Kind::Result) continue;
    const Value& value = graph_.values[node.results[0]];
    if (!value.sharding) continue;
    isSaid = true;
    const TensorSharding border = forBorder(*value.sharding, value.shape, statements_.meshes);
    leaves[value.leaf] = toHlo(statements_.meshes, &border, value.shape.rank(), nullptr, arena_);
  }
  if (isSaid) giveRoot(*module_.entry(), shardingOf(shape, std::move(leaves)));
}

// A loop or branch gives what its body does.
void Writer::writeBodies() {
  for (Computation* computation : module_.computations()) {
    for (Instruction* i : computation->instructions()) {
      const Sharding* sharding = i->get<Attr::Sharding>();
      if (sharding == nullptr || (i->opcode() != Opcode::While && i->opcode() != Opcode::Conditional))
        continue;
      for (Computation* callee : i->calledComputations()) {
        if (callee != i->get<Attr::Condition>()) giveRoot(*callee, *sharding);
      }
    }
  }
}

void Writer::clean(Instruction& instruction) {
  const auto attributes = instruction.get<Attr::FrontendAttributes>();
  if (std::ranges::any_of(attributes, isShardys)) {
    const auto kept = withoutShardys(attributes);
    if (kept.empty()) instruction.erase(Attr::FrontendAttributes);
    if (!kept.empty()) instruction.set<Attr::FrontendAttributes>(kept);
  }
  Computation& computation = instruction.parent();
  if (isConstraint(instruction)) {
    Instruction* operand = instruction.operand(0);
    instruction.become(Opcode::Copy, std::vector{operand});
    instruction.erase(Attr::BackendConfig);
  } else if (statements_.barriers.contains(&instruction)) {
    computation.replaceAllUses(&instruction, instruction.operand(0));
    computation.remove(&instruction);
  }
}

// Of the arrays that cross a border: whole as the computation around has them, part as the region does.
void Writer::writeBorders() {
  struct Sides {
    std::vector<Sharding> whole, part;
  };
  absl::flat_hash_map<InstructionId, Sides> sidesOf;
  for (const GraphNode& node : graph_.nodes) {
    const bool isEntrance = node.kind == GraphNode::Kind::Entrance;
    if (!isEntrance && node.kind != GraphNode::Kind::Exit) continue;
    const Value& result = graph_.values[node.results[0]];
    Sides& sides = sidesOf[node.instruction->id()];
    const size_t count = node.instruction->operandCount();
    sides.whole.resize(count, Sharding{.type = Sharding::Type::Replicated});
    sides.part.resize(count, Sharding{.type = Sharding::Type::Replicated});
    const Sharding made = leafSharding(node.results[0]);
    const TensorSharding other = isEntrance ? withManual(node.outer, *result.sharding, node.manualAxes)
                                            : withoutManual(*result.sharding, node.manualAxes);
    const auto region = isEntrance ? regionAround(node.instruction) : regionOf_[node.operands[0]];
    const Sharding taken =
        toHlo(statements_.meshes, &other, result.shape.rank(), region ? &*region : nullptr, arena_);
    sides.whole[result.leaf] = isEntrance ? taken : made;
    sides.part[result.leaf] = isEntrance ? made : taken;
  }
  for (const auto& [call, sides] : sidesOf) writeBorder(*module_.instruction(call), sides.whole, sides.part);
}

// Tokens that a region gives are of the region, as its arrays are.
void Writer::writeInside(Instruction& call, const ManualRegion& region) {
  std::vector<Sharding> leaves;
  for (Shape leaf : leavesOf(call.shape()))
    leaves.push_back(toHlo(statements_.meshes, nullptr, leaf.isArray() ? leaf.rank() : 0, &region, arena_));
  if (leaves.empty()) return;
  const Sharding sharding = shardingOf(call.shape(), std::move(leaves));
  call.set<Attr::Sharding>(&sharding);
}

// Bodies of regions may be inlined once each device has its own program: their names say so to XLA.
void Writer::openRegions() {
  for (Computation* computation : module_.computations()) {
    for (Instruction* i : computation->instructions()) {
      if (i->opcode() != Opcode::Call || !isManualBody(*i->get<Attr::ToApply>())) continue;
      Computation* body = i->get<Attr::ToApply>();
      const auto region = statements_.regions.find(body);
      const bool isRegion = region != statements_.regions.end();
      if (isRegion && !i->has(Attr::Sharding)) writeInside(*i, region->second);
      body->setName(
          module_.uniqueName(isRegion ? "xla.sdy.inlinable_manual_computation_body" : "inlineable_callee"));
      std::vector<FrontendAttribute> kept;
      std::ranges::remove_copy(i->get<Attr::FrontendAttributes>(), std::back_inserter(kept), "inlineable",
                               &FrontendAttribute::name);
      if (kept.empty()) i->erase(Attr::FrontendAttributes);
      if (!kept.empty()) i->set<Attr::FrontendAttributes>(kept);
    }
  }
}

// The names of the axes stay, for who asks along which one a collective runs.
void Writer::writeHeader() {
  const auto had = module_.get<Attr::FrontendAttributes>();
  std::vector<FrontendAttribute> kept = withoutShardys(had);
  const auto meshes = std::ranges::find(had, "xla.sdy.meshes", &FrontendAttribute::name);
  if (meshes != had.end()) kept.push_back({kSpreadMeshes, meshes->value});
  module_.set<Attr::FrontendAttributes>(kept);
}

void Writer::run() {
  findRegions();
  for (Computation* computation : module_.computations()) {
    for (Instruction* instruction : computation->instructions()) {
      // What infeeds and outfeeds say is of the host's side, and stays.
      const bool isFeed = instruction->opcode() == Opcode::Infeed || instruction->opcode() == Opcode::Outfeed;
      if (isFeed && instruction->has(Attr::Sharding)) continue;
      instruction->erase(Attr::Sharding);
      write(*instruction);
    }
  }
  writeRoot();
  writeBodies();
  writeBorders();
  openRegions();
  for (Computation* computation : module_.computations()) {
    for (Instruction* instruction : computation->instructions()) clean(*instruction);
  }
  mergeConstants(module_);
  writeHeader();
}

}  // namespace

void writeShardings(Module& module, const ValueGraph& graph, const Statements& statements) {
  Writer(module, graph, statements).run();
}

}  // namespace hilo::sdy
