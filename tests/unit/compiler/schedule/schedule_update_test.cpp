// A scheduled module that is changed stays scheduled: the list of a computation is its order, so what is
// added has a place and what is removed has none. What XLA's HloSchedule::Update is for.
#include "core/compiler/passes/simplify/dead_code_elimination.h"
#include "core/compiler/schedule/keep_dependencies.h"
#include "core/compiler/schedule/memory_scheduler.h"
#include "tests/unit/compiler/schedule/schedule_test_support.h"

namespace hilo {
namespace {

constexpr const char* kSmall = R"(HloModule m
ENTRY e {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  k = f32[] constant(7)
  product = f32[] multiply(x, y)
  root = f32[] exponential(k)
  ROOT r = f32[] subtract(product, root)
}
)";

constexpr const char* kLoop = R"(HloModule m
body {
  p = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  v = f32[4] get-tuple-element(p), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  double = f32[4] add(v, v)
  ROOT t = (s32[], f32[4]) tuple(next, double)
}
condition {
  p = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  ten = s32[] constant(10)
  ROOT less = pred[] compare(i, ten), direction=LT
}
other {
  x = f32[4] parameter(0)
  b = f32[4] sine(x)
  c = f32[4] cosine(x)
  ROOT s = f32[4] add(c, b)
}, execution_thread="second"
ENTRY e {
  v = f32[4] parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[4]) tuple(zero, v)
  start = ((f32[4]), f32[4], s32[]) async-start(v), async_execution_thread="second", calls=other
  loop = (s32[], f32[4]) while(init), condition=condition, body=body
  done = f32[4] async-done(start)
  out = f32[4] get-tuple-element(loop), index=1
  ROOT sum = f32[4] add(out, done)
}
)";

std::vector<std::string> names(const Computation& computation) {
  std::vector<std::string> all;
  for (const Instruction* i : computation.instructions()) all.emplace_back(i->name());
  return all;
}

std::vector<std::vector<std::string>> names(const Module& module) {
  std::vector<std::vector<std::string>> all;
  for (const Computation* computation : module.computations()) all.push_back(names(*computation));
  return all;
}

std::unique_ptr<Module> ordered(const char* text) {
  auto module = scheduledModule(text);
  EXPECT_TRUE(scheduleForMemory(*module, MemorySchedulerKind::Best));
  EXPECT_TRUE(module->isScheduled());
  return module;
}

void removeDeadCode(Module& module) {
  PassContext context;
  ASSERT_TRUE(eliminateDeadCode(module, context));
}

TEST(ScheduleUpdate, OfAnUnchangedModuleIsTheSame) {
  const auto module = ordered(kLoop);
  const auto before = names(*module);
  removeDeadCode(*module);
  EXPECT_EQ(names(*module), before);
  EXPECT_EQ(names(*module->clone()), before);
  expectValidOrders(*module);
}

TEST(ScheduleUpdate, NewInstructionsHaveAPlace) {
  const auto module = ordered(kSmall);
  const auto before = names(*module->entry());
  Computation& entry = *module->entry();
  Instruction* negated = entry.create(Opcode::Negate, entry.root()->shape(), {module->findInstruction("k")});
  entry.setRoot(entry.create(Opcode::Add, negated->shape(), {negated, entry.root()}));
  EXPECT_EQ(entry.instructionCount(), 8);
  expectValidOrders(*module);
  auto now = names(entry);
  now.resize(before.size());
  EXPECT_EQ(now, before) << "what was there has moved";
}

TEST(ScheduleUpdate, WhatIsRemovedHasNone) {
  const auto module = ordered(kSmall);
  Computation& entry = *module->entry();
  entry.setRoot(entry.create(Opcode::Negate, entry.root()->shape(), {entry.parameters()[0]}));
  removeDeadCode(*module);
  EXPECT_EQ(entry.instructionCount(), 3) << "two parameters and the new root";
  EXPECT_TRUE(module->isScheduled());
  expectValidOrders(*module);
}

TEST(ScheduleUpdate, EverythingMayBeReplaced) {
  const auto module = ordered(
      "HloModule m\nENTRY e {\n  a = f32[] constant(1)\n  b = f32[] constant(2)\n"
      "  ROOT s = f32[] add(a, b)\n}\n");
  Computation& entry = *module->entry();
  const Literal* one = module->findInstruction("a")->get<Attr::Literal>();
  Instruction* constant = entry.createConstant(*one);
  entry.setRoot(entry.create(Opcode::Negate, constant->shape(), {constant}));
  removeDeadCode(*module);
  EXPECT_EQ(entry.instructionCount(), 2);
  expectValidOrders(*module);
}

