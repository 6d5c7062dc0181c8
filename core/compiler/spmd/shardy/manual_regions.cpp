#include "core/compiler/spmd/shardy/manual_regions.h"

#include "core/compiler/spmd/shardy/value_graph.h"
#include "core/compiler/spmd/tiling.h"

namespace hilo::sdy {
namespace {

std::vector<Shape> operandLeaves(const Instruction& call) {
  std::vector<Shape> leaves;
  for (const Instruction* operand : call.operands()) {
    for (Shape leaf : leavesOf(operand->shape())) leaves.push_back(leaf);
  }
  return leaves;
}

Result<Axes> axesByName(std::span<const std::string> names, const Mesh& mesh, const Instruction& call) {
  Axes axes;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(mesh.axes, name, &Axis::name);
    if (found == mesh.axes.end())
      return invalidSharding(&call, fmt::format("the mesh has no manual axis \"{}\"", name));
    const AxisRef axis{.axis = found - mesh.axes.begin(), .before = 1, .size = found->size};
    if (std::ranges::find(axes, axis) != axes.end())
      return invalidSharding(&call, fmt::format("manual axis \"{}\" is named twice", name));
    axes.push_back(axis);
  }
  std::ranges::sort(axes, {}, &AxisRef::axis);
  return axes;
}

// In each dimension manual axes come first, and the part is what they make of the whole.
Status checkPart(const TensorSharding& sharding, const Mesh& mesh, Shape whole, Shape part,
                 std::span<const AxisRef> manual, const Instruction& call) {
  if (!whole.isArray() || !part.isArray() || whole.rank() != part.rank())
    return whole.isArray() == part.isArray() && !whole.isArray()
               ? Status()
               : invalidSharding(&call, "a part has another rank than its array");
  for (size_t d = 0; d < sharding.dimensions.size(); ++d) {
    const Axes& axes = sharding.dimensions[d].axes;
    int64_t size = 1;
    bool free = false;
    for (const AxisRef& axis : axes) {
      const bool isManual = std::ranges::any_of(manual, [&](const AxisRef& m) { return overlap(m, axis); });
      if (isManual && free)
        return invalidSharding(
            &call, fmt::format("manual axis {} stands behind one that is not", toString(mesh, axis)));
      free |= !isManual;
      if (isManual) size *= axis.size;
    }
    if (part.dimension(d) > whole.dimension(d) || part.dimension(d) * size != whole.dimension(d)) {
      return invalidSharding(
          &call,
          fmt::format("dimension {} of {} in {} parts along {} is not {}", d, toString(whole.withoutLayout()),
                      size, axes.empty() ? "no axis" : toString(mesh, axes[0]), part.dimension(d)));
    }
  }
  return {};
}

const Instruction* throughTuple(const Instruction* instruction) {
  while (instruction->opcode() == Opcode::GetTupleElement) instruction = instruction->operand(0);
  return instruction;
}

bool isBodyCall(const Instruction& instruction) {
  return instruction.opcode() == Opcode::Call && isManualBody(*instruction.get<Attr::ToApply>());
}

// The border on either side of a call of a body; null: it has neither operands nor results.
const ManualBorder* borderOf(const Instruction& call, const Statements& statements) {
  const auto find = [&](const Instruction* other) -> const ManualBorder* {
    const auto found = statements.borders.find(other);
    return found == statements.borders.end() ? nullptr : &found->second;
  };
  for (const Instruction* operand : call.operands()) {
    const ManualBorder* border = find(throughTuple(operand));
    if (border != nullptr && border->isEntrance) return border;
  }
  std::vector<const Instruction*> users(call.users().begin(), call.users().end());
  for (size_t i = 0; i < users.size(); ++i) {
    if (const ManualBorder* border = find(users[i]); border != nullptr && !border->isEntrance) return border;
    if (users[i]->opcode() == Opcode::GetTupleElement)
      users.insert(users.end(), users[i]->users().begin(), users[i]->users().end());
  }
  return nullptr;
}

Status checkInside(const Instruction& border, const ManualBorder& of) {
  const auto outside = [&](const Instruction& where) {
    return invalidSharding(
        &where, fmt::format("{} is a part of an array, manual, outside of a manual region", where.name()));
  };
  if (!of.isEntrance) {
    for (const Instruction* operand : border.operands()) {
      if (!isBodyCall(*throughTuple(operand))) return outside(*operand);
    }
    return {};
  }
  std::vector<const Instruction*> users(border.users().begin(), border.users().end());
  for (size_t i = 0; i < users.size(); ++i) {
    if (users[i]->opcode() == Opcode::GetTupleElement) {
      users.insert(users.end(), users[i]->users().begin(), users[i]->users().end());
    } else if (!isBodyCall(*users[i])) {
      return outside(border);
    }
  }
  return {};
}

Status checkFree(const TensorSharding& sharding, const Mesh& mesh, std::span<const AxisRef> manual,
                 const Instruction& where) {
  for (const AxisRef& axis : axesOf(sharding)) {
    for (const AxisRef& other : manual) {
      if (overlap(axis, other))
        return invalidSharding(&where, fmt::format("axis {} is manual in its region", toString(mesh, axis)));
    }
  }
  return {};
}

// What a computation of a region says may not use the axes of the region.
Status checkStatements(const Computation& computation, const ManualRegion& region, Statements& statements) {
  const Mesh& mesh = statements.meshes[region.mesh];
  for (const Instruction* i : computation.instructions()) {
    if (const TensorSharding* stated = statements.of(i); stated != nullptr && stated->mesh == region.mesh)
      TRY_STATUS(checkFree(*stated, mesh, region.axes, *i));
    const auto border = statements.borders.find(i);
    if (border == statements.borders.end()) continue;
    for (const TensorSharding& sharding : border->second.shardings)
      TRY_STATUS(checkFree(sharding, mesh, region.axes, *i));
  }
  return {};
}

}  // namespace

