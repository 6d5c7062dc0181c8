// Modules that no text gives: made broken through the IR, as a faulty pass would.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/verify/verify.h"

namespace hilo {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

const Shape kF32 = Shape::scalar(ElementType::F32);

std::vector<std::string> kindsOf(const Module& module) {
  std::vector<std::string> kinds;
  for (const Diagnostic& d : verify(module)) kinds.push_back(d.kind);
  return kinds;
}

struct Sample {
  Module module{"m"};
  Computation* entry = module.createComputation("main");
  Instruction* a = entry->createParameter(0, kF32, "a");
  Instruction* b = entry->create(Opcode::Negate, kF32, {a}, "b");
  Instruction* c = entry->create(Opcode::Tanh, kF32, {b}, "c");
  Sample() {
    module.setEntry(entry);
    entry->setRoot(c);
  }
  Computation* identity(std::string_view name) {
    Computation* made = module.createComputation(name, entry);
    made->setRoot(made->createParameter(0, kF32, fmt::format("{}.p", name)));
    return made;
  }
};

TEST(VerifyBroken, SoundSampleHasNothing) { EXPECT_THAT(kindsOf(Sample().module), testing::IsEmpty()); }

TEST(VerifyBroken, ModuleWithoutNameEntryOrRoot) {
  Sample unnamed, noEntry, noRoot, foreignRoot;
  unnamed.module.setName("");
  EXPECT_THAT(kindsOf(unnamed.module), ElementsAre("module-name"));
  noEntry.module.setEntry(nullptr);
  EXPECT_THAT(kindsOf(noEntry.module), ElementsAre("entry-missing"));
  noRoot.entry->setRoot(nullptr);
  EXPECT_THAT(kindsOf(noRoot.module), ElementsAre("root-missing"));
  foreignRoot.entry->setRoot(foreignRoot.identity("f")->root());
  EXPECT_THAT(kindsOf(foreignRoot.module), ElementsAre("root-missing"));
}

TEST(VerifyBroken, OperandsElsewhere) {
  Sample m;
  Computation* other = m.identity("other");
  m.entry->create(Opcode::Negate, kF32, {other->root()}, "n");
  EXPECT_THAT(kindsOf(m.module), ElementsAre("operand-elsewhere"));
}

TEST(VerifyBroken, MissingControlPredecessor) {
  Sample m;
  m.c->set<Attr::ControlPredecessors>(std::vector<Instruction*>{nullptr});
  EXPECT_THAT(kindsOf(m.module), ElementsAre("operand-missing"));
}

TEST(VerifyBroken, OrderAndCycles) {
  Sample order, cycle, control;
  order.entry->moveBefore(order.c, order.b);
  EXPECT_THAT(kindsOf(order.module), ElementsAre("operand-order"));
  cycle.b->setOperand(0, cycle.c);
  EXPECT_THAT(kindsOf(cycle.module), ElementsAre("operand-order", "dependency-cycle"));
  control.b->set<Attr::ControlPredecessors>(std::vector<Instruction*>{control.c});
  EXPECT_THAT(kindsOf(control.module), ElementsAre("control-order", "dependency-cycle"));
}

TEST(VerifyBroken, NeededAttributes) {
  const auto kindsWith = [](Opcode opcode) {
    Sample m;
    m.entry->create(opcode, kF32, {m.a, m.a}, "needy");
    return kindsOf(m.module);
  };
  EXPECT_THAT(kindsWith(Opcode::CustomCall), ElementsAre("attribute-missing"));
  EXPECT_THAT(kindsWith(Opcode::Compare), Contains("attribute-missing"));
  EXPECT_THAT(kindsWith(Opcode::AllReduce), Contains("attribute-missing"));
  EXPECT_THAT(kindsWith(Opcode::CollectivePermute), Contains("attribute-missing"));
  EXPECT_THAT(kindsWith(Opcode::RngBitGenerator), Contains("attribute-missing"));
  EXPECT_THAT(kindsWith(Opcode::Add), Not(Contains("attribute-missing")));
}

TEST(VerifyBroken, Calls) {
  Sample unexpected, missing, incomplete, cycle, elsewhere;
  unexpected.b->set<Attr::ToApply>(unexpected.identity("f"));
  EXPECT_THAT(kindsOf(unexpected.module), ElementsAre("unexpected-call"));
  missing.entry->create(Opcode::Call, kF32, {missing.a}, "call");
  EXPECT_THAT(kindsOf(missing.module), ElementsAre("attribute-missing"));
  Computation* empty = incomplete.module.createComputation("empty", incomplete.entry);
  incomplete.entry->create(Opcode::Call, kF32, {incomplete.a}, "call")->set<Attr::ToApply>(empty);
  EXPECT_THAT(kindsOf(incomplete.module), ElementsAre("root-missing", "computation-incomplete"));
  Computation* f = cycle.identity("f");
  Instruction* inner = f->create(Opcode::Call, kF32, {f->root()}, "inner");
  inner->set<Attr::ToApply>(f);
  f->setRoot(inner);
  EXPECT_THAT(kindsOf(cycle.module), ElementsAre("call-cycle"));
  Sample other;
  elsewhere.entry->create(Opcode::Call, kF32, {elsewhere.a}, "call")->set<Attr::ToApply>(other.identity("g"));
  EXPECT_THAT(kindsOf(elsewhere.module), Contains("computation-elsewhere"));
}

// No text could hold it: a computation is written behind those that it calls.
TEST(VerifyBroken, ComputationBehindItsCaller) {
  Sample sample;
  Computation* behind = sample.module.createComputation("behind");
  behind->setRoot(behind->createParameter(0, kF32));
  sample.entry->create(Opcode::Call, kF32, {sample.a}, "call")->set<Attr::ToApply>(behind);
  EXPECT_THAT(kindsOf(sample.module), ElementsAre("computation-order"));
}

TEST(VerifyBroken, LiteralOfAnotherShape) {
  Sample m;
  Instruction* constant = m.entry->createConstant(Literal::scalar<float>(ElementType::F32, 1));
  constant->setShape(Shape::array(ElementType::F32, {2}));
  EXPECT_THAT(kindsOf(m.module), ElementsAre("literal-shape"));
}

TEST(VerifyBroken, Layouts) {
  const Shape matrix = Shape::array(ElementType::F32, {2, 3});
  Layout twice = Layout::descending(2), short1 = Layout::descending(1), tile = Layout::descending(2);
  twice.minorToMajor = {0, 0};
  tile.tiles = {Tile{{8, 0}}};
  for (const Layout& layout : {twice, short1, tile}) {
    Sample m;
    m.entry->createParameter(1, matrix.withLayout(&layout), "p");
    EXPECT_THAT(kindsOf(m.module), ElementsAre("layout-invalid"));
  }
  Sample sound;
  tile.tiles = {Tile{{8, 128}}, Tile{{Tile::kCombineDimension, 1}}};
  sound.entry->createParameter(1, matrix.withLayout(&tile), "p");
  EXPECT_THAT(kindsOf(sound.module), testing::IsEmpty());
}

TEST(VerifyBroken, NamesInOneComputation) {
  Sample m;
  m.c->setName("b");
  const Diagnostics found = verify(m.module);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "name-not-unique");
  EXPECT_EQ(found[0].severity, Severity::kError);
}

}  // namespace
}  // namespace hilo
