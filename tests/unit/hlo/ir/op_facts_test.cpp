// The facts of op_facts.def, held to what can be told another way: opcode names, classes and attributes.
#include "core/hlo/ir/op_facts.h"

#include <gtest/gtest.h>

#include <string>

namespace hilo {
namespace {

Opcode opcodeAt(int i) { return static_cast<Opcode>(i); }

// "all-gather" of "all-gather-start" when both are opcodes.
std::optional<Opcode> wholeByName(std::string_view name, std::string_view suffix) {
  if (!name.ends_with(suffix)) return std::nullopt;
  return opcodeFromName(name.substr(0, name.size() - suffix.size()));
}

TEST(OpFacts, StartsAndDonesAreOfTheOpcodeTheyAreNamedFor) {
  for (int i = 0; i < kOpcodeCount; ++i) {
    const Opcode opcode = opcodeAt(i);
    const AsyncFacts facts = asyncFacts(opcode);
    const std::string_view name = opcodeName(opcode);
    if (const auto whole = wholeByName(name, "-start")) {
      EXPECT_EQ(facts.step, AsyncStep::Start) << name;
      EXPECT_EQ(facts.whole, *whole) << name;
      EXPECT_TRUE(hasOwnStart(*whole)) << name;
    } else if (const auto done = wholeByName(name, "-done")) {
      EXPECT_EQ(facts.step, AsyncStep::Done) << name;
      EXPECT_EQ(facts.whole, *done) << name;
    } else if (!name.starts_with("async-") && opcode != Opcode::Send && opcode != Opcode::Recv) {
      EXPECT_EQ(facts.step, AsyncStep::Whole) << name;
      EXPECT_EQ(facts.whole, opcode) << name;
    }
  }
}

TEST(OpFacts, SendAndReceiveStartThemselvesAndAsyncStepsStandForWhatTheyHold) {
  for (const Opcode opcode : {Opcode::Send, Opcode::Recv}) {
    EXPECT_EQ(asyncFacts(opcode).step, AsyncStep::Start);
    EXPECT_EQ(asyncFacts(opcode).whole, opcode);
  }
  EXPECT_EQ(asyncFacts(Opcode::AsyncStart).step, AsyncStep::Start);
  EXPECT_EQ(asyncFacts(Opcode::AsyncUpdate).step, AsyncStep::Update);
  EXPECT_EQ(asyncFacts(Opcode::AsyncDone).step, AsyncStep::Done);
  EXPECT_EQ(asyncFacts(Opcode::AsyncStart).whole, Opcode::Opaque);
  EXPECT_FALSE(hasOwnStart(Opcode::ReduceScatter));
  EXPECT_FALSE(hasOwnStart(Opcode::Opaque));
}

TEST(OpFacts, CollectivesAreWholeOrOneHalf) {
  int whole = 0, starts = 0;
  for (int i = 0; i < kOpcodeCount; ++i) {
    whole += isCollectiveCommunication(opcodeAt(i)) ? 1 : 0;
    starts += startsCollective(opcodeAt(i)) ? 1 : 0;
  }
  EXPECT_EQ(whole, 7);    // as XLA's IsCollective counts them, one opcode each
  EXPECT_EQ(starts, 10);  // and three with a start of their own
  EXPECT_FALSE(isCollectiveCommunication(Opcode::PartitionId));
  EXPECT_FALSE(startsCollective(Opcode::AllReduceDone));
}

TEST(OpFacts, WhatForwardsNamesOrEndsHasNoTraffic) {
  for (int i = 0; i < kOpcodeCount; ++i) {
    const Opcode opcode = opcodeAt(i);
    const bool moves = !hasFact(opcode, OpFact::NoTraffic);
    if (hasFact(opcode, OpFact::Forwards)) {
      EXPECT_FALSE(moves) << opcodeName(opcode);
    }
    if (asyncFacts(opcode).step == AsyncStep::Done || asyncFacts(opcode).step == AsyncStep::Update) {
      EXPECT_FALSE(moves) << opcodeName(opcode);
    }
    if (isElementwise(opcode) || opcodeClass(opcode) == OpcodeClass::Contraction) {
      EXPECT_TRUE(moves) << opcodeName(opcode);
    }
  }
}

TEST(OpFacts, OnlyElementwiseOperationsAreTranscendental) {
  for (int i = 0; i < kOpcodeCount; ++i) {
    if (hasFact(opcodeAt(i), OpFact::Transcendental)) {
      EXPECT_TRUE(isElementwise(opcodeAt(i))) << opcodeName(opcodeAt(i));
    }
  }
  EXPECT_FALSE(hasFact(Opcode::Add, OpFact::Transcendental));
  EXPECT_TRUE(hasFact(Opcode::Tanh, OpFact::Transcendental));
}

TEST(OpFacts, AWrittenShapeIsHeldToOneStrictness) {
  for (int i = 0; i < kOpcodeCount; ++i) {
    const Opcode opcode = opcodeAt(i);
    const int strictnesses = hasFact(opcode, OpFact::ExactLayout) + hasFact(opcode, OpFact::ExactOrder) +
                             hasFact(opcode, OpFact::ExactType);
    EXPECT_LE(strictnesses, isElementwise(opcode) ? 0 : 1) << opcodeName(opcode);
  }
}

TEST(OpFacts, DotsAndConvolutionsContractAndMixPrecision) {
  int count = 0;
  for (int i = 0; i < kOpcodeCount; ++i) {
    const Opcode opcode = opcodeAt(i);
    if (!hasFact(opcode, OpFact::Contracts)) continue;
    ++count;
    EXPECT_EQ(opcodeClass(opcode), OpcodeClass::Contraction) << opcodeName(opcode);
    EXPECT_TRUE(hasFact(opcode, OpFact::MixesPrecision)) << opcodeName(opcode);
  }
  EXPECT_EQ(count, 4);  // dot, ragged-dot, scaled-dot, convolution
}

TEST(OpFacts, FunctionsOfOneFloatAloneHaveAnAccuracy) {
  for (int i = 0; i < kOpcodeCount; ++i) {
    const Opcode opcode = opcodeAt(i);
    if (!hasFact(opcode, OpFact::Accurate)) continue;
    EXPECT_EQ(opcodeClass(opcode), OpcodeClass::ElementwiseUnary) << opcodeName(opcode);
    EXPECT_FALSE(hasFact(opcode, OpFact::PicksNumbers)) << opcodeName(opcode);
  }
}

}  // namespace
}  // namespace hilo
