#include "core/compiler/passes/canonicalize/refine_shapes.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "core/compiler/pass/clone_computation.h"
#include "core/compiler/passes/canonicalize/dynamic_operations.h"
#include "core/compiler/passes/simplify/dead_code_elimination.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/eval/literal_access.h"
#include "core/hlo/expand/library_calls.h"
#include "core/hlo/ir/side_effects.h"
#include "core/hlo/verify/infer_shape.h"
#include "core/hlo/verify/verify.h"

namespace hilo {
namespace {

// Shape arithmetic is on lists of sizes; what is larger is data.
constexpr int64_t kMaxKnownElements = 1024;
// Instructions after every call has its own copy of what it calls.
constexpr int64_t kMaxInstructions = 4'000'000;

std::unexpected<Diagnostic> notKnown(const Instruction& instruction, std::string_view why) {
  return fail("shape-not-known",
              fmt::format("the shape of {} cannot be computed: {}", instruction.name(), why),
              placeOf(instruction));
}

// Of every computation, how many instructions there are with those it calls counted at each call.
int64_t expandedCount(const Computation& computation,
                      absl::flat_hash_map<const Computation*, int64_t>& counts) {
  if (const auto found = counts.find(&computation); found != counts.end()) return found->second;
  counts[&computation] = kMaxInstructions + 1;  // of a cycle, which the verifier refuses
  int64_t count = 0;
  for (const Instruction* instruction : computation.instructions()) {
    ++count;
    for (const Computation* called : instruction->calledComputations())
      count += expandedCount(*called, counts);
    if (count > kMaxInstructions) break;
  }
  count = std::min(count, kMaxInstructions + 1);
  counts[&computation] = count;
  return count;
}

// A value known as far as its elements are: a literal of an array, or of each element of a tuple.
struct Known {
  std::optional<Literal> array;
  std::vector<Known> elements;
};

class Refiner {
 public:
  explicit Refiner(Module& module) : module_(module) {}

  Status refineEntry(std::span<const ArgumentSpec> arguments) {
    Computation& entry = *module_.entry();
    for (Instruction* parameter : entry.parameters()) {
      const ArgumentSpec& argument = arguments[static_cast<size_t>(parameter->parameterNumber())];
      parameter->setShape(argument.shape);
      if (!argument.value) continue;
      Instruction* constant = entry.createConstant(*argument.value, parameter->next());
      entry.replaceAllUses(parameter, constant);
    }
    return refine(entry);
  }

 private:
  // Parameters have their shapes, and what is known of them is in tuples_ and known_.
  Status refine(Computation& computation) {
    for (Instruction* instruction : computation.instructions()) {
      TRY_STATUS(refine(*instruction));
    }
    return {};
  }

  Status refine(Instruction& instruction) {
    switch (instruction.opcode()) {
      case Opcode::Parameter:
        return {};
      case Opcode::CustomCall:
        return refineCustomCall(instruction);
      case Opcode::While:
        return refineWhile(instruction);
      case Opcode::Conditional:
        return refineConditional(instruction);
      case Opcode::Call:
        return refineCall(instruction);
      default:
        TRY_STATUS(inferOwnShape(instruction));
        return fold(instruction);
    }
  }

  // ---- shapes

  Status inferOwnShape(Instruction& instruction) {
    if (!instruction.shape().hasUnboundedDimension()) return {};
    if (instruction.opcode() == Opcode::Reshape) return solveReshape(instruction);
    if (instruction.opcode() == Opcode::BitcastConvert) return solveBitcastConvert(instruction);
    absl::InlinedVector<Shape, 8> operands;
    for (const Instruction* operand : instruction.operands()) operands.push_back(operand->shape());
    auto shape = inferShape(instruction.opcode(), {operands.data(), operands.size()},
                            instruction.attributeList(), instruction.shape(), &module_);
    if (!shape) return std::unexpected(std::move(shape).error());
    if (shape->hasUnboundedDimension()) return notKnown(instruction, "its operands do not tell");
    instruction.setShape(shape->withDefaultLayout());
    return {};
  }

