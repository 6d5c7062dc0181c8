#include "tests/unit/workspace/bisect/planted_passes.h"

#include <algorithm>
#include <csignal>

#include "core/base/check.h"

namespace hilo {
namespace {

bool isCandidate(const Instruction& instruction) {
  const Shape shape = instruction.shape();
  return shape.isArray() && shape.elementType() == ElementType::F32 && shape.rank() == 2 &&
         instruction.opcode() != Opcode::Parameter && !instruction.isRoot() && !instruction.users().empty();
}

// Wrong on an addition that every later layer reads, two fifths of the way.
const Instruction& faultyOf(const Module& module) {
  std::vector<const Instruction*> additions;
  for (const Instruction* instruction : module.entry()->instructions()) {
    if (isCandidate(*instruction) && instruction->name().starts_with("h.")) additions.push_back(instruction);
  }
  CHECK(!additions.empty());
  return *additions[additions.size() * 2 / 5];
}

Instruction* splat(const Instruction& like, float value, Instruction& before) {
  Computation& computation = before.parent();
  Instruction* one = computation.createConstant(Literal::scalar(ElementType::F32, value), &before);
  Instruction* all = computation.create(Opcode::Broadcast, like.shape(), {one}, {}, &before);
  all->set<Attr::Dimensions>(std::span<const int64_t>());
  return all;
}

// What each puts in the place of `x`, which stays as it is; before the instruction that follows it.
using MakeWrong = Result<Instruction*> (*)(Instruction& x, Instruction& before);
Instruction* unary(Opcode opcode, Instruction& x, Instruction& before) {
  return before.parent().create(opcode, x.shape(), {&x}, {}, &before);
}
Instruction* binary(Opcode opcode, Instruction* a, Instruction* b, Instruction& before) {
  return before.parent().create(opcode, a->shape(), {a, b}, {}, &before);
}

Result<Instruction*> plusOne(Instruction& x, Instruction& before) {
  return binary(Opcode::Add, &x, splat(x, 1, before), before);
}
Result<Instruction*> turnedSign(Instruction& x, Instruction& before) {
  return unary(Opcode::Negate, x, before);
}
Result<Instruction*> doubled(Instruction& x, Instruction& before) {
  return binary(Opcode::Add, &x, &x, before);
}
Result<Instruction*> zero(Instruction& x, Instruction& before) { return splat(x, 0, before); }
Result<Instruction*> firstOperand(Instruction& x, Instruction&) { return x.operand(1); }
Result<Instruction*> swappedDifference(Instruction& x, Instruction& before) {
  return binary(Opcode::Subtract, x.operand(1), x.operand(0), before);
}
Result<Instruction*> clamped(Instruction& x, Instruction& before) {
  return binary(Opcode::Minimum, &x, splat(x, 0.125, before), before);
}
Result<Instruction*> rowsReversed(Instruction& x, Instruction& before) {
  Instruction* made = unary(Opcode::Reverse, x, before);
  constexpr int64_t kRows[] = {0};
  made->set<Attr::Dimensions>(std::span<const int64_t>(kRows));
  return made;
}
Result<Instruction*> zeroByZero(Instruction& x, Instruction& before) {
  Instruction* none = splat(x, 0, before);
  return binary(Opcode::Add, &x, binary(Opcode::Divide, none, none, before), before);
}
Result<Instruction*> rootOfNegative(Instruction& x, Instruction& before) {
  return binary(Opcode::Add, &x, unary(Opcode::Sqrt, *splat(x, -1, before), before), before);
}
Result<Instruction*> failedCheck(Instruction& x, Instruction&) {
  CHECK(x.operandCount() == 77, "planted");
  return &x;
}
Result<Instruction*> segmentationFault(Instruction& x, Instruction&) {
  std::signal(SIGSEGV, SIG_DFL);
  std::raise(SIGSEGV);
  return &x;
}
Result<Instruction*> wrongShape(Instruction& x, Instruction& before) {
  Instruction* made = unary(Opcode::Negate, x, before);
  made->setShape(Shape::array(ElementType::F32, {3, 5}));
  return made;
}
Result<Instruction*> refusal(Instruction&, Instruction&) { return fail("planted-failure", "not this one"); }
// The same value by way of so many copies of it.
Instruction* byWayOfCopies(int64_t copies, Instruction& x, Instruction& before) {
  Computation& computation = before.parent();
  const int64_t dimensions[] = {copies, x.shape().dimension(0), x.shape().dimension(1)};
  Instruction* all =
      computation.create(Opcode::Broadcast, Shape::array(ElementType::F32, dimensions), {&x}, {}, &before);
  constexpr int64_t kLast[] = {1, 2}, kFirst[] = {0};
  all->set<Attr::Dimensions>(std::span<const int64_t>(kLast));
  Instruction* low = computation.createConstant(Literal::scalar(ElementType::F32, -1e30F), &before);
  Instruction* made = computation.create(Opcode::Reduce, x.shape(), {all, low}, {}, &before);
  made->set<Attr::Dimensions>(std::span<const int64_t>(kFirst));
  made->set<Attr::ToApply>(before.module().findComputation("max"));
  return made;
}
Result<Instruction*> slow(Instruction& x, Instruction& before) { return byWayOfCopies(400000, x, before); }
Result<Instruction*> large(Instruction& x, Instruction& before) { return byWayOfCopies(4000, x, before); }
Result<Instruction*> manyKernels(Instruction& x, Instruction& before) {
  Instruction* made = &x;
  for (int i = 0; i < 2000; ++i) made = unary(Opcode::Negate, *made, before);
  return made;
}

template <MakeWrong kWrong>
Result<bool> runPlanted(Module& module, PassContext& context) {
  const Instruction* faulty = &faultyOf(module);
  std::vector<Instruction*> candidates;
  for (Instruction* instruction : module.entry()->instructions()) {
    if (isCandidate(*instruction)) candidates.push_back(instruction);
  }
  for (Instruction* instruction : candidates) {
    if (!context.mayChange(*instruction)) return true;
    Computation& entry = *module.entry();
    Instruction* before = instruction->next();
    Instruction* right = entry.createLike(*instruction, instruction->operands(), before);
    Instruction* made = right;
    if (instruction == faulty) {
      TRY(made, kWrong(*right, *before));
    }
    entry.replaceAllUses(instruction, made);
  }
  return true;
}

const Pass kPasses[] = {
    {"planted-plus-one", runPlanted<plusOne>, ""},
    {"planted-sign", runPlanted<turnedSign>, ""},
    {"planted-doubled", runPlanted<doubled>, ""},
    {"planted-zero", runPlanted<zero>, ""},
    {"planted-operand", runPlanted<firstOperand>, ""},
    {"planted-difference", runPlanted<swappedDifference>, ""},
    {"planted-clamped", runPlanted<clamped>, ""},
    {"planted-reversed", runPlanted<rowsReversed>, ""},
    {"planted-zero-by-zero", runPlanted<zeroByZero>, ""},
    {"planted-root", runPlanted<rootOfNegative>, ""},
    {"planted-check", runPlanted<failedCheck>, ""},
    {"planted-signal", runPlanted<segmentationFault>, ""},
    {"planted-shape", runPlanted<wrongShape>, ""},
    {"planted-refusal", runPlanted<refusal>, ""},
    {"planted-slow", runPlanted<slow>, ""},
    {"planted-large", runPlanted<large>, ""},
    {"planted-kernels", runPlanted<manyKernels>, ""},
};

}  // namespace

std::span<const Pass> plantedPasses() { return kPasses; }

const Pass& plantedPass(std::string_view name) {
  const auto found = std::ranges::find(kPasses, name, &Pass::name);
  CHECK(found != std::end(kPasses), name);
  return *found;
}

PlantedFault plantedFault(const Module& module) {
  const Instruction& faulty = faultyOf(module);
  PlantedFault fault{0, std::string(faulty.name())};
  for (const Instruction* instruction : module.entry()->instructions()) {
    if (isCandidate(*instruction)) ++fault.rewrite;
    if (instruction == &faulty) break;
  }
  return fault;
}

}  // namespace hilo
