#include "core/analysis/query/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kModule = R"(HloModule m

add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT sum = f32[] add(x, y)
}

body {
  p = (s32[], f32[1024,256]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  v = f32[1024,256] get-tuple-element(p), index=1
  w = f32[1024,256] all-reduce(v), channel_id=3, replica_groups={{0,1}}, to_apply=add
  ROOT t = (s32[], f32[1024,256]) tuple(next, w)
}

cond {
  p.1 = (s32[], f32[1024,256]) parameter(0)
  i.1 = s32[] get-tuple-element(p.1), index=0
  n = s32[] constant(5)
  ROOT lt = pred[] compare(i.1, n), direction=LT
}

ENTRY main {
  a = f32[1024,512] parameter(0)
  b = bf16[512,256] parameter(1), sharding={replicated}
  b32 = f32[512,256] convert(b), metadata={op_name="jit(f)/attention/convert" source_file="model.py" source_line=12}
  dot.1 = f32[1024,256] dot(a, b32), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(f)/attention/dot_general"}
  zero = s32[] constant(0)
  init = (s32[], f32[1024,256]) tuple(zero, dot.1)
  loop = (s32[], f32[1024,256]) while(init), condition=cond, body=body, backend_config={"known_trip_count":{"n":"5"}}
  unused = f32[1024,256] negate(dot.1)
  ROOT out = f32[1024,256] get-tuple-element(loop), index=1
}
)";

class QueryTest : public testing::Test {
 protected:
  QueryTest() {
    auto module = parseModuleStrictly(kModule);
    EXPECT_TRUE(module) << toString(module.error());
    module_ = std::move(*module);
  }
  std::vector<std::string> found(std::string_view text) {
    const auto query = parseQuery(text);
    if (!query) return {"error: " + query.error().message};
    std::vector<std::string> names;
    for (const Instruction* i : QueryMatcher(*query, *module_).all()) names.emplace_back(i->name());
    return names;
  }
  std::unique_ptr<Module> module_;
};

TEST_F(QueryTest, PathsFollowUsersAndCalls) {
  EXPECT_THAT(found("path:b->dot.1"), ElementsAre("b", "b32", "dot.1"));
  EXPECT_THAT(found("path:dot.1->b"), IsEmpty());
  // Into the loop's body by its parameter, out of it by its root.
  EXPECT_THAT(found("path:b->all-reduce"), ElementsAre("p", "v", "w", "b", "b32", "dot.1", "init"));
  EXPECT_THAT(found("path:w->out"), ElementsAre("w", "t", "loop", "out"));
  // What a reduction applies to its elements is no part of a way.
  EXPECT_THAT(found("path:v->sum"), IsEmpty());
  EXPECT_THAT(found("path:(type:bf16)->(opcode:dot) not opcode:convert"), ElementsAre("b", "dot.1"));
  EXPECT_THAT(found("path:convert->dot"), ElementsAre("b32", "dot.1"));
  EXPECT_THAT(found("path:(path:b->b32)->(dot.1)"), ElementsAre("b", "b32", "dot.1"));
  EXPECT_THAT(queryCompletions("path:b->b3", module_.get()), ElementsAre("path:b->b32"));
}

TEST_F(QueryTest, TextKeysCompareWhole) {
  EXPECT_THAT(found("opcode:dot"), ElementsAre("dot.1"));
  EXPECT_THAT(found("opcode:do"), IsEmpty());
  EXPECT_THAT(found("opcode:all-*"), ElementsAre("w"));
  EXPECT_THAT(found("name:%dot.?"), ElementsAre("dot.1"));
  EXPECT_THAT(found("computation:cond opcode:constant"), ElementsAre("n"));
  EXPECT_THAT(found("class:collective"), ElementsAre("w"));
}