bool isManualBody(const Computation& computation) {
  return computation.name().find("xla.sdy.manual_computation_body") != std::string_view::npos;
}

Status readBorder(const Instruction& call, Statements& statements) {
  const int64_t partitions = call.module().partitionCount();
  ManualBorder border{.isEntrance = call.get<Attr::CustomCallTarget>() == "xla.sdy.GlobalToLocalShape",
                      .shardings = {},
                      .axes = {}};
  const std::vector<Shape> from = operandLeaves(call), to = leavesOf(call.shape());
  if (from.size() != call.operandCount()) return invalidSharding(&call, "it has a tuple as operand");
  if (from.size() != to.size())
    return invalidSharding(&call, fmt::format("it makes {} arrays of {}", to.size(), from.size()));
  const std::string_view text =
      frontendAttribute(call, border.isEntrance ? "xla.sdy.in_shardings" : "xla.sdy.out_shardings");
  const std::vector<Shape>& whole = border.isEntrance ? from : to;
  TRY(border.shardings, readShardings(text, whole, partitions, statements.meshes, &call));
  TRY(const auto names, readManualAxes(frontendAttribute(call, "xla.sdy.manual_axes"), &call));
  for (size_t i = 0; i < border.shardings.size(); ++i) {
    TensorSharding& sharding = border.shardings[i];
    const Mesh& mesh = statements.meshes[sharding.mesh];
    if (mesh.isOneDevice() || mesh.isEmpty()) {
      if (names.empty() || !whole[i].isArray()) continue;
      return invalidSharding(&call, "a manual region is of a mesh with axes");
    }
    TRY(border.axes, axesByName(names, mesh, call));
    TRY_STATUS(checkPart(sharding, mesh, whole[i], (border.isEntrance ? to : from)[i], border.axes, call));
    // Manual axes that the array does not have hold copies.
    const Axes unused = without(border.axes, axesOf(sharding));
    sharding.replicated.insert(sharding.replicated.end(), unused.begin(), unused.end());
    sortAndMerge(sharding.replicated);
    if (sharding.mesh != border.shardings[0].mesh)
      return invalidSharding(&call, "a manual region is of one mesh");
  }
  statements.borders[&call] = std::move(border);
  return {};
}

Status findRegions(const Module& module, Statements& statements) {
  for (const auto& [instruction, border] : statements.borders) TRY_STATUS(checkInside(*instruction, border));
  const auto computations = module.computations();
  for (size_t c = computations.size(); c-- > 0;) {  // callers first
    const Computation& computation = *computations[c];
    const auto own = statements.regions.find(&computation);
    const std::optional<ManualRegion> around =
        own == statements.regions.end() ? std::nullopt : std::optional(own->second);
    if (around) TRY_STATUS(checkStatements(computation, *around, statements));
    for (const Instruction* i : computation.instructions()) {
      for (const Computation* callee : i->calledComputations()) {
        std::optional<ManualRegion> region = around;
        const ManualBorder* border = isBodyCall(*i) ? borderOf(*i, statements) : nullptr;
        if (border != nullptr && !border->axes.empty()) {
          if (!region) region = ManualRegion{.mesh = border->shardings[0].mesh, .axes = {}};
          region->axes.insert(region->axes.end(), border->axes.begin(), border->axes.end());
          sortAndMerge(region->axes);
        }
        if (region) statements.regions[callee] = *region;
      }
    }
  }
  return {};
}

void writeBorder(Instruction& call, std::span<const Sharding> whole, std::span<const Sharding> part) {
  Computation& computation = call.parent();
  const bool isEntrance = call.get<Attr::CustomCallTarget>() == "xla.sdy.GlobalToLocalShape";
  const std::vector<Shape> shapes = leavesOf(call.shape());
  std::vector<Instruction*> made;
  for (size_t i = 0; i < call.operandCount(); ++i) {
    Instruction* operand = call.operand(i);
    if (!operand->shape().isArray()) {
      made.push_back(operand);
      continue;
    }
    Instruction* copy = computation.create(Opcode::Copy, operand->shape(), {operand}, {}, &call);
    if (const OpMetadata* metadata = call.get<Attr::Metadata>()) copy->set<Attr::Metadata>(metadata);
    copy->set<Attr::Sharding>(isEntrance ? &whole[i] : &part[i]);
    Instruction* change = computation.create(Opcode::CustomCall, shapes[i], {copy}, {}, &call);
    change->set<Attr::CustomCallTarget>(isEntrance ? "SPMDFullToShardShape" : "SPMDShardToFullShape");
    change->set<Attr::Sharding>(isEntrance ? &part[i] : &whole[i]);
    made.push_back(change);
  }
  Instruction* result =
      call.shape().isTuple() ? computation.create(Opcode::Tuple, call.shape(), made, {}, &call) : made[0];
  computation.replaceAllUses(&call, result);
  computation.remove(&call);
}

}  // namespace hilo::sdy
