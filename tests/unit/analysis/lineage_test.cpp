#include "core/analysis/lineage/lineage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::unique_ptr<Module> parsed(const char* text) {
  auto module = parseModuleStrictly(text);
  EXPECT_TRUE(module) << toString(module.error());
  return std::move(*module);
}

std::vector<std::string> sourcesOf(const Module& before, const Module& after, const Lineage& lineage,
                                   const char* name) {
  std::vector<std::string> names;
  for (const LineageLink& link : lineage.sourcesOf(after.findInstruction(name)->id())) {
    names.push_back(std::string(before.instruction(link.id)->name()) + " by " +
                    std::string(lineageTieName(link.tie)));
  }
  return names;
}

constexpr const char* kBefore = R"(HloModule m
ENTRY e {
  a = f32[8,4] parameter(0)
  b = f32[4,6] parameter(1)
  dot.1 = f32[8,6] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(f)/dot"}
  neg.1 = f32[8,6] negate(dot.1), metadata={op_name="jit(f)/neg"}
  ROOT exp.1 = f32[8,6] exponential(neg.1), metadata={op_name="jit(f)/exp"}
})";

TEST(Lineage, AFusionComesFromWhatItsBodyCameFrom) {
  const auto before = parsed(kBefore);
  const auto after = parsed(R"(HloModule m
body {
  p = f32[8,6] parameter(0)
  n = f32[8,6] negate(p), metadata={op_name="jit(f)/neg"}
  ROOT x = f32[8,6] exponential(n), metadata={op_name="jit(f)/exp"}
}
ENTRY e {
  a = f32[8,4] parameter(0)
  b = f32[4,6] parameter(1)
  gemm = (f32[8,6], s8[64]) custom-call(a, b), custom_call_target="__cublas$gemm", metadata={op_name="jit(f)/dot"}
  out = f32[8,6] get-tuple-element(gemm), index=0
  ROOT fused = f32[8,6] fusion(out), kind=kLoop, calls=body
})");
  const Lineage lineage = traceLineage(*before, *after);
  EXPECT_THAT(sourcesOf(*before, *after, lineage, "fused"),
              UnorderedElementsAre("neg.1 by body", "exp.1 by body"));
  EXPECT_THAT(sourcesOf(*before, *after, lineage, "x"), ElementsAre("exp.1 by same"));
  EXPECT_THAT(sourcesOf(*before, *after, lineage, "gemm"), ElementsAre("dot.1 by metadata"));
  const LineageShare share = lineageShare(*after, lineage);
  EXPECT_EQ(share.instructions, 4);  // gemm, fused and the two in its body
  EXPECT_EQ(share.traced, 4);
}

TEST(Lineage, PartsOfAPartitionedInstructionComeFromIt) {
  const auto before = parsed(kBefore);
  const auto after = parsed(R"(HloModule m
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}
ENTRY e {
  a = f32[8,2] parameter(0)
  b = f32[2,6] parameter(1)
  dot.9 = f32[8,6] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(f)/dot"}
  sum = f32[8,6] all-reduce(dot.9), to_apply=add, metadata={op_name="jit(f)/dot"}
  neg.4 = f32[8,6] negate(sum), metadata={op_name="jit(f)/neg"}
  ROOT exp.4 = f32[8,6] exponential(neg.4), metadata={op_name="jit(f)/exp"}
})");
  const Lineage lineage = traceLineage(*before, *after);
  EXPECT_THAT(sourcesOf(*before, *after, lineage, "sum"), ElementsAre("dot.1 by metadata"));
  const auto targets = lineage.targetsOf(before->findInstruction("dot.1")->id());
  EXPECT_EQ(targets.size(), 2u);
}

TEST(Lineage, WithoutMetadataCopiesAreKnownByNameAndOthersByPlaceAndUse) {
  const auto before = parsed(R"(HloModule m
ENTRY e {
  a = f32[8,4] parameter(0)
  dot.5 = f32[8,8] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  t = f32[8,8] tanh(dot.5)
  ROOT r = f32[8,8] add(t, dot.5)
})");
  const auto after = parsed(R"(HloModule m
ENTRY e {
  a = f32[8,4] parameter(0)
  dot.5 = f32[8,8] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  t = f32[8,8] tanh(dot.5)
  pinned = f32[8,4] copy(a)
  dot.5.remat = f32[8,8] dot(pinned, pinned), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  ROOT r = f32[8,8] add(t, dot.5.remat)
})");
  const Lineage lineage = traceLineage(*before, *after);
  EXPECT_THAT(sourcesOf(*before, *after, lineage, "dot.5.remat"), ElementsAre("dot.5 by name"));
  EXPECT_THAT(sourcesOf(*before, *after, lineage, "pinned"), ElementsAre("a by place"));
}