// By what it does as well as by its opcode.
TEST(Query, ClassesOfLibraryCallsAndOfAsynchronousHalves) {
  const auto module = parseModuleStrictly(R"(HloModule m
add { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y) }
scatter { p = f32[64,64] parameter(0)
  ROOT inner = f32[32,64] reduce-scatter(p), replica_groups={{0,1}}, dimensions={0}, to_apply=add }
ENTRY e { a = f32[64,64] parameter(0)
  gemm = f32[64,64] custom-call(a, a), custom_call_target="__cublas$gemm"
  other = f32[64,64] custom-call(gemm), custom_call_target="mine"
  start = ((f32[64,64]), f32[32,64], u32[]) async-start(other), calls=scatter
  ROOT done = f32[32,64] async-done(start), calls=scatter })");
  ASSERT_TRUE(module) << toString(module.error());
  const auto found = [&](const char* text) {
    std::vector<std::string> names;
    for (const Instruction* i : QueryMatcher(*parseQuery(text), **module).all())
      names.emplace_back(i->name());
    return names;
  };
  EXPECT_THAT(found("class:contraction"), ElementsAre("gemm"));
  EXPECT_THAT(found("class:custom-call"), ElementsAre("gemm", "other"));
  EXPECT_THAT(found("class:collective"), ElementsAre("inner", "start", "done"));
  EXPECT_THAT(found("class:async"), ElementsAre("start", "done"));
}

TEST_F(QueryTest, RegularExpressionsAreFoundAnywhere) {
  EXPECT_THAT(found("op_name:~attention"), ElementsAre("b32", "dot.1"));
  EXPECT_THAT(found("op_name:~/(dot|mul)[_a-z]+$"), ElementsAre("dot.1"));
  EXPECT_THAT(found(R"(op_name:~"dot general|convert$")"), ElementsAre("b32"));
}

TEST_F(QueryTest, BareWordsLookInNameOpcodeAndOpName) {
  EXPECT_THAT(found("DOT"), ElementsAre("dot.1"));
  EXPECT_THAT(found("negate"), ElementsAre("unused"));
  EXPECT_THAT(found("jit(f)/att"), ElementsAre("b32", "dot.1"));
  EXPECT_THAT(found("'lt'"), ElementsAre("lt"));
}

TEST_F(QueryTest, NumbersWithUnits) {
  // 1024*256 floats are 1 MiB exactly.
  EXPECT_THAT(found("bytes=1MiB opcode:dot"), ElementsAre("dot.1"));
  EXPECT_THAT(found("bytes>1MiB not is:tuple"), ElementsAre("a"));
  EXPECT_THAT(found("bytes>1MB opcode:negate"), ElementsAre("unused"));
  EXPECT_THAT(found("flops>=268435456 opcode:dot"), ElementsAre("dot.1"));
  EXPECT_THAT(found("flops>268435456 opcode:dot"), IsEmpty());
  EXPECT_THAT(found("users=0 opcode:negate"), ElementsAre("unused"));
  EXPECT_THAT(found("channel:3"), ElementsAre("w"));
  EXPECT_THAT(found("channel!=3"), IsEmpty());
  EXPECT_THAT(found("trip_count=5"), ElementsAre("loop"));
  EXPECT_THAT(found("rank=2 operands=2"), ElementsAre("dot.1"));
  EXPECT_THAT(found("line=12"), ElementsAre("b32"));
}

TEST_F(QueryTest, ShapesAndTypes) {
  EXPECT_THAT(found("type:bf16"), ElementsAre("b"));
  EXPECT_THAT(found("shape:f32[512,*]"), ElementsAre("b32"));
  EXPECT_THAT(found("shape:*[..,512]"), ElementsAre("a"));
  EXPECT_THAT(found("shape:pred[]"), ElementsAre("lt"));
  EXPECT_THAT(found("shape:s32[] is:tuple"), ElementsAre("p", "t", "p.1", "init", "loop"));
}

