// What only follows from a change is none: numbers of parameters and elements, names, where the source lies.

#include <gtest/gtest.h>

#include <set>

#include "core/analysis/diff/module_diff.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

std::unique_ptr<Module> parsed(std::string text) {
  auto module = parseModuleStrictly("HloModule m\n" + text);
  EXPECT_TRUE(module) << toString(module.error());
  return std::move(*module);
}

using Lines = std::set<std::string>;
Lines changesOf(std::string before, std::string after, const DiffOptions& options = {}) {
  const auto b = parsed(std::move(before)), a = parsed(std::move(after));
  Lines lines;
  for (const InstructionChange& c : diffModules(*b, *a, options).changes)
    lines.insert(std::string(changeName(c.kind)) + " " + c.name + (c.what.empty() ? "" : ": " + c.what));
  return lines;
}

TEST(DiffNoise, AnOperandMoreOfAFusionRenumbersItsParametersAlone) {
  EXPECT_EQ(changesOf(R"(
f { x = f32[8] parameter(0) y = f32[8] parameter(1) ROOT s = f32[8] subtract(x, y) }
ENTRY e { a = f32[8] parameter(0) b = f32[8] parameter(1)
  ROOT k = f32[8] fusion(a, b), kind=kLoop, calls=f })",
                      R"(
f { y = f32[8] parameter(0) x = f32[8] parameter(1) ROOT s = f32[8] subtract(x, y) }
ENTRY e { a = f32[8] parameter(0) b = f32[8] parameter(1)
  ROOT k = f32[8] fusion(b, a), kind=kLoop, calls=f })"),
            Lines{});
}

TEST(DiffNoise, OnlyTheEntryParametersThatChangedPlacesAreRenumbered) {
  const char* kBefore = R"(
ENTRY e { wq = f32[8] parameter(0) wk = f32[8] parameter(1) wv = f32[8] parameter(2)
  ROOT t = (f32[8], f32[8], f32[8]) tuple(wq, wk, wv) })";
  EXPECT_EQ(changesOf(kBefore, R"(
ENTRY e { new = s32[] parameter(0) wq = f32[8] parameter(1) wk = f32[8] parameter(2) wv = f32[8] parameter(3)
  ROOT t = (f32[8], f32[8], f32[8]) tuple(wq, wk, wv) })"),
            Lines{"added new"});
  EXPECT_EQ(changesOf(kBefore, R"(
ENTRY e { wv = f32[8] parameter(0) wq = f32[8] parameter(1) wk = f32[8] parameter(2)
  ROOT t = (f32[8], f32[8], f32[8]) tuple(wq, wk, wv) })"),
            Lines{"changed wv: parameter_number"});
}

// A loop that carries one value more: what the others are in its body has not changed.
TEST(DiffNoise, ElementsOfALoopThatGainedOneAreFollowed) {
  const char* kBefore = R"(
b { p = (s32[], f32[8]) parameter(0) i = s32[] get-tuple-element(p), index=0
  v = f32[8] get-tuple-element(p), index=1 w = f32[8] negate(v) ROOT r = (s32[], f32[8]) tuple(i, w) }
c { q = (s32[], f32[8]) parameter(0) j = s32[] get-tuple-element(q), index=0
  n = s32[] constant(4) ROOT l = pred[] compare(j, n), direction=LT }
ENTRY e { a = f32[8] parameter(0) z = s32[] constant(0) t = (s32[], f32[8]) tuple(z, a)
  loop = (s32[], f32[8]) while(t), condition=c, body=b ROOT o = f32[8] get-tuple-element(loop), index=1 })";
  const char* kAfter = R"(
b { p = (s32[], f32[4], f32[8]) parameter(0) i = s32[] get-tuple-element(p), index=0
  x = f32[4] get-tuple-element(p), index=1
  v = f32[8] get-tuple-element(p), index=2 w = f32[8] negate(v) ROOT r = (s32[], f32[4], f32[8]) tuple(i, x, w) }
c { q = (s32[], f32[4], f32[8]) parameter(0) j = s32[] get-tuple-element(q), index=0
  n = s32[] constant(4) ROOT l = pred[] compare(j, n), direction=LT }