TEST(Lineage, OfOwnSnapshotsProvenanceSaysWhatAnInstructionWasMadeFrom) {
  const std::unique_ptr<Module> before = parsed(kBefore);
  const std::unique_ptr<Module> after = before->clone();
  after->beginPass("swap");
  Instruction* neg = after->findInstruction("neg.1");
  Instruction* made = after->entry()->create(Opcode::Sine, neg->shape(), neg->operands(), "sin");
  after->recordProvenance(made->id(), neg->id());
  after->endPass();
  const Lineage lineage = traceLineage(*before, *after, /*sharedIds=*/true);
  EXPECT_THAT(sourcesOf(*before, *after, lineage, "sin"), ElementsAre("neg.1 by provenance"));
}

TEST(Lineage, OfModulesThatHaveNothingInCommonNothingIsTraced) {
  const auto before = parsed("HloModule m\nENTRY e {\n  ROOT c = f32[2] constant({1, 2})\n}");
  const auto after = parsed(
      "HloModule m\nENTRY e {\n  p = s32[3] parameter(0)\n  i = s32[3] negate(p)\n"
      "  ROOT q = (s32[3]) tuple(p)\n}");
  EXPECT_THAT(traceLineage(*before, *after).sourcesOf(after->findInstruction("i")->id()), IsEmpty());
}

// Both negations look alike; which is which the lines of the source say.
TEST(Lineage, AnEqualSourceLineGoesBeforeALookAlike) {
  const auto before = parsed(R"(HloModule m
ENTRY e {
  a = f32[8] parameter(0)
  first = f32[8] negate(a), metadata={op_name="jit(f)/neg" source_file="f.py" source_line=10}
  second = f32[8] negate(first), metadata={op_name="jit(f)/neg" source_file="f.py" source_line=20}
  ROOT sum = f32[8] add(first, second), metadata={op_name="jit(f)/add" source_file="f.py" source_line=30}
})");
  const auto after = parsed(R"(HloModule m
ENTRY e {
  a = f32[8] parameter(0)
  n = f32[8] negate(a), metadata={op_name="jit(f)/neg" source_file="f.py" source_line=20}
  ROOT out = f32[8] exponential(n), metadata={op_name="jit(f)/exp" source_file="f.py" source_line=30}
})");
  const Lineage lineage = traceLineage(*before, *after);
  EXPECT_THAT(sourcesOf(*before, *after, lineage, "n"), ElementsAre("second by metadata"));
}

// The parts that one line splits a value into are told apart by their elements, also in a fusion, where they
// read a parameter.
TEST(Lineage, APartIsTracedToThePartOfTheSameElements) {
  const auto before = parsed(R"(HloModule m
ENTRY e {
  a = f32[2,12] parameter(0)
  q = f32[2,4] slice(a), slice={[0:2], [0:4]}, metadata={op_name="split" source_file="f.py" source_line=7}
  k = f32[2,4] slice(a), slice={[0:2], [4:8]}, metadata={op_name="split" source_file="f.py" source_line=7}
  v = f32[2,4] slice(a), slice={[0:2], [8:12]}, metadata={op_name="split" source_file="f.py" source_line=7}
  ROOT r = (f32[2,4], f32[2,4], f32[2,4]) tuple(q, k, v)
})");
  const auto after = parsed(R"(HloModule m
body {
  p = f32[2,12] parameter(0)
  slice.1 = f32[2,4] slice(p), slice={[0:2], [4:8]}, metadata={op_name="split" source_file="f.py" source_line=7}
  ROOT n = f32[2,4] negate(slice.1)
}
ENTRY e {
  a = f32[2,12] parameter(0)
  ROOT f = f32[2,4] fusion(a), kind=kLoop, calls=body
})");
  EXPECT_THAT(sourcesOf(*before, *after, traceLineage(*before, *after), "slice.1"),
              ElementsAre(testing::StartsWith("k by")));
}

}  // namespace
}  // namespace hilo
