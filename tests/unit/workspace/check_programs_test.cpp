// Test programs in HLO: the same custom calls the StableHLO plug-in makes of the public test data.
#include "core/workspace/check/check_programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hilo {
namespace {

using testing::HasSubstr;

ProgramResult run(const std::string& body, const std::string& before = "") {
  const auto file = openBytes("HloModule m\n\n" + before + "ENTRY main {\n" + body + "}\n", "t.hlo");
  EXPECT_TRUE(file.has_value()) << toString(file.error());
  return checkProgram((*file)->module, "reference");
}

const std::string kAdd =
    "  a = s32[2] constant({1, 2})\n  b = s32[2] add(a, a)\n  want = s32[2] constant({2, 4})\n"
    "  other = s32[2] constant({2, 5})\n";
std::string checkCall(const std::string& operands, const std::string& name = "expect_eq") {
  return "  c = () custom-call(" + operands + "), custom_call_target=\"check." + name +
         "\", custom_call_has_side_effect=true\n";
}
const std::string kRoot = "  ROOT r = () tuple()\n";

TEST(CheckPrograms, Passes) {
  const ProgramResult result = run(kAdd + checkCall("b, want") + kRoot);
  EXPECT_EQ(result.outcome, CheckOutcome::Pass) << result.reason;
  EXPECT_EQ(result.checks, 1);
}

TEST(CheckPrograms, FailsWithThePlace) {
  const ProgramResult result = run(kAdd + checkCall("b, other") + kRoot);
  EXPECT_EQ(result.outcome, CheckOutcome::Fail);
  EXPECT_THAT(result.reason, HasSubstr("expect_eq: not equal at [1]: 4, expected 5"));
}

TEST(CheckPrograms, NamesWhatItCannotDo) {
  EXPECT_THAT(run("  p = s32[] parameter(0)\n  ROOT r = () tuple()\n").reason,
              HasSubstr("takes 1 arguments"));
  EXPECT_EQ(run("  p = s32[] parameter(0)\n  ROOT r = () tuple()\n").outcome, CheckOutcome::Unsupported);
  const ProgramResult unknown = run(kAdd + checkCall("b, want", "expect_nicer") + kRoot);
  EXPECT_EQ(unknown.outcome, CheckOutcome::Unsupported);
  EXPECT_THAT(unknown.reason, HasSubstr("check.expect_nicer"));
}

TEST(CheckPrograms, SettlesOpenShapesFirst) {
  const ProgramResult result =
      run("  n = s32[1] constant({2})\n"
          "  i = s32[?] custom-call(n), custom_call_target=\"stablehlo.dynamic_iota\", "
          "backend_config={\"iota_dimension\":0}\n  want = s32[2] constant({0, 1})\n" +
          checkCall("i, want") + kRoot);
  EXPECT_EQ(result.outcome, CheckOutcome::Pass) << result.reason;
}

TEST(CheckPrograms, FillsTheInfeedWithWhatFunctionsGive) {
  const std::string functions =
      "body { t = token[] parameter(0)\n  f = ((s32[]), token[]) infeed(t)\n"
      "  v = (s32[]) get-tuple-element(f), index=0\n  ROOT r = s32[] get-tuple-element(v), index=0\n}\n\n"
      "seven { ROOT c = s32[] constant(7)\n}\n\n";
  const ProgramResult result =
      run("  t = token[] after-all()\n  want = s32[] constant(7)\n"
          "  p = s32[] custom-call(t), custom_call_target=\"interpreter.run_parallel\",\n"
          "    called_computations={body, seven}, "
          "frontend_attributes={infeeds=\"1\",partitions=\"1\",replicas=\"1\"}\n" +
              checkCall("p, want") + kRoot,
          functions);
  EXPECT_EQ(result.outcome, CheckOutcome::Pass) << result.reason;
}

TEST(CheckPrograms, RunsOthersOnSeveralDevices) {
  const std::string sum =
      "add { x = s32[] parameter(0)\n  y = s32[] parameter(1)\n  ROOT s = s32[] add(x, y)\n}\n\n"
      "body { x = s32[] parameter(0)\n  ROOT s = s32[] all-reduce(x), replica_groups={{0,1}}, "
      "to_apply=add\n}\n\n";
  const ProgramResult result =
      run("  one = s32[] constant(1)\n  two = s32[] constant(2)\n  want = s32[] constant(3)\n"
          "  p = (s32[], s32[]) custom-call(one, two), custom_call_target=\"interpreter.run_parallel\",\n"
          "    called_computations={body, body}, frontend_attributes={partitions=\"1\",replicas=\"2\"}\n"
          "  r0 = s32[] get-tuple-element(p), index=0\n  r1 = s32[] get-tuple-element(p), index=1\n" +
              checkCall("r0, want") +
              "  d = () custom-call(r1, want), custom_call_target=\"check.expect_eq\"\n" + kRoot,
          sum);
  EXPECT_EQ(result.outcome, CheckOutcome::Pass) << result.reason;
  EXPECT_EQ(result.checks, 2);
}

// One device sends, the other receives.
TEST(CheckPrograms, DifferentProgramsOnTheDevicesOfAGrid) {
  const std::string programs =
      "sender {\n  x = s32[] parameter(0)\n  t = token[] parameter(1)\n"
      "  s = (s32[], u32[], token[]) send(x, t), channel_id=1, is_host_transfer=true\n"
      "  ROOT d = token[] send-done(s), channel_id=1, is_host_transfer=true\n}\n\n"
      "receiver {\n  t = token[] parameter(0)\n"
      "  r = (s32[], u32[], token[]) recv(t), channel_id=1, is_host_transfer=true\n"
      "  ROOT d = (s32[], token[]) recv-done(r), channel_id=1, is_host_transfer=true\n}\n\n";
  const ProgramResult result = run(
      "  two = s32[] constant(2)\n  t = token[] after-all()\n"
      "  p = (token[], s32[], token[]) custom-call(two, t, t), "
      "custom_call_target=\"interpreter.run_parallel\",\n"
      "    called_computations={sender, receiver}, frontend_attributes={partitions=\"1\",replicas=\"2\"}\n"
      "  got = s32[] get-tuple-element(p), index=1\n" +
          checkCall("got, two") + kRoot,
      programs);
  EXPECT_EQ(result.outcome, CheckOutcome::Pass) << result.reason;
  EXPECT_EQ(result.checks, 1);
}

}  // namespace
}  // namespace hilo