TEST(ScheduleUpdate, SeveralComputationsMayChange) {
  const auto module = ordered(kLoop);
  Computation& body = *module->findComputation("body");
  Computation& condition = *module->findComputation("condition");
  condition.setRoot(condition.create(Opcode::Not, condition.root()->shape(), {condition.root()}));
  body.setRoot(body.parameters()[0]);
  removeDeadCode(*module);
  EXPECT_EQ(body.instructionCount(), 1);
  EXPECT_EQ(condition.instructionCount(), 5);
  expectValidOrders(*module);
}

TEST(ScheduleUpdate, ComputationsMayGoAndOtherThreadsStay) {
  const auto module = ordered(kLoop);
  const auto other = names(*module->findComputation("other"));
  module->entry()->replaceAllUses(module->findInstruction("loop"), module->findInstruction("init"));
  removeDeadCode(*module);
  EXPECT_EQ(module->findComputation("body"), nullptr);
  EXPECT_EQ(module->findComputation("condition"), nullptr);
  EXPECT_EQ(names(*module->findComputation("other")), other);
  EXPECT_TRUE(module->isScheduled());
  expectValidOrders(*module);
}

TEST(ScheduleUpdate, ComputationsMayBeAdded) {
  const auto module = ordered(kSmall);
  Computation* added = module->createComputation("added", module->entry());
  Instruction* parameter = added->createParameter(0, module->entry()->root()->shape());
  added->setRoot(added->create(Opcode::Negate, parameter->shape(), {parameter}));
  Computation& entry = *module->entry();
  Instruction* call = entry.create(Opcode::Call, entry.root()->shape(), {entry.root()});
  call->set<Attr::ToApply>(added);
  entry.setRoot(call);
  EXPECT_TRUE(module->isScheduled());
  expectValidOrders(*module);
}

// A new instruction, before or after all others by control dependencies alone.
void expectPlacedByControl(bool first) {
  const auto module = ordered(kSmall);
  Computation& entry = *module->entry();
  const std::vector<std::string> before = names(entry);
  std::vector<Instruction*> others;
  for (Instruction* i : entry.instructions()) others.push_back(i);
  Instruction* added = entry.createConstant(*module->findInstruction("k")->get<Attr::Literal>(),
                                            first ? nullptr : entry.first(), "added");
  const std::vector<Instruction*> self = {added};
  if (first) {
    for (Instruction* other : others) other->set<Attr::ControlPredecessors>(self);
  } else {
    added->set<Attr::ControlPredecessors>(others);
  }
  std::vector<const Instruction*> wrong;
  for (const Instruction* i : entry.instructions()) wrong.push_back(i);
  EXPECT_FALSE(verifyOrder(entry, wrong));
  keepDependencies(entry);
  expectValidOrders(*module);
  std::vector<std::string> expected = before;
  expected.insert(first ? expected.begin() : expected.end(), "added");
  EXPECT_EQ(names(entry), expected);
}
TEST(ScheduleUpdate, ControlDependenciesMayPutOneFirst) { expectPlacedByControl(true); }
TEST(ScheduleUpdate, ControlDependenciesMayPutOneLast) { expectPlacedByControl(false); }

TEST(ScheduleUpdate, ControlDependenciesMayTurnTwoRound) {
  const auto module = scheduledModule(R"(HloModule m, is_scheduled=true
ENTRY e {
  p = (f32[], f32[]) parameter(0)
  early = f32[] get-tuple-element(p), index=0
  other = f32[] get-tuple-element(p), index=1
  c = f32[] copy(other), control-predecessors={p}
  ROOT r = f32[] add(c, early)
}
)");
  const std::vector<Instruction*> copy = {module->findInstruction("c")};
  module->findInstruction("early")->set<Attr::ControlPredecessors>(copy);
  keepDependencies(*module->entry());
  EXPECT_EQ(names(*module->entry()), (std::vector<std::string>{"p", "other", "c", "early", "r"}));
  expectValidOrders(*module);
}

}  // namespace
}  // namespace hilo