  // The one open size that the number of elements leaves.
  Status solveReshape(Instruction& instruction) {
    const Shape from = instruction.operand(0)->shape(), to = instruction.shape();
    std::vector<int64_t> sizes(to.dimensions().begin(), to.dimensions().end());
    int64_t others = 1, open = -1;
    for (size_t n = 0; n < sizes.size(); ++n) {
      if (sizes[n] != kUnboundedSize) {
        if (__builtin_mul_overflow(others, sizes[n], &others))
          return notKnown(instruction, "it is too large");
      } else if (open >= 0) {
        return notKnown(instruction, "several of its sizes are open");
      } else {
        open = static_cast<int64_t>(n);
      }
    }
    if (others == 0 || from.elementCount() % others != 0)
      return notKnown(instruction, fmt::format("{} elements do not fill it", from.elementCount()));
    sizes[static_cast<size_t>(open)] = from.elementCount() / others;
    instruction.setShape(Shape::array(to.elementType(), sizes).withDefaultLayout());
    return {};
  }

  // Same dimensions, one more or one less at the end, by the widths of the elements.
  Status solveBitcastConvert(Instruction& instruction) {
    const Shape from = instruction.operand(0)->shape(), to = instruction.shape();
    std::vector<int64_t> sizes(from.dimensions().begin(), from.dimensions().end());
    const int have = elementBits(from.elementType()), want = elementBits(to.elementType());
    if (have < want) {
      if (sizes.empty()) return notKnown(instruction, "its operand has no last dimension");
      sizes.pop_back();
    }
    if (have > want) sizes.push_back(have / want);
    instruction.setShape(Shape::array(to.elementType(), sizes).withDefaultLayout());
    return {};
  }

  // ---- custom calls

  Status refineCustomCall(Instruction& call) {
    const std::string_view target = call.get<Attr::CustomCallTarget>(), operation = dynamicOperationOf(call);
    if (target == "shape_assertion") return checkAssertion(call);
    if (operation == "shape_refinement_operand_wrapper" && call.operandCount() > 0) {
      replace(call, call.operand(0));
      return {};
    }
    if (!operation.empty()) return refineDynamicOperation(call);
    if (!call.shape().hasUnboundedDimension()) return {};
    if (isIdentityTarget(target) && call.operandCount() == 1) {
      call.setShape(call.operand(0)->shape());
      return {};
    }
    return refineByShapeOperands(call);
  }

  Status refineDynamicOperation(Instruction& call) {
    Instruction* const before = call.previous();
    Computation& computation = call.parent();
    TRY(Instruction * made, makeStatic(call, known_));
    for (Instruction* at = before != nullptr ? before->next() : computation.first(); at != &call;
         at = at->next())
      TRY_STATUS(fold(*at));
    replace(call, made);
    return {};
  }

  void replace(Instruction& call, Instruction* by) {
    Computation& computation = call.parent();
    computation.replaceAllUses(&call, by);
    computation.remove(&call);
  }

  // A call whose last operands are the sizes of its results: they are taken, and go.
  Status refineByShapeOperands(Instruction& call) {
    std::string_view list;
    for (const auto& [name, value] : call.get<Attr::FrontendAttributes>()) {
      if (name == "indices_of_shape_operands") list = value;
    }
    std::vector<Shape> results;
    const bool isTuple = call.shape().isTuple();
    const Shape whole = call.shape();
    const std::span<const Shape> declared = isTuple ? whole.tupleShapes() : std::span<const Shape>(&whole, 1);
    size_t firstSize = call.operandCount();
    for (const char *at = list.data(), *end = at + list.size(); at < end;) {
      size_t index = 0;
      const auto read = std::from_chars(at, end, index);
      if (read.ec != std::errc() || index >= call.operandCount() || results.size() >= declared.size()) break;
      TRY(const Shape shape, sizedBy(call, declared[results.size()], *call.operand(index)));
      results.push_back(shape);
      firstSize = std::min(firstSize, index);
      at = read.ptr < end ? read.ptr + 1 : end;
    }
    if (results.size() != declared.size())
      return notKnown(call, "nothing says what the custom call gives for these operands");
    Instruction* made = call.parent().createLike(call, call.operands().first(firstSize), &call);
    made->setShape(isTuple ? Shape::tuple(results) : results[0]);
    made->erase(Attr::FrontendAttributes);
    replace(call, made);
    return {};
  }