TEST_F(QueryTest, Relations) {
  EXPECT_THAT(found("user:dot"), ElementsAre("a", "b32"));
  EXPECT_THAT(found("operand:(type:bf16 has:sharding)"), ElementsAre("b32"));
  EXPECT_THAT(found("user:(user:(opcode:while))"), ElementsAre("dot.1", "zero"));
  EXPECT_THAT(found("calls:body"), ElementsAre("loop"));
  // What `add` computes lies inside the loop's body, through the all-reduce.
  EXPECT_THAT(found("in:body opcode:add"), ElementsAre("sum", "next"));
  EXPECT_THAT(found("source:model.py:12"), ElementsAre("b32"));
  EXPECT_THAT(found("is:dead"), ElementsAre("unused"));
}

TEST_F(QueryTest, OperatorsAndPrecedence) {
  EXPECT_THAT(found("opcode:dot or opcode:negate and name:nothing"), ElementsAre("dot.1"));
  EXPECT_THAT(found("(opcode:dot or opcode:negate) and name:unused"), ElementsAre("unused"));
  EXPECT_THAT(found("opcode:convert || not is:entry && opcode:constant"), ElementsAre("one", "n", "b32"));
  EXPECT_THAT(found("opcode:constant !is:entry"), ElementsAre("one", "n"));
  EXPECT_EQ(found("").size(), module_->instructionCount());
}

TEST_F(QueryTest, CompletionsReplaceTheLastWord) {
  EXPECT_THAT(queryCompletions("bytes>1MB op"),
              ElementsAre("opcode:", "op_name:", "op_type:", "operand:", "operands>", "opcode:opt-barrier"));
  EXPECT_THAT(queryCompletions("(in:bo", module_.get()), ElementsAre("in:body"));
  EXPECT_THAT(queryCompletions("is:e"), ElementsAre("is:entry", "is:elementwise"));
  EXPECT_EQ(queryCompletions("opcode:", nullptr, 3).size(), 3u);
}

struct Mistake {
  const char* query;
  uint32_t column;
  const char* message;
};

class QueryMistake : public testing::TestWithParam<Mistake> {};

TEST_P(QueryMistake, IsRefusedAtItsColumn) {
  const auto query = parseQuery(GetParam().query);
  ASSERT_FALSE(query) << GetParam().query;
  EXPECT_EQ(query.error().kind, "query-syntax");
  EXPECT_EQ(query.error().place.column, GetParam().column) << query.error().message;
  EXPECT_THAT(query.error().message, testing::HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, QueryMistake,
    testing::Values(Mistake{"opcode:dot (bytes>1", 12, "not closed"},
                    Mistake{"opcod:dot", 1, "no key 'opcod'"}, Mistake{"dot bytes>1XB", 11, "no unit 'XB'"},
                    Mistake{"bytes>", 6, "missing"}, Mistake{"opcode>3", 7, "no number"},
                    Mistake{"dot and", 8, "missing"}, Mistake{"dot )", 5, "unexpected ')'"},
                    Mistake{"name:", 6, "missing"}, Mistake{"name:~(", 7, "regular expression"},
                    Mistake{"has:colour", 5, "no attribute"}, Mistake{"is:blue", 4, "nothing is"},
                    Mistake{"shape:f32[2", 7, "']'"}, Mistake{"shape:f33[2]", 7, "element type"},
                    Mistake{"name:'abc", 6, "not closed"}, Mistake{"()", 2, "missing"},
                    Mistake{"type:~f", 7, "no regular expression"}, Mistake{"path:a", 6, "two ends"},
                    Mistake{"path:->b", 6, "missing"}, Mistake{"dot path:a->", 13, "missing"},
                    Mistake{"path:(name:a->b", 6, "not closed"}));

TEST(QueryDepth, DeepNestingIsRefused) {
  EXPECT_FALSE(parseQuery(std::string(100'000, '(') + "x"));
  EXPECT_TRUE(parseQuery(std::string(50, '(') + "x" + std::string(50, ')')));
}

}  // namespace
}  // namespace hilo
