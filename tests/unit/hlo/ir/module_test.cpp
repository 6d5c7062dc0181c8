#include "core/hlo/ir/module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hilo {
namespace {

using testing::ElementsAre;

const Shape kF32 = Shape::scalar(ElementType::F32);

struct Small {
  Module module{"m"};
  Computation* entry = module.createComputation("main");
  Instruction* a = entry->createParameter(0, kF32, "a");
  Instruction* b = entry->createParameter(1, kF32, "b");
  Instruction* sum = entry->create(Opcode::Add, kF32, {a, b}, "sum");
  Instruction* twice = entry->create(Opcode::Multiply, kF32, {sum, sum}, "twice");
  Small() {
    module.setEntry(entry);
    entry->setRoot(twice);
  }
};

TEST(Module, UsersNameEachUserOnce) {
  Small m;
  EXPECT_THAT(m.sum->users(), ElementsAre(m.twice));
  m.twice->setOperand(0, m.a);
  EXPECT_THAT(m.sum->users(), ElementsAre(m.twice));
  m.twice->setOperand(1, m.a);
  EXPECT_TRUE(m.sum->users().empty());
  EXPECT_THAT(m.a->users(), ElementsAre(m.sum, m.twice));
}

TEST(Module, ReplaceAndRemove) {
  Small m;
  Instruction* negated = m.entry->create(Opcode::Negate, kF32, {m.a}, {}, m.twice);
  m.twice->set<Attr::ControlPredecessors>(std::vector<Instruction*>{m.sum});
  m.entry->replaceAllUses(m.sum, negated);
  m.entry->remove(m.sum);
  EXPECT_EQ(m.module.instruction(InstructionId{2}), nullptr);
  EXPECT_FALSE(m.twice->has(Attr::ControlPredecessors));
  std::vector<std::string_view> names;
  for (Instruction* i : m.entry->instructions()) names.push_back(i->name());
  EXPECT_THAT(names, ElementsAre("a", "b", "negate", "twice"));
  EXPECT_EQ(m.entry->parameters()[1], m.b);
}

// What a removed instruction waited for is waited for by those that waited for it, in a clone too.
TEST(Module, RemovalHandsControlPredecessorsOn) {
  Small m;
  Instruction* waits = m.entry->create(Opcode::Negate, kF32, {m.b}, "waits", m.sum);
  waits->set<Attr::ControlPredecessors>(std::vector<Instruction*>{m.a});
  m.sum->set<Attr::ControlPredecessors>(std::vector<Instruction*>{waits});
  const auto copy = m.module.clone();
  for (Module* module : {copy.get(), &m.module}) {
    module->entry()->remove(module->instruction(waits->id()));
    EXPECT_THAT(module->instruction(m.sum->id())->get<Attr::ControlPredecessors>(),
                ElementsAre(module->instruction(m.a->id())));
  }
}

TEST(Module, CloneIsDeepAndKeepsIds) {
  Small m;
  m.sum->set<Attr::ControlPredecessors>(std::vector<Instruction*>{m.a});
  m.sum->set<Attr::Dimensions>(std::vector<int64_t>{1, 2});
  auto copy = m.module.clone();
  Instruction* sum = copy->instruction(m.sum->id());
  ASSERT_NE(sum, nullptr);
  EXPECT_NE(sum, m.sum);
  EXPECT_EQ(sum->operand(0), copy->entry()->parameters()[0]);
  EXPECT_THAT(sum->get<Attr::ControlPredecessors>(), ElementsAre(sum->operand(0)));
  EXPECT_THAT(sum->dimensions(), ElementsAre(1, 2));
  EXPECT_TRUE(copy->instruction(m.twice->id())->isRoot());
  copy->entry()->create(Opcode::Negate, kF32, {sum});
  EXPECT_EQ(m.module.instructionCount(), 4u);
  EXPECT_EQ(copy->instructionCount(), 5u);
}

TEST(Module, AttributesKeepPrintOrder) {
  Small m;
  Instruction* gather = m.entry->create(Opcode::AllGather, kF32, {m.a});
  const OpMetadata metadata{.opName = "x"};
  gather->set<Attr::Metadata>(&metadata);
  gather->set<Attr::Dimensions>(std::vector<int64_t>{0});
  gather->set<Attr::ChannelId>(7);
  std::vector<Attr> order;
  for (const Attribute& a : gather->attributes()) order.push_back(a.key);
  EXPECT_THAT(order, ElementsAre(Attr::ChannelId, Attr::Dimensions, Attr::Metadata));
  EXPECT_EQ(gather->get<Attr::ChannelId>(), 7);
  EXPECT_EQ(gather->opName(), "x");
  EXPECT_EQ(gather->get<Attr::IsStable>(), std::nullopt);
}

TEST(Module, ProvenanceNamesPassAndOrigin) {
  Small m;
  m.module.beginPass("test-pass");
  Instruction* made = m.entry->create(Opcode::Negate, kF32, {m.a}, {}, m.twice);
  m.entry->replaceAllUses(m.sum, made);
  m.module.endPass();
  const Provenance* provenance = m.module.provenance(made->id());
  ASSERT_NE(provenance, nullptr);
  EXPECT_EQ(m.module.passNames()[provenance->pass], "test-pass");
  EXPECT_THAT(provenance->from, ElementsAre(m.sum->id()));
  EXPECT_EQ(m.module.provenance(m.a->id()), nullptr);
}

TEST(Module, UniqueNames) {
  Small m;
  EXPECT_EQ(m.module.uniqueName("sum"), "sum.1");
  EXPECT_EQ(m.module.uniqueName("sum"), "sum.2");
  EXPECT_EQ(m.module.uniqueName("fresh"), "fresh");
}

}  // namespace
}  // namespace hilo