  Result<Shape> sizedBy(const Instruction& call, Shape declared, const Instruction& sizes) {
    const auto found = known_.find(&sizes);
    if (found == known_.end() || !holdsIntegers(found->second) || !declared.isArray())
      return notKnown(call, fmt::format("{} is not known before the program runs", sizes.name()));
    std::vector<int64_t> dimensions;
    for (int64_t n = 0; n < found->second.shape().elementCount(); ++n) {
      dimensions.push_back(integerAt(found->second, n));
      if (dimensions.back() < 0) return notKnown(call, "a size is negative");
    }
    return Shape::array(declared.elementType(), dimensions).withDefaultLayout();
  }

  // A program's own word on the arguments it takes: (whether they fit, what its message shows...).
  Status checkAssertion(Instruction& call) {
    if (call.operandCount() == 0) return notKnown(call, "it asserts nothing");
    const auto found = known_.find(call.operand(0));
    if (found == known_.end() || !holdsIntegers(found->second) || found->second.shape().elementCount() != 1)
      return notKnown(call, "whether the assertion holds is not known before the program runs");
    if (integerAt(found->second, 0) == 0) {
      std::string message(call.get<Attr::BackendConfig>());
      for (size_t n = 1; n < call.operandCount(); ++n) {
        const auto value = known_.find(call.operand(n));
        const std::string mark = fmt::format("{{{}}}", n - 1);
        const bool one = value != known_.end() && holdsIntegers(value->second) &&
                         value->second.shape().elementCount() == 1;
        const std::string text = one ? fmt::format("{}", integerAt(value->second, 0)) : "?";
        for (size_t at = 0; (at = message.find(mark, at)) != std::string::npos; at += text.size())
          message.replace(at, mark.size(), text);
      }
      return fail("shape-assertion", message, placeOf(call));
    }
    if (call.users().empty() && call.parent().root() != &call) call.parent().remove(&call);
    return {};
  }

  // ---- called computations

  // A copy of `original` for parameters of these shapes, refined.
  Result<Computation*> refineFor(const Computation& original, std::span<Instruction* const> operands,
                                 const std::vector<Known>& known) {
    if (original.parameters().size() != operands.size())
      return fail("malformed-instruction",
                  fmt::format("{} takes another number of arguments", original.name()));
    Computation* copy = cloneComputation(original, module_.computation(original.id()));
    for (size_t n = 0; n < operands.size(); ++n) {
      Instruction* parameter = copy->parameters()[n];
      parameter->setShape(operands[n]->shape());
      remember(*parameter, known[n]);
    }
    TRY_STATUS(refine(*copy));
    return copy;
  }

  Status refineCall(Instruction& call) {
    std::vector<Known> known;
    for (const Instruction* operand : call.operands()) known.push_back(knownOf(*operand));
    TRY(Computation * callee, refineFor(*call.get<Attr::ToApply>(), call.operands(), known));
    call.set<Attr::ToApply>(callee);
    call.setShape(callee->root()->shape());
    remember(call, knownOf(*callee->root()));
    return {};
  }

  // What a loop hands on unchanged is known in it as before it.
  static std::vector<bool> invariants(const Computation& body) {
    const Instruction* root = body.root();
    std::vector<bool> same;
    for (size_t n = 0; n < root->operandCount(); ++n) {
      const Instruction* element = root->operand(n);
      same.push_back(root->opcode() == Opcode::Tuple && element->opcode() == Opcode::GetTupleElement &&
                     element->operand(0)->opcode() == Opcode::Parameter &&
                     element->tupleIndex() == static_cast<int64_t>(n));
    }
    return same;
  }

