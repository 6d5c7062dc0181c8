#include "core/compiler/codegen/emit/element_emitter.h"

#include "core/base/check.h"
#include "core/compiler/codegen/emit/elements.h"
#include "core/compiler/codegen/emit/elementwise.h"
#include "core/runtime/program/program.h"

namespace hilo {

using llvm::Value;

const Instruction& ElementEmitter::resolve(const Instruction& instruction) const {
  const auto alias = aliases_.find(&instruction);
  return alias == aliases_.end() ? instruction : resolve(*alias->second);
}

std::optional<ElementEmitter::Leaf> ElementEmitter::leafOf(const Instruction& instruction) const {
  const auto leaf = leaves_.find(&resolve(instruction));
  return leaf == leaves_.end() ? std::nullopt : std::optional(leaf->second);
}

const std::vector<Scalar>* ElementEmitter::known(const Key& key) const {
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    const auto found = frame->values.find(key);
    if (found != frame->values.end()) return &found->second;
    if (frame->isBarrier) return nullptr;
  }
  return nullptr;
}

void ElementEmitter::addRealSize(const Instruction& leaf, size_t d, int size) {
  Value* count = k_.load(size, Shape::scalar(ElementType::S32), {}).value;
  realSizes_[{&leaf, d}] = b_.CreateSExt(count, b_.getInt64Ty());
}

void ElementEmitter::nestInFrame(llvm::ArrayRef<int64_t> sizes,
                                 const std::function<void(llvm::ArrayRef<Value*>)>& body) {
  k_.nest(sizes, [&](llvm::ArrayRef<Value*> indices) { inFrame([&] { body(indices); }); });
}

ElementEmitter::Key ElementEmitter::keyOf(const Instruction& instruction, const ElementIndex& index) {
  Key key{&instruction, {}, {}};
  if (index.linear != nullptr) {
    key.index = {index.linear};
    key.order = index.shape.withDefaultLayout().withElementType(ElementType::Pred);
  } else {
    key.index.append(index.dims.begin(), index.dims.end());
  }
  return key;
}

void ElementEmitter::know(const Instruction& instruction, const ElementIndex& index,
                          std::vector<Scalar> elements) {
  frames_.back().values[keyOf(resolve(instruction), index)] = std::move(elements);
}

std::vector<Scalar> ElementEmitter::allAt(const Instruction& unresolved, ElementIndex index) {
  const Instruction& instruction = resolve(unresolved);
  if (const auto found = bound_.find(&instruction); found != bound_.end()) return {found->second};
  const Key key = keyOf(instruction, index);
  if (const auto* values = known(key)) return *values;
  const KernelBuilder::LinesOf lines(k_, instruction.id().value);
  std::vector<Scalar> values;
  overflowed_ |= ++emitted_ > kMostEmitted || depth_ >= kDeepest;
  if (overflowed_) {
    if (!instruction.shape().isTuple()) return {s_.zero(instruction.shape().elementType())};
    for (const Shape part : instruction.shape().tupleShapes()) values.push_back(s_.zero(part.elementType()));
    return values;
  }
  if (const auto leaf = leaves_.find(&instruction); leaf != leaves_.end()) {
    values = {k_.load(leaf->second.buffer, leaf->second.shape, index)};
  } else if (const auto kept = kept_.find(&instruction); kept != kept_.end()) {
    values = {keptElement(instruction, kept->second, index)};
  } else {
    ++depth_;
    values = emitAll(instruction, index);
    --depth_;
  }
  frames_.back().values[key] = values;
  return values;
}

Scalar ElementEmitter::at(const Instruction& instruction, ElementIndex index) {
  const auto values = allAt(instruction, std::move(index));
  CHECK(values.size() == 1);
  return values[0];
}

std::vector<Scalar> ElementEmitter::apply(const Computation& computation, llvm::ArrayRef<Scalar> arguments,
                                          llvm::ArrayRef<const Instruction*> results) {
  const auto outer = bound_;
  const auto parameters = computation.parameters();
  for (size_t i = 0; i < parameters.size(); ++i) bound_[parameters[i]] = arguments[i];
  std::vector<Scalar> elements;
  const auto emitBody = [&] {
    // In order, so that a long chain of operations is no deep recursion.
    for (const Instruction* inner : computation.instructions()) {
      if (inner->shape().isScalar()) allAt(*inner, {});
    }
    for (const Instruction* result : results) {
      const auto own = allAt(*result, {});
      elements.insert(elements.end(), own.begin(), own.end());
    }
  };
  inFrame(emitBody, true);
  bound_ = outer;
  return elements;
}

