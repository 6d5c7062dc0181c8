#include "core/compiler/passes/layout/default_layouts.h"

#include <algorithm>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

Shape inDefaultOrder(Shape shape) {
  if (shape.isTuple()) {
    std::vector<Shape> parts;
    for (const Shape part : shape.tupleShapes()) parts.push_back(inDefaultOrder(part));
    return Shape::tuple(parts);
  }
  return isPlainArray(shape) ? shape.withoutLayout().withDefaultLayout() : shape;
}

// Has no order that could be stated, and may be written with a layout or without.
bool isScalar(const Instruction& i) { return i.shape().isArray() && i.shape().rank() == 0; }

bool statesLayouts(const Instruction& i) {
  switch (opcodeClass(i.opcode())) {
    case OpcodeClass::Communication:
    case OpcodeClass::Async:
      return true;
    case OpcodeClass::CustomCall:
      return i.opcode() != Opcode::CustomCall || i.has(Attr::OperandLayoutConstraints);
    default:
      break;
  }
  if (i.opcode() == Opcode::Parameter) return i.parent().isEntry() && !isScalar(i);
  const bool readsEntry = i.opcode() == Opcode::GetTupleElement && statesLayouts(*i.operand(0));
  return readsEntry || i.opcode() == Opcode::Fusion;
}

// The value in the layouts of `shape`, at the end of its computation.
Instruction* copiedTo(Instruction* value, Shape shape) {
  Computation& computation = value->parent();
  if (value->shape() == shape) return value;
  if (shape.isArray()) return computation.create(Opcode::Copy, shape, {value});
  std::vector<Instruction*> elements;
  for (size_t k = 0; k < shape.tupleShapes().size(); ++k) {
    Instruction* element = nullptr;
    if (value->opcode() == Opcode::Tuple) {
      element = value->operand(k);
    } else {
      element = computation.create(Opcode::GetTupleElement, value->shape().tupleShapes()[k], {value});
      element->set<Attr::Index>(static_cast<int64_t>(k));
    }
    elements.push_back(copiedTo(element, shape.tupleShapes()[k]));
  }
  return computation.create(Opcode::Tuple, shape, elements);
}

// The header has the last word on the entry's results.
Shape wantedResult(const Module& module) {
  const Shape has = module.entry()->root()->shape();
  const ProgramShape* stated = module.get<Attr::EntryComputationLayout>();
  const bool fits = stated != nullptr && stated->result.withoutLayout() == has.withoutLayout();
  return fits ? stated->result : has;
}

bool isOrdered(const Module& module) {
  if (module.isScheduled()) return true;
  return std::ranges::any_of(module.computations(), [](const Computation* computation) {
    return std::ranges::any_of(computation->instructions(),
                               [](const Instruction* i) { return i->opcode() == Opcode::Bitcast; });
  });
}

}  // namespace

Result<bool> setDefaultLayouts(Module& module, PassContext& context) {
  if (isOrdered(module) || module.entry() == nullptr || module.entry()->root() == nullptr) return false;
  Instruction* root = module.entry()->root();
  const Shape wanted = wantedResult(module);
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    if (context.cancelled()) return changed;
    for (Instruction* i : computation->instructions()) {
      const Shape plain = inDefaultOrder(i->shape());
      if (plain == i->shape() || statesLayouts(*i)) continue;
      i->setShape(plain);
      changed = true;
    }
  }
  if (root->shape() != wanted && changed && !isScalar(*root)) {
    Instruction* result = copiedTo(root, wanted);
    if (const Sharding* sharding = root->get<Attr::Sharding>()) result->set<Attr::Sharding>(sharding);
    module.entry()->setRoot(result);
  }
  return changed;
}

}  // namespace hilo