  Status refineWhile(Instruction& loop) {
    const Computation& body = *loop.get<Attr::Body>();
    Known carried = knownOf(*loop.operand(0));
    carried.array.reset();
    const std::vector<bool> same = invariants(body);
    for (size_t n = 0; n < carried.elements.size(); ++n) {
      if (n >= same.size() || !same[n]) carried.elements[n] = {};
    }
    TRY(Computation * refinedBody, refineFor(body, loop.operands(), {carried}));
    TRY(Computation * condition, refineFor(*loop.get<Attr::Condition>(), loop.operands(), {carried}));
    const Shape before = loop.operand(0)->shape(), after = refinedBody->root()->shape();
    if (before.withoutLayout() != after.withoutLayout())
      return notKnown(loop, fmt::format("an iteration turns {} into {}", toString(before.withoutLayout()),
                                        toString(after.withoutLayout())));
    loop.set<Attr::Body>(refinedBody);
    loop.set<Attr::Condition>(condition);
    loop.setShape(before);
    remember(loop, carried);
    return {};
  }

  Status refineConditional(Instruction& conditional) {
    const auto branches = conditional.calledComputations();
    if (branches.size() + 1 != conditional.operandCount())
      return fail("malformed-instruction", "a branch lacks its operand", placeOf(conditional));
    std::vector<Computation*> refined;
    for (size_t n = 0; n < branches.size(); ++n) {
      TRY(Computation * branch, refineFor(*branches[n], conditional.operands().subspan(n + 1, 1),
                                          {knownOf(*conditional.operand(n + 1))}));
      refined.push_back(branch);
      const Shape shape = branch->root()->shape();
      if (shape.withoutLayout() != refined[0]->root()->shape().withoutLayout())
        return notKnown(conditional, fmt::format("one branch gives {}, another {}",
                                                 toString(refined[0]->root()->shape().withoutLayout()),
                                                 toString(shape.withoutLayout())));
    }
    if (refined.empty()) return {};
    setBranches(conditional, refined);
    conditional.setShape(refined[0]->root()->shape());
    return {};
  }

  static void setBranches(Instruction& conditional, const std::vector<Computation*>& branches) {
    if (conditional.has(Attr::BranchComputations)) {
      conditional.set<Attr::BranchComputations>(branches);
    } else if (branches.size() == 2) {
      conditional.set<Attr::TrueComputation>(branches[0]);
      conditional.set<Attr::FalseComputation>(branches[1]);
    }
  }

  // ---- values

  Known knownOf(const Instruction& instruction) const {
    if (instruction.opcode() == Opcode::Tuple) {
      Known known;
      for (const Instruction* element : instruction.operands()) known.elements.push_back(knownOf(*element));
      return known;
    }
    if (const auto found = tuples_.find(&instruction); found != tuples_.end()) return found->second;
    if (const auto found = known_.find(&instruction); found != known_.end()) return {.array = found->second};
    return {};
  }

  void remember(const Instruction& instruction, const Known& known) {
    if (known.array) known_[&instruction] = *known.array;
    if (!known.elements.empty()) tuples_[&instruction] = known;
  }

  // Whether it gives another value each time, or on each device, or does more than give one.
  static bool isNeverKnown(const Instruction& instruction) {
    switch (opcodeClass(instruction.opcode())) {
      case OpcodeClass::Async:
      case OpcodeClass::Collective:
      case OpcodeClass::Communication:
      case OpcodeClass::CustomCall:
      case OpcodeClass::Ordering:
      case OpcodeClass::Random:
        return true;
      default:
        return hasSideEffect(instruction) || instruction.opcode() == Opcode::ReplicaId ||
               instruction.opcode() == Opcode::PartitionId;
    }
  }