std::vector<Scalar> ElementEmitter::emitAll(const Instruction& instruction, ElementIndex& index) {
  switch (instruction.opcode()) {
    case Opcode::Tuple: {
      std::vector<Scalar> all;
      for (const Instruction* operand : instruction.operands()) all.push_back(at(*operand, index));
      return all;
    }
    case Opcode::Reduce:
      return reduce(instruction, index);
    case Opcode::ReduceWindow:
      return reduceWindow(instruction, index, *this);
    case Opcode::Call:
    case Opcode::Fusion: {
      // Of scalars, inside an applied computation.
      std::vector<Scalar> arguments;
      for (const Instruction* operand : instruction.operands()) arguments.push_back(at(*operand, {}));
      return apply(*instruction.calledComputations()[0], arguments);
    }
    case Opcode::Conditional:
      return conditional(instruction, *this);
    case Opcode::Map: {
      std::vector<Scalar> arguments;
      for (const Instruction* operand : instruction.operands()) arguments.push_back(at(*operand, index));
      return apply(*instruction.get<Attr::ToApply>(), arguments);
    }
    default:
      return {emit(instruction, index)};
  }
}

Scalar ElementEmitter::emit(const Instruction& instruction, ElementIndex& index) {
  switch (instruction.opcode()) {
#define ELEMENT(opcode, function) \
  case Opcode::opcode:            \
    return function(instruction, index, *this);
#include "core/compiler/codegen/emit/elements.def"
    case Opcode::Concatenate:
      return concatenate(instruction, index);
    default:
      return elementwiseElement(instruction, index, *this);
  }
}

Scalar elementwiseElement(const Instruction& instruction, ElementIndex& index, ElementEmitter& e) {
  llvm::SmallVector<Scalar, 3> x;
  for (const Instruction* operand : instruction.operands()) {
    // A scalar operand (of select and clamp) serves every element.
    const bool isScalar = operand->shape().rank() == 0;
    x.push_back(e.at(*operand, isScalar ? ElementIndex{} : index));
  }
  return elementwise(instruction, x, e.kernel());
}

// Of scalars, inside an applied computation.
std::vector<Scalar> conditional(const Instruction& instruction, ElementEmitter& e) {
  KernelBuilder& k = e.kernel();
  llvm::IRBuilder<>& b = e.kernel().b();
  ScalarEmitter& s = e.kernel().scalars();
  const Instruction& selector = *instruction.operand(0);
  Value* choice = e.at(selector, {}).value;
  const auto branches = instruction.calledComputations();
  std::vector<KernelBuilder::Variable> results;
  for (const Shape leaf : arrayLeaves(instruction.shape()))
    results.push_back(k.variable(s.zero(leaf.elementType())));
  const auto take = [&](size_t branch) {
    e.inFrame([&] {
      const auto values = e.apply(*branches[branch], e.allAt(*instruction.operand(branch + 1), {}));
      for (size_t i = 0; i < results.size(); ++i) k.set(results[i], values[i]);
    });
  };
  const auto choose = [&](auto&& self, size_t branch) -> void {
    if (branch + 1 == branches.size()) return take(branch);
    const bool byPred = selector.shape().elementType() == ElementType::Pred;
    Value* isThis = byPred ? choice : b.CreateICmpEQ(choice, b.getInt32(static_cast<uint32_t>(branch)));
    const auto takeThis = [&] { take(branch); };
    k.branch(isThis, takeThis, [&] { self(self, branch + 1); });
  };
  choose(choose, 0);
  std::vector<Scalar> values;
  for (const auto& result : results) values.push_back(k.get(result));
  return values;
}

Scalar constantElement(const Instruction& instruction, ElementIndex&, ElementEmitter& e) {
  ScalarEmitter& s = e.kernel().scalars();
  // Larger constants are leaves.
  CHECK(instruction.shape().elementCount() == 1);
  return s.constant(instruction.shape().elementType(), instruction.literal().bytes().data());
}

}  // namespace hilo