ENTRY e { a = f32[8] parameter(0) z = s32[] constant(0) y = f32[4] constant({1, 2, 3, 4})
  t = (s32[], f32[4], f32[8]) tuple(z, y, a)
  loop = (s32[], f32[4], f32[8]) while(t), condition=c, body=b
  ROOT o = f32[8] get-tuple-element(loop), index=2 })";
  EXPECT_EQ(changesOf(kBefore, kAfter),
            (Lines{"added x", "added y", "changed p: shape", "changed q: shape", "changed r: shape, operands",
                   "changed t: shape, operands", "changed loop: shape"}));
}

// add.2 of one is add.3 of the other; multiply.7 is the same in both.
TEST(DiffNoise, NumbersOfOneKindMayBeShiftedWhileOthersAreNot) {
  EXPECT_EQ(changesOf(R"(
ENTRY e { p = f32[4] parameter(0) multiply.7 = f32[4] multiply(p, p)
  add.1 = f32[4] add(p, multiply.7) add.2 = f32[4] add(add.1, p) ROOT add.3 = f32[4] add(add.2, multiply.7) })",
                      R"(
ENTRY e { p = f32[4] parameter(0) multiply.7 = f32[4] multiply(p, p) add.1 = f32[4] add(p, p)
  add.2 = f32[4] add(p, multiply.7) add.3 = f32[4] add(add.2, p) add.4 = f32[4] add(add.3, multiply.7)
  ROOT sine.5 = f32[4] sine(add.4) })"),
            (Lines{"added add.1", "changed add.4: root", "added sine.5"}));
}

// Nothing at all is the same beyond doubt here: everything reads what is new at the start.
TEST(DiffNoise, NumbersShiftedByWhatEverythingReads) {
  EXPECT_EQ(changesOf(R"(
ENTRY e { v.0 = f32[4] parameter(0) v.1 = f32[4] multiply(v.0, v.0) v.2 = f32[4] add(v.1, v.0)
  v.3 = f32[4] multiply(v.2, v.1) v.4 = f32[4] multiply(v.3, v.1) ROOT v.5 = f32[4] add(v.4, v.2) })",
                      R"(
ENTRY e { v.0 = f32[4] parameter(0) v.1 = f32[4] negate(v.0) v.2 = f32[4] multiply(v.1, v.1)
  v.3 = f32[4] add(v.2, v.1) v.4 = f32[4] multiply(v.3, v.2) v.5 = f32[4] multiply(v.4, v.2)
  ROOT v.6 = f32[4] add(v.5, v.3) })"),
            (Lines{"added v.1", "changed v.2: operands", "changed v.3: operands"}));
}

TEST(DiffNoise, MetadataAloneIsCountedAndChangesNothing) {
  const char* kBefore = R"(ENTRY e { p = f32[4] parameter(0)
  ROOT n = f32[4] negate(p), metadata={op_name="a" source_file="f.py" source_line=3} })";
  const char* kMoved = R"(ENTRY e { p = f32[4] parameter(0)
  ROOT n = f32[4] negate(p), metadata={op_name="a" source_file="f.py" source_line=90} })";
  const char* kRenamed = R"(ENTRY e { p = f32[4] parameter(0)
  ROOT n = f32[4] negate(p), metadata={op_name="b"} })";
  EXPECT_EQ(diffModules(*parsed(kBefore), *parsed(kMoved)).relabelled, 0u);
  EXPECT_EQ(changesOf(kBefore, kRenamed), Lines{});
  EXPECT_EQ(diffModules(*parsed(kBefore), *parsed(kRenamed)).relabelled, 1u);
  EXPECT_EQ(changesOf(kBefore, kRenamed, {.metadata = true}), Lines{"changed n: metadata"});
}

// A chain of replaced instructions is found from the user up, as sharding propagation leaves copies.
TEST(DiffNoise, ReplacedOnesAreChangedInTheirOpcode) {
  EXPECT_EQ(changesOf(R"(
ENTRY e { p = f32[4] parameter(0)
  custom-call.1 = f32[4] custom-call(p), custom_call_target="Sharding", metadata={op_name="a"}
  custom-call.2 = f32[4] custom-call(custom-call.1), custom_call_target="Sharding", metadata={op_name="b"}
  ROOT r = f32[4] negate(custom-call.2) })",
                      R"(
ENTRY e { p = f32[4] parameter(0) copy.8 = f32[4] copy(p), metadata={op_name="a"}
  copy.9 = f32[4] copy(copy.8), metadata={op_name="b"} ROOT r = f32[4] negate(copy.9) })"),
            (Lines{"changed copy.8: opcode", "changed copy.9: opcode"}));
}

}  // namespace
}  // namespace hilo