  Status fold(const Instruction& instruction) {
    if (instruction.opcode() == Opcode::GetTupleElement) {
      const Known whole = knownOf(*instruction.operand(0));
      const auto index = static_cast<size_t>(instruction.tupleIndex());
      if (index < whole.elements.size()) remember(instruction, whole.elements[index]);
      return {};
    }
    if (!instruction.shape().isArray() || instruction.shape().elementCount() > kMaxKnownElements ||
        isNeverKnown(instruction))
      return {};
    if (instruction.opcode() == Opcode::GetDimensionSize) {
      const auto dimension = static_cast<size_t>(instruction.dimensions()[0]);
      const Shape of = instruction.operand(0)->shape();
      if (of.isDynamicDimension(dimension)) return {};
      known_[&instruction] =
          Literal::scalar<int32_t>(ElementType::S32, static_cast<int32_t>(of.dimension(dimension)));
      return {};
    }
    std::vector<const Literal*> operands;
    for (const Instruction* operand : instruction.operands()) {
      const auto found = known_.find(operand);
      if (found == known_.end()) return {};
      operands.push_back(&found->second);
    }
    if (instruction.opcode() == Opcode::Constant && instruction.literal().isElided()) return {};
    TRY(Literal value, evaluateInstruction(instruction, operands));
    known_[&instruction] = std::move(value);
    return {};
  }

  Module& module_;
  KnownValues known_;
  absl::flat_hash_map<const Instruction*, Known> tuples_;
};

Status checkArguments(const Computation& entry, std::span<const ArgumentSpec> arguments) {
  if (arguments.size() != entry.parameters().size())
    return fail("wrong-argument", fmt::format("{} argument shapes are given, the module takes {}",
                                              arguments.size(), entry.parameters().size()));
  for (size_t n = 0; n < arguments.size(); ++n) {
    const Shape declared = entry.parameters()[n]->shape(), given = arguments[n].shape;
    bool fits = declared.isArray() == given.isArray() &&
                (declared.isArray() || declared.withoutLayout() == given.withoutLayout());
    if (declared.isArray() && given.isArray()) {
      fits = declared.elementType() == given.elementType() && declared.rank() == given.rank();
      for (size_t d = 0; fits && d < declared.rank(); ++d)
        fits = declared.dimension(d) == kUnboundedSize || declared.dimension(d) == given.dimension(d);
    }
    if (!fits || given.hasUnboundedDimension())
      return fail("wrong-argument",
                  fmt::format("argument {} cannot be {}: it is declared as {}", n,
                              toString(given.withoutLayout()), toString(declared.withoutLayout())));
  }
  return {};
}

void forgetOldShapes(Module& module) {
  for (const Attr attr : {Attr::EntryComputationLayout, Attr::HostProgramShape})
    module.attributes().erase(attr);
}

}  // namespace

bool hasOpenShapes(const Module& module) {
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (instruction->shape().hasUnboundedDimension()) return true;
    }
  }
  return false;
}

Result<std::unique_ptr<Module>> refineShapes(const Module& original,
                                             std::span<const ArgumentSpec> arguments) {
  if (original.entry() == nullptr) return fail("wrong-argument", "the module has no entry computation");
  TRY_STATUS(checkArguments(*original.entry(), arguments));
  absl::flat_hash_map<const Computation*, int64_t> counts;
  if (expandedCount(*original.entry(), counts) > kMaxInstructions)
    return fail("too-large",
                fmt::format("more than {} instructions with one copy of a computation for each call",
                            kMaxInstructions));
  std::unique_ptr<Module> module = original.clone();
  forgetOldShapes(*module);
  TRY_STATUS(Refiner(*module).refineEntry(arguments));
  PassContext context;
  TRY(const bool removed, eliminateDeadCode(*module, context));
  (void)removed;
  Diagnostics problems = verify(*module);
  const auto error = std::ranges::find(problems, Severity::kError, &Diagnostic::severity);
  if (error != problems.end()) return std::unexpected(std::move(*error));
  return module;
}

}  // namespace hilo
