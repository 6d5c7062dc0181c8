// Copies around operations that a loop starts in one turn and ends in the next.
#include <gtest/gtest.h>

#include "core/compiler/passes/memory/copy_insertion.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/verify/verify.h"

namespace hilo {
namespace {

constexpr const char* kPipelined = R"(HloModule m
cond {
  q = (u32[], (f32[8], u32[], token[]), (f32[8], u32[], token[])) parameter(0)
  i = u32[] get-tuple-element(q), index=0
  n = u32[] constant(2)
  ROOT lt = pred[] compare(i, n), direction=LT
}
body {
  p = (u32[], (f32[8], u32[], token[]), (f32[8], u32[], token[])) parameter(0)
  j = u32[] get-tuple-element(p), index=0
  one = u32[] constant(1)
  k = u32[] add(j, one)
  r0 = (f32[8], u32[], token[]) get-tuple-element(p), index=1
  s0 = (f32[8], u32[], token[]) get-tuple-element(p), index=2
  rd = (f32[8], token[]) recv-done(r0), channel_id=1
  got = f32[8] get-tuple-element(rd), index=0
  sd = token[] send-done(s0), channel_id=2
  twice = f32[8] add(got, got)
  t = token[] after-all()
  r = (f32[8], u32[], token[]) recv(t), channel_id=1
  s = (f32[8], u32[], token[]) send(twice, t), channel_id=2
  ROOT out = (u32[], (f32[8], u32[], token[]), (f32[8], u32[], token[])) tuple(k, r, s)
}
ENTRY e {
  zero = u32[] constant(0)
  x = f32[8] parameter(0)
  t0 = token[] after-all()
  er = (f32[8], u32[], token[]) recv(t0), channel_id=1
  es = (f32[8], u32[], token[]) send(x, t0), channel_id=2
  init = (u32[], (f32[8], u32[], token[]), (f32[8], u32[], token[])) tuple(zero, er, es)
  w = (u32[], (f32[8], u32[], token[]), (f32[8], u32[], token[])) while(init), condition=cond, body=body
  wr = (f32[8], u32[], token[]) get-tuple-element(w), index=1
  wd = (f32[8], token[]) recv-done(wr), channel_id=1
  ws = (f32[8], u32[], token[]) get-tuple-element(w), index=2
  wsd = token[] send-done(ws), channel_id=2
  ROOT res = f32[8] get-tuple-element(wd), index=0
})";

bool waitsFor(const Instruction& instruction, const Instruction* predecessor) {
  const auto before = instruction.get<Attr::ControlPredecessors>();
  return std::ranges::find(before, predecessor) != before.end();
}

TEST(PipelinedCopies, SentAndReceivedValuesHaveBuffersToThemselves) {
  auto module = parseModuleStrictly(kPipelined);
  ASSERT_TRUE(module) << toString(module.error());
  PassContext context;
  ASSERT_TRUE(insertCopies(**module, context));
  const Instruction* send = (*module)->findInstruction("s");
  const Instruction* recv = (*module)->findInstruction("r");
  const Instruction* sendDone = (*module)->findInstruction("sd");
  const Instruction* recvDone = (*module)->findInstruction("rd");
  ASSERT_EQ(send->operand(0)->opcode(), Opcode::Copy);
  EXPECT_TRUE(waitsFor(*send, sendDone));
  EXPECT_TRUE(waitsFor(*send->operand(0), sendDone));
  EXPECT_TRUE(waitsFor(*recv, recvDone));
  // What was received is copied out before the next receive may write there.
  const Instruction* sum = (*module)->findInstruction("twice");
  ASSERT_EQ(sum->operand(0)->opcode(), Opcode::Copy);
  EXPECT_TRUE(waitsFor(*recv, sum->operand(0)));
  // In front of the loop only what is sent needs a copy.
  EXPECT_EQ((*module)->findInstruction("es")->operand(0)->opcode(), Opcode::Copy);
}

TEST(PipelinedCopies, AStartThatFeedsItsDoneNeedsNone) {
  auto module = parseModuleStrictly(R"(HloModule m
ENTRY e {
  x = f32[8] parameter(0)
  t = token[] after-all()
  s = (f32[8], u32[], token[]) send(x, t), channel_id=2
  ROOT d = token[] send-done(s), channel_id=2
})");
  ASSERT_TRUE(module) << toString(module.error());
  PassContext context;
  ASSERT_TRUE(insertCopies(**module, context));
  EXPECT_EQ((*module)->findInstruction("s")->operand(0)->opcode(), Opcode::Parameter);
}

}  // namespace
}  // namespace hilo
