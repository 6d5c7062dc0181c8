// Every kind of finding, each from a module that is wrong in that one way.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/hlo/text/parse.h"
#include "core/hlo/verify/infer_shape.h"
#include "core/hlo/verify/kinds.h"
#include "core/hlo/verify/verify.h"

namespace hilo {
namespace {

struct Case {
  const char* kind;
  const char* text;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.kind; }

const Case kCases[] = {
    {"operand-type", R"(
ENTRY e {
  p = s32[4] parameter(0)
  ROOT t = s32[4] tanh(p)
})"},
    {"operand-shape", R"(
ENTRY e {
  a = f32[2,3] parameter(0)
  b = f32[4,5] parameter(1)
  ROOT d = f32[2,5] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})"},
    {"operand-count", R"(
ENTRY e {
  p = f32[4] parameter(0)
  i = s32[] constant(0)
  ROOT d = f32[2] dynamic-slice(p, i, i), dynamic_slice_sizes={2}
})"},
    {"attribute-invalid", R"(
ENTRY e {
  p = f32[4] parameter(0)
  ROOT s = f32[3] slice(p), slice={[2:5]}
})"},
    {"implicit-broadcast", R"(
ENTRY e {
  a = f32[4] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[4] add(a, b)
})"},
    {"dimension-out-of-range", R"(
ENTRY e {
  p = f32[2,3] parameter(0)
  ROOT r = f32[2,3] reverse(p), dimensions={2}
})"},
    {"dimension-repeated", R"(
ENTRY e {
  p = f32[2,3] parameter(0)
  ROOT r = f32[2,2] transpose(p), dimensions={0,0}
})"},
    {"dimension-order", R"(
ENTRY e {
  p = f32[8,9] parameter(0)
  i = s32[5,2] parameter(1)
  ROOT g = f32[5,2,3] gather(p, i), offset_dims={2,1}, collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={2,3}
})"},
    {"tuple-index", R"(
ENTRY e {
  p = (f32[], s32[]) parameter(0)
  ROOT g = f32[] get-tuple-element(p), index=2
})"},
    {"called-signature", R"(
f {
  q = s32[4] parameter(0)
  ROOT n = s32[4] negate(q)
}
ENTRY e {
  p = f32[4] parameter(0)
  ROOT c = s32[4] call(p), to_apply=f
})"},
    {"result-shape", R"(
ENTRY e {
  p = f32[2,3] parameter(0)
  ROOT t = f32[2,3] transpose(p), dimensions={1,0}
})"},
    {"element-count", R"(
ENTRY e {
  p = f32[2,3] parameter(0)
  ROOT r = f32[7] reshape(p)
})"},
    {"comparison-type", R"(
ENTRY e {
  p = f32[4] parameter(0)
  ROOT c = pred[4] compare(p, p), direction=LT, type=UNSIGNED
})"},
    {"unbounded-shape", R"(
ENTRY e {
  ROOT p = f32[?] parameter(0)
})"},
    {"result-accuracy", R"(
ENTRY e {
  p = f32[4] parameter(0)
  ROOT n = f32[4] negate(p), result_accuracy={mode=highest}
})"},
    {"operand-alias", R"(
ENTRY e {
  p = f32[4] parameter(0)
  ROOT c = f32[5] custom-call(p), custom_call_target="f", output_to_operand_aliasing={{}: (0, {})}
})"},
    {"custom-call-layout", R"(
ENTRY e {
  p = f32[4] parameter(0)
  ROOT c = f32[4]{0} custom-call(p), custom_call_target="f", operand_layout_constraints={f32[5]{0}}
})"},
    {"composite-call", R"(
f {
  ROOT q = f32[4] parameter(0)
}
ENTRY e {
  p = f32[4] parameter(0)
  ROOT c = f32[4] call(p), to_apply=f, is_composite=true, frontend_attributes={composite.name="x",composite.version="-1"}
})"},
    {"buffer-misuse", R"(
ENTRY e {
  p = f32[4] parameter(0)
  b = b(f32[4]) custom-call(p), custom_call_target="Pin"
  ROOT u = f32[4] custom-call(b), custom_call_target="Unpin", output_to_operand_aliasing={{}: (0, {})}
})"},
    {"original-value", R"(
ENTRY e {
  ROOT p = (f32[4], f32[4]) parameter(0), origin={({"x"})}
})"},
    {"unknown-opcode", R"(
ENTRY e {
  p = f32[4] parameter(0)
  ROOT x = f32[4] frobnicate(p)
})"},
    {"sharding-invalid", R"(
HloModule m, num_partitions=4
ENTRY e {
  ROOT p = f32[4] parameter(0), sharding={devices=[2,2]<=[4]}
})"},
    {"sharding-inconsistent", R"(
HloModule m, num_partitions=2
c {
  x = f32[4] parameter(0)
  ROOT t = pred[] constant(true)
}
b {
  y = f32[4] parameter(0)
  ROOT n = f32[4] negate(y), sharding={devices=[2]<=[2]}
}
ENTRY e {
  p = f32[4] parameter(0)
  ROOT w = f32[4] while(p), condition=c, body=b, sharding={replicated}
})"},
    {"replica-groups", R"(
HloModule m, replica_count=4
s {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY e {
  p = f32[4] parameter(0)
  ROOT r = f32[4] all-reduce(p), replica_groups={{0,1},{1,2}}, to_apply=s
})"},
    {"source-target-pairs", R"(
HloModule m, num_partitions=2
ENTRY e {
  p = f32[4] parameter(0)
  ROOT c = f32[4] collective-permute(p), channel_id=1, source_target_pairs={{0,1},{0,0}}
})"},
    {"channel-mismatch", R"(
ENTRY e {
  p = f32[4] parameter(0)
  t = token[] after-all()
  s = (f32[4], u32[], token[]) send(p, t), channel_id=1
  ROOT d = token[] send-done(s), channel_id=2
})"},
    {"constrain-layout-mix", R"(
s {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY e {
  p = f32[4] parameter(0)
  r = f32[4] all-reduce(p), replica_groups={}, to_apply=s, constrain_layout=true
  ROOT q = f32[4] all-reduce(r), replica_groups={}, to_apply=s
})"},
    {"name-not-unique", R"(
f {
  ROOT p = f32[4] parameter(0)
}
ENTRY e {
  p = f32[4] parameter(0)
  ROOT c = f32[4] call(p), to_apply=f
})"},
    {"parameter-numbers", R"(
ENTRY e {
  a = f32[4] parameter(0)
  b = f32[4] parameter(2)
  ROOT s = f32[4] add(a, b)
})"},
    {"execution-thread", R"(
f {
  ROOT q = f32[4] parameter(0)
}, execution_thread="other"
ENTRY e {
  p = f32[4] parameter(0)
  ROOT c = f32[4] fusion(p), kind=kLoop, calls=f
})"},
    {"fusion-computation", R"(
f {
  q = f32[4] parameter(0)
  unused = f32[4] negate(q)
  ROOT n = f32[4] tanh(q)
}
ENTRY e {
  p = f32[4] parameter(0)
  ROOT c = f32[4] fusion(p), kind=kLoop, calls=f
})"},
    {"async-chain", R"(
ENTRY e {
  p = f32[4] parameter(0)
  s = (f32[4], f32[4], u32[]) copy-start(p)
  d = f32[4] copy-done(s)
  ROOT again = f32[4] copy-done(s)
})"},
    {"async-computation", R"(
w {
  q = f32[4] parameter(0)
  n = f32[4] negate(q)
  ROOT t = f32[4] tanh(n)
}
ENTRY e {
  p = f32[4] parameter(0)
  s = ((f32[4]), f32[4], s32[]) async-start(p), calls=w
  ROOT d = f32[4] async-done(s)
})"},
    {"entry-layout", R"(
HloModule m, entry_computation_layout={(f32[5]{0})->f32[4]{0}}
ENTRY e {
  ROOT p = f32[4] parameter(0)
})"},
    {"input-output-alias", R"(
HloModule m, input_output_alias={ {}: (1, {}, may-alias) }
ENTRY e {
  ROOT p = f32[4] parameter(0)
})"},
    {"buffer-donor", R"(
HloModule m, buffer_donor={ (0, {1}) }
ENTRY e {
  ROOT p = f32[4] parameter(0)
})"},
    {"module-devices", R"(
HloModule m, num_partitions=0
ENTRY e {
  ROOT p = f32[4] parameter(0)
})"},
    {"module-devices", R"(
HloModule m, replica_count=4294967296, num_partitions=4294967296
ENTRY e {
  ROOT p = f32[4] parameter(0)
})"},
};

// Kinds that no text gives: the parser refuses it first, or it takes options. Tested in
// verify_broken_test.cpp and verify_options_test.cpp.
const std::set<std::string> kTestedElsewhere = {
    "attribute-missing", "computation-incomplete",
    "literal-shape",     "layout-changed",
    "memory-space",      "mixed-precision",
    "root-missing",      "operand-missing",
    "operand-elsewhere", "operand-order",
    "control-order",     "dependency-cycle",
    "unexpected-call",   "computation-elsewhere",
    "call-cycle",        "computation-order",
    "module-name",       "layout-invalid",
    "entry-missing",     "shape-not-inferable"};  // verifying always has a declared shape; infer_*_test.cpp

std::set<std::string> kindsIn(const char* text) {
  ParseResult parsed = parseModule(std::string(text), {.inferShape = inferShape});
  for (const Diagnostic& d : parsed.diagnostics) EXPECT_NE(d.severity, Severity::kError) << toString(d);
  std::set<std::string> kinds;
  for (const Diagnostic& d : verify(*parsed.module)) {
    kinds.insert(d.kind);
    EXPECT_FALSE(d.message.empty());
  }
  return kinds;
}

class VerifyKinds : public testing::TestWithParam<Case> {};
TEST_P(VerifyKinds, IsTheOnlyFinding) {
  EXPECT_EQ(kindsIn(GetParam().text), std::set<std::string>{GetParam().kind});
}
INSTANTIATE_TEST_SUITE_P(Each, VerifyKinds, testing::ValuesIn(kCases),
                         [](const auto& info) { return fmt::format("case{}", info.index); });

TEST(VerifyKindTable, EveryKindIsTested) {
  std::set<std::string> tested = kTestedElsewhere;
  for (const Case& c : kCases) tested.insert(c.kind);
  std::vector<std::string> missing;
  for (int i = 0; i < kVerifyKindCount; ++i) {
    const std::string kind(verifyKindText(static_cast<VerifyKind>(i)));
    if (!tested.contains(kind)) missing.push_back(kind);
  }
  EXPECT_THAT(missing, testing::IsEmpty());
  EXPECT_EQ(tested.size(), static_cast<size_t>(kVerifyKindCount)) << "a name that is no kind is in the lists";
}

TEST(VerifyPlaces, LineColumnAndNames) {
  const ParseResult parsed =
      parseModule("HloModule m\n\nENTRY e {\n  p = f32[2] parameter(0)\n  ROOT bad = f32[3] negate(p)\n}\n");
  const Diagnostics found = verify(*parsed.module, {.fileName = "a.hlo", .firstLine = 11});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(toString(found[0]),
            "a.hlo:15:8: %bad in %e: error: result-shape: negate bad: expected f32[2], got f32[3]");
}

TEST(VerifyPlaces, StopsAtTheLimit) {
  std::string text = "ENTRY e {\n  p = f32[2] parameter(0)\n";
  for (int i = 0; i < 20; ++i) text += fmt::format("  n{} = f32[3] negate(p)\n", i);
  text += "  ROOT r = f32[2] tanh(p)\n}\n";
  const ParseResult parsed = parseModule(text);
  const Diagnostics found = verify(*parsed.module, {.errorLimit = 5});
  ASSERT_EQ(found.size(), 5u);
  EXPECT_THAT(found.back().notes, testing::ElementsAre("stopped after 5 errors"));
}

}  // namespace
}  // namespace hilo
