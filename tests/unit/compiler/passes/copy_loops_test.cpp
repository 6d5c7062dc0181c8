// Copies around loops: what of a loop's state needs one on the way in, inside, and on the way out.
#include "tests/unit/compiler/passes/copy_expectations.h"

namespace hilo {
namespace {

class CopyLoops : public CopyExpectations {};
TEST_P(CopyLoops, AreWhereXlaHasThem) { run(); }

#define COND_OF_TWO                                                                              \
  "test { q = (s32[], f32[6]) parameter(0) j = s32[] get-tuple-element(q), index=0 ten = s32[] " \
  "constant(10) "                                                                                \
  "ROOT lt = pred[] compare(j, ten), direction=LT }\n"
// The data's next state does not need the counter.
#define INDEPENDENT                                                                                          \
  "turn { p = (s32[], f32[6]) parameter(0) i = s32[] get-tuple-element(p), index=0 one = s32[] constant(1) " \
  "n = s32[] add(i, one) v = f32[6] get-tuple-element(p), index=1 k = f32[6] constant({2,2,2,2,2,2}) "       \
  "s = f32[6] multiply(v, k) ROOT r = (s32[], f32[6]) tuple(n, s) }\n"
// It does, and the counter is written meanwhile.
#define DEPENDENT                                                                                            \
  "turn { p = (s32[], f32[6]) parameter(0) i = s32[] get-tuple-element(p), index=0 one = s32[] constant(1) " \
  "n = s32[] add(i, one) v = f32[6] get-tuple-element(p), index=1 f = f32[] convert(i) "                     \
  "b = f32[6] broadcast(f), dimensions={} s = f32[6] add(v, b) ROOT r = (s32[], f32[6]) tuple(n, s) }\n"
#define READ_ONLY_COUNTER(name)                                                              \
  name                                                                                       \
      " { p = (s32[], f32[6]) parameter(0) i = s32[] get-tuple-element(p), index=0 "         \
      "v = f32[6] get-tuple-element(p), index=1 f = f32[] convert(i) k = f32[] constant(1) " \
      "b = f32[6] broadcast(f), dimensions={} s = f32[6] add(v, b) ROOT r = (s32[], f32[6]) tuple(i, s) }\n"
#define STOP_AT_ONCE(name, state) \
  name " { q = " state " parameter(0) f = pred[] constant(false) ROOT no = pred[] and(f, f) }\n"
#define CONSTANT_START                                                                                  \
  "ENTRY e { z = s32[] constant(0) c = f32[6] constant({0,1,2,3,4,5}) t = (s32[], f32[6]) tuple(z, c) " \
  "ROOT w = (s32[], f32[6]) while(t), condition=test, body=turn }\n"
#define SWAP(name)                                                                   \
  name " { p = (f32[], f32[]) parameter(0) a = f32[] get-tuple-element(p), index=0 " \
       "b = f32[] get-tuple-element(p), index=1 ROOT r = (f32[], f32[]) tuple(b, a) }\n"

const CopyExpectation kRows[] = {
    {"IndependentTupleElements", "turn=0 edges:total=0 w.0.0=copy w.0.1=copy w.0.0.0=constant",
     "HloModule m\n" COND_OF_TWO INDEPENDENT CONSTANT_START},
    {"WhileFeedingWhileThruParameterWithCopies", "edges:inner=0", R"(HloModule m
inner_test { q = (s32[], f32[6]) parameter(0) j = s32[] get-tuple-element(q), index=0 k = s32[] constant(4) ROOT lt = pred[] compare(j, k), direction=LT }
inner { p = (s32[], f32[6]) parameter(0) i = s32[] get-tuple-element(p), index=0 one = s32[] constant(1) n = s32[] add(i, one)
  v = f32[6] get-tuple-element(p), index=1 f = f32[] convert(i) b = f32[6] broadcast(f), dimensions={} s = f32[6] add(v, b) ROOT r = (s32[], f32[6]) tuple(n, s) }
outer_test { q = (s32[], f32[6]) parameter(0) j = s32[] get-tuple-element(q), index=0 k = s32[] constant(3) ROOT lt = pred[] compare(j, k), direction=LT }
outer { p = (s32[], f32[6]) parameter(0) i = s32[] get-tuple-element(p), index=0 v = f32[6] get-tuple-element(p), index=1
  t = (s32[], f32[6]) tuple(i, v) ROOT w = (s32[], f32[6]) while(t), condition=inner_test, body=inner }
ENTRY e { z = s32[] constant(0) c = f32[6] constant({0,1,2,3,4,5}) t = (s32[], f32[6]) tuple(z, c) ROOT w = (s32[], f32[6]) while(t), condition=outer_test, body=outer })"},
    {"WhileFeedingWhileThruParameterNoCopies", "outer=0", R"(HloModule m
inner_test { q = (s32[], f32[6]) parameter(0) j = s32[] get-tuple-element(q), index=0 k = s32[] constant(4) ROOT lt = pred[] compare(j, k), direction=LT }
inner { p = (s32[], f32[6]) parameter(0) i = s32[] get-tuple-element(p), index=0 one = s32[] constant(1) n = s32[] add(i, one)
  v = f32[6] get-tuple-element(p), index=1 f = f32[] convert(i) b = f32[6] broadcast(f), dimensions={} s = f32[6] add(v, b) ROOT r = (s32[], f32[6]) tuple(n, s) }
outer_test { q = (s32[], f32[6]) parameter(0) j = s32[] get-tuple-element(q), index=0 k = s32[] constant(3) ROOT lt = pred[] compare(j, k), direction=LT }
outer { p = (s32[], f32[6]) parameter(0) ROOT w = (s32[], f32[6]) while(p), condition=inner_test, body=inner }
ENTRY e { z = s32[] constant(0) c = f32[6] constant({0,1,2,3,4,5}) t = (s32[], f32[6]) tuple(z, c) ROOT w = (s32[], f32[6]) while(t), condition=outer_test, body=outer })"},
    {"WhileFeedingWhileThruParameterBig", "w.0.0=copy w.0.3=copy", R"(HloModule m
inner_test { q = (s32[], f32[6], s32[], f32[6]) parameter(0) j = s32[] get-tuple-element(q), index=0 k = s32[] constant(4) ROOT lt = pred[] compare(j, k), direction=LT }
inner { p = (s32[], f32[6], s32[], f32[6]) parameter(0) i = s32[] get-tuple-element(p), index=0 one = s32[] constant(1) n = s32[] add(i, one)
  v = f32[6] get-tuple-element(p), index=1 f = f32[] convert(i) b = f32[6] broadcast(f), dimensions={} s = f32[6] add(v, b) ROOT r = (s32[], f32[6], s32[], f32[6]) tuple(n, s, n, s) }
outer_test { q = (s32[], f32[6], s32[], f32[6]) parameter(0) j = s32[] get-tuple-element(q), index=0 k = s32[] constant(3) ROOT lt = pred[] compare(j, k), direction=LT }
outer { p = (s32[], f32[6], s32[], f32[6]) parameter(0) a = s32[] get-tuple-element(p), index=0 b = f32[6] get-tuple-element(p), index=1
  c = s32[] get-tuple-element(p), index=2 d = f32[6] get-tuple-element(p), index=3
  t = (s32[], f32[6], s32[], f32[6]) tuple(a, b, c, d) ROOT v = (s32[], f32[6], s32[], f32[6]) while(t), condition=inner_test, body=inner }
ENTRY e { z = s32[] constant(0) c = f32[6] constant({0,1,2,3,4,5}) t = (s32[], f32[6], s32[], f32[6]) tuple(z, c, z, c) ROOT w = (s32[], f32[6], s32[], f32[6]) while(t), condition=outer_test, body=outer })"},
    {"DependentTupleElements",
     "turn=1 edges:turn=0 root:turn.0=add root:turn.0.0=copy root:turn.1.0=get-tuple-element "
     "root:turn.1.1=broadcast root:turn.1.1.0.0=copy w.0.0=copy w.0.1=copy",
     "HloModule m\n" COND_OF_TWO DEPENDENT CONSTANT_START},
    {"DependentTupleElements_OneReadOnly", "turn=0 edges:turn=0",
     "HloModule m\n" STOP_AT_ONCE("test", "(s32[], f32[6])") READ_ONLY_COUNTER("turn") CONSTANT_START},
    {"DependentTupleElements_OneReadOnly_TwoLoops_EntryParams",
     "one=0 two=0 edges:total=0 e=2 v.0.1=copy w.0.1=copy v.0.1!=w.0.1",
     "HloModule m\n" STOP_AT_ONCE("test", "(s32[], f32[6])") STOP_AT_ONCE("test2", "(s32[], f32[6])")
         READ_ONLY_COUNTER("one")
             READ_ONLY_COUNTER("two") "ENTRY e { i = s32[] parameter(0) d = f32[6] parameter(1) t = (s32[], "
                                      "f32[6]) tuple(i, d) "
                                      "v = (s32[], f32[6]) while(t), condition=test, body=one w = (s32[], "
                                      "f32[6]) while(t), condition=test2, body=two "
                                      "a = s32[] get-tuple-element(v), index=0 b = s32[] "
                                      "get-tuple-element(w), index=0 ROOT s = s32[] add(a, b) }"},
    {"DependentTupleElements_OneReadOnly_TwoLoops_NonParams",
     "one=0 two=0 e=2 v.0.0=convert w.0.0=convert v.0.1=copy w.0.1=copy v.0.1.0=sine",
     "HloModule m\n" STOP_AT_ONCE("test", "(s32[], f32[6])") STOP_AT_ONCE(
         "test2", "(s32[], f32[6])") READ_ONLY_COUNTER("one")
         READ_ONLY_COUNTER("two") "ENTRY e { i = s32[] parameter(0) d = f32[6] parameter(1) f = f32[] "
                                  "convert(i) g = f32[] sine(f) "
                                  "j = s32[] convert(g) x = f32[6] sine(d) t = (s32[], f32[6]) tuple(j, x) "
                                  "v = (s32[], f32[6]) while(t), condition=test, body=one w = (s32[], "
                                  "f32[6]) while(t), condition=test2, body=two "
                                  "a = s32[] get-tuple-element(v), index=0 b = s32[] get-tuple-element(w), "
                                  "index=0 ROOT s = s32[] add(a, b) }"},
    {"NestedTupleElements", "turn=1 total=4", R"(HloModule m
test { q = (s32[], (f32[6], f32[6])) parameter(0) j = s32[] get-tuple-element(q), index=0 ten = s32[] constant(10) ROOT lt = pred[] compare(j, ten), direction=LT }
turn { p = (s32[], (f32[6], f32[6])) parameter(0) i = s32[] get-tuple-element(p), index=0 one = s32[] constant(1) n = s32[] add(i, one)
  g = (f32[6], f32[6]) get-tuple-element(p), index=1 a = f32[6] get-tuple-element(g), index=0 k = f32[6] constant({1,1,1,1,1,1}) s = f32[6] add(a, k)
  b = f32[6] get-tuple-element(g), index=1 back = f32[6] reverse(b), dimensions={0} u = (f32[6], f32[6]) tuple(s, back) ROOT r = (s32[], (f32[6], f32[6])) tuple(n, u) }
ENTRY e { z = s32[] constant(0) c = f32[6] constant({0,1,2,3,4,5}) u = (f32[6], f32[6]) tuple(c, c) t = (s32[], (f32[6], f32[6])) tuple(z, u)
  ROOT w = (s32[], (f32[6], f32[6])) while(t), condition=test, body=turn })"},
    {"InitPointsToNonDistinct", "e=2 turn=1 w.0.0=copy", R"(HloModule m
test { q = (s32[], (f32[6], f32[6])) parameter(0) j = s32[] get-tuple-element(q), index=0 ten = s32[] constant(10) ROOT lt = pred[] compare(j, ten), direction=LT }
turn { p = (s32[], (f32[6], f32[6])) parameter(0) i = s32[] get-tuple-element(p), index=0 one = s32[] constant(1) n = s32[] add(i, one)
  g = (f32[6], f32[6]) get-tuple-element(p), index=1 a = f32[6] get-tuple-element(g), index=0 k = f32[6] constant({1,1,1,1,1,1}) s = f32[6] add(a, k)
  u = (f32[6], f32[6]) tuple(s, s) ROOT r = (s32[], (f32[6], f32[6])) tuple(n, u) }
ENTRY e { z = s32[] constant(0) c = f32[] constant(3) b = f32[6] broadcast(c), dimensions={} u = (f32[6], f32[6]) tuple(b, b) t = (s32[], (f32[6], f32[6])) tuple(z, u)
  ROOT w = (s32[], (f32[6], f32[6])) while(t), condition=test, body=turn })"},
    {"InitPointsToInterfering", "total=2 turn=0 w.0.0=copy w.0.1=copy w.0.1.0=broadcast",
     "HloModule m\n" COND_OF_TWO INDEPENDENT
     "ENTRY e { z = s32[] constant(0) c = f32[] constant(3) b = f32[6] broadcast(c), dimensions={} k = "
     "f32[6] constant({1,1,1,1,1,1}) "
     "a = f32[6] add(b, k) t = (s32[], f32[6]) tuple(z, b) w = (s32[], f32[6]) while(t), condition=test, "
     "body=turn "
     "x = f32[6] get-tuple-element(w), index=1 d = f32[6] subtract(a, x) y = s32[] get-tuple-element(w), "
     "index=0 ROOT r = (s32[], f32[6]) tuple(y, d) }"},
    {"InitPointsToNonDistinctUsedByTwoWhileLoops",
     "one=0 two=0 e=2 v.0.0=copy v.0.1=parameter v.0.2=parameter w.0.0=copy w.0.1=parameter", R"(HloModule m
t1 { q = (s32[], f32[6], f32[6]) parameter(0) j = s32[] get-tuple-element(q), index=0 ten = s32[] constant(10) ROOT lt = pred[] compare(j, ten), direction=LT }
t2 { q = (s32[], f32[6], f32[6]) parameter(0) j = s32[] get-tuple-element(q), index=0 ten = s32[] constant(10) ROOT lt = pred[] compare(j, ten), direction=LT }
one { p = (s32[], f32[6], f32[6]) parameter(0) i = s32[] get-tuple-element(p), index=0 k = s32[] constant(1) n = s32[] add(i, k) a = f32[6] get-tuple-element(p), index=1 b = f32[6] get-tuple-element(p), index=2 ROOT r = (s32[], f32[6], f32[6]) tuple(n, a, b) }
two { p = (s32[], f32[6], f32[6]) parameter(0) i = s32[] get-tuple-element(p), index=0 k = s32[] constant(1) n = s32[] add(i, k) a = f32[6] get-tuple-element(p), index=1 b = f32[6] get-tuple-element(p), index=2 ROOT r = (s32[], f32[6], f32[6]) tuple(n, a, b) }
ENTRY e { i = s32[] parameter(0) d = f32[6] parameter(1) t = (s32[], f32[6], f32[6]) tuple(i, d, d) v = (s32[], f32[6], f32[6]) while(t), condition=t1, body=one
  w = (s32[], f32[6], f32[6]) while(t), condition=t2, body=two a = s32[] get-tuple-element(v), index=0 b = s32[] get-tuple-element(w), index=0 ROOT s = s32[] add(a, b) })"},
    {"SwizzlingWhile",
     "total=6 turn=4 edges:turn=2 root:turn.0=copy root:turn.0.0=copy root:turn.1.0=copy e=2 w.0.0=copy "
     "w.0.1=copy",
     "HloModule m\n" STOP_AT_ONCE("test", "(f32[], f32[])")
         SWAP("turn") "ENTRY e { x = f32[] constant(1) y = f32[] constant(2) t = (f32[], f32[]) tuple(x, y) "
                      "ROOT w = (f32[], f32[]) while(t), condition=test, body=turn }"},
    {"SwizzlingWhileDisabledCopies", "total=3 turn=0 edges:turn=0 e=3 w.0.0=copy w.0.1=copy",
     "HloModule m\n" STOP_AT_ONCE("test", "(f32[], f32[])")
         SWAP("turn") "ENTRY e { x = f32[] constant(1) y = f32[] constant(2) t = (f32[], f32[]) tuple(x, y) "
                      "ROOT w = (f32[], f32[]) while(t), condition=test, body=turn, "
                      "frontend_attributes={xla_disable_while_loop_copies=\"true\"} }",
     false},
    {"SwizzlingWhileWithOneOp",
     "total=6 turn=4 edges:turn=2 root:turn.0=copy root:turn.0.0=negate root:turn.0.0.0=copy "
     "root:turn.1=copy root:turn.1.0=copy",
     "HloModule m\n" STOP_AT_ONCE(
         "test",
         "(f32[], f32[])") "turn { p = (f32[], f32[]) parameter(0) a = f32[] get-tuple-element(p), index=0 b "
                           "= f32[] get-tuple-element(p), index=1 n = f32[] negate(b) ROOT r = (f32[], "
                           "f32[]) tuple(n, a) }\n"
                           "ENTRY e { x = f32[] constant(1) y = f32[] constant(2) t = (f32[], f32[]) "
                           "tuple(x, y) ROOT w = (f32[], f32[]) while(t), condition=test, body=turn }"},
    {"SwizzlingWhileSharedInput", "total=2 turn=0 e=2 root:e.0=copy root:e.1=copy",
     "HloModule m\n" STOP_AT_ONCE("test", "(f32[], f32[])")
         SWAP("turn") "ENTRY e { x = f32[] constant(1) t = (f32[], f32[]) tuple(x, x) ROOT w = (f32[], "
                      "f32[]) while(t), condition=test, body=turn }"},
#define FOUR(n)                                                                                           \
  "b" n                                                                                                   \
  " { p = (f32[5], f32[5], f32[5], f32[5]) parameter(0) a = f32[5] get-tuple-element(p), index=0 "        \
  "b = f32[5] get-tuple-element(p), index=1 c = f32[5] get-tuple-element(p), index=2 d = f32[5] "         \
  "get-tuple-element(p), index=3 "                                                                        \
  "m = f32[5] negate(c) v = f32[5] reverse(d), dimensions={0} ROOT r = (f32[5], f32[5], f32[5], f32[5]) " \
  "tuple(a, b, m, v) }\n" STOP_AT_ONCE("c" n, "(f32[5], f32[5], f32[5], f32[5])")
#define NEXT(n, from)                                                                             \
  " b" n " = f32[5] get-tuple-element(" from "), index=1 c" n " = f32[5] get-tuple-element(" from \
  "), index=2 d" n " = f32[5] get-tuple-element(" from "), index=3 t" n                           \
  " = (f32[5], f32[5], f32[5], f32[5]) tuple(p0, b" n ", c" n ", d" n ") "
    {"SequentialWhiles",
     "total=7 b0=1 b1=1 b2=1 w0.0.0=parameter w0.0.1=parameter w0.0.2=copy w0.0.3=copy root:e.0=copy "
     "root:e.1=copy root:e.2=get-tuple-element",
     "HloModule m\n" FOUR("0") FOUR("1")
         FOUR("2") "ENTRY e { p0 = f32[5] parameter(0) p1 = f32[5] parameter(1) p2 = f32[5] parameter(2) p3 "
                   "= f32[5] parameter(3) "
                   "t0 = (f32[5], f32[5], f32[5], f32[5]) tuple(p0, p1, p2, p3) w0 = (f32[5], f32[5], "
                   "f32[5], f32[5]) while(t0), condition=c0, body=b0" NEXT(
                       "1", "w0") "w1 = (f32[5], f32[5], f32[5], f32[5]) while(t1), condition=c1, "
                                  "body=b1" NEXT("2", "w1") "ROOT w2 = (f32[5], f32[5], f32[5], f32[5]) "
                                                            "while(t2), condition=c2, body=b2 }"},
    {"WhileBodyWithConstantRoot", "total=2 w.0=copy root:turn=copy root:turn.0=constant root:test=constant",
     R"(HloModule m
test { q = f32[] parameter(0) ROOT no = pred[] constant(false) }
turn { p = f32[] parameter(0) ROOT k = f32[] constant(7) }
ENTRY e { x = f32[] parameter(0) ROOT w = f32[] while(x), condition=test, body=turn })"},
    {"TokensShouldNotBeCopied", "total=0", R"(HloModule m
turn { p = (s32[], token[]) parameter(0) i = s32[] get-tuple-element(p), index=0 one = s32[] constant(1) n = s32[] add(i, one) k = token[] get-tuple-element(p), index=1 a = token[] after-all(k) ROOT r = (s32[], token[]) tuple(n, a) }
test { q = (s32[], token[]) parameter(0) j = s32[] get-tuple-element(q), index=0 c = s32[] constant(5) ROOT lt = pred[] compare(j, c), direction=LT }
ENTRY e { one = s32[] constant(1) z = s32[] negate(one) k = token[] after-all() t = (s32[], token[]) tuple(z, k) w = (s32[], token[]) while(t), condition=test, body=turn ROOT r = s32[] get-tuple-element(w), index=0 })"},
    {"NestedWhiles", "total=1 root:e.0=copy root:e.0.0=parameter", R"(HloModule m
ic { ROOT q = pred[] parameter(0) }
ib { p = pred[] parameter(0) ROOT n = pred[] not(p) }
oc { ROOT q = pred[] parameter(0) }
ob { p = pred[] parameter(0) ROOT w = pred[] while(p), condition=ic, body=ib }
ENTRY e { x = pred[] parameter(0) ROOT w = pred[] while(x), condition=oc, body=ob })"},
    {"NestedWhilesWithParamRoot",
     "total=1 root:e.0=while root:e.0.0=parameter out.0=while out.0.0=copy out.0.0.0=parameter",
     R"(HloModule m
ic { ROOT q = pred[] parameter(0) }
ib { p = pred[] parameter(0) ROOT n = pred[] not(p) }
oc { ROOT q = pred[] parameter(0) }
ob { ROOT p = pred[] parameter(0) w = pred[] while(p), condition=ic, body=ib k = token[] after-all() out = token[] outfeed(w, k) }
ENTRY e { x = pred[] parameter(0) w = pred[] while(x), condition=oc, body=ob ROOT n = pred[] not(w) })",
     false},
    {"NestedWhilesWithParamRoot2", "inner.0.0=copy inner.0.1=copy inner.0.0.0=get-tuple-element",
     R"(HloModule m
ic { q = (pred[], pred[]) parameter(0) ROOT g = pred[] get-tuple-element(q), index=0 }
ib { p = (pred[], pred[]) parameter(0) a = pred[] get-tuple-element(p), index=0 b = pred[] get-tuple-element(p), index=1 x = pred[] and(a, b) y = pred[] not(b) ROOT r = (pred[], pred[]) tuple(x, y) }
oc { q = (pred[], pred[]) parameter(0) ROOT g = pred[] get-tuple-element(q), index=0 }
ob { p = (pred[], pred[]) parameter(0) a = pred[] get-tuple-element(p), index=0 b = pred[] get-tuple-element(p), index=1 inner = (pred[], pred[]) while(p), condition=ic, body=ib
  o = pred[] get-tuple-element(inner), index=0 k = token[] after-all() out = token[] outfeed(o, k) ROOT r = (pred[], pred[]) tuple(a, b) }
ENTRY e { x = pred[] parameter(0) y = pred[] parameter(1) t = (pred[], pred[]) tuple(x, y) w = (pred[], pred[]) while(t), condition=oc, body=ob g = pred[] get-tuple-element(w), index=0 ROOT n = pred[] not(g) })",
     false},
    {"RootInstructionNotLast", "inner.0.0=copy", R"(HloModule m, is_scheduled=true
ib { p = (f32[2]) parameter(0) x = f32[2] get-tuple-element(p), index=0 s = f32[2] add(x, x) ROOT r = (f32[2]) tuple(s) }
ic { q = (f32[2]) parameter(0) ROOT yes = pred[] constant(true) }
ob { p = (f32[2]) parameter(0) x = f32[2] get-tuple-element(p), index=0 ROOT r = (f32[2]) tuple(x) c = f32[2] copy(x) t = (f32[2]) tuple(c) inner = (f32[2]) while(t), condition=ic, body=ib, frontend_attributes={keep="yes"} k = token[] after-all() g = f32[2] get-tuple-element(inner), index=0 out = token[] outfeed(g, k) }
oc { q = (f32[2]) parameter(0) ROOT yes = pred[] constant(true) }
ENTRY e { k = f32[2] constant({1, 2}) t = (f32[2]) tuple(k) ROOT w = (f32[2]) while(t), condition=oc, body=ob })",
     false},
    {"SimpleControlFlowTest", "edges:one=0", R"(HloModule m
once { k = s32[] constant(-1) p = (s32[], (s32[], s32[]), (s32[])) parameter(0) g = (s32[], s32[]) get-tuple-element(p), index=1 a = s32[] get-tuple-element(g), index=0 b = s32[] get-tuple-element(g), index=1
  s = s32[] add(a, b) u = (s32[]) tuple(s) ROOT r = (s32[], (s32[], s32[]), (s32[])) tuple(k, g, u) }
is0 { p = (s32[], (s32[], s32[]), (s32[])) parameter(0) i = s32[] get-tuple-element(p), index=0 z = s32[] constant(0) ROOT eq = pred[] compare(i, z), direction=EQ }
one { p = (s32[], s32[], s32[]) parameter(0) i = s32[] get-tuple-element(p), index=0 k = s32[] constant(1) n = s32[] add(i, k) a = s32[] get-tuple-element(p), index=1 b = s32[] get-tuple-element(p), index=2
  le = pred[] compare(a, b), direction=LE z = s32[] constant(0) c = s32[] select(le, z, k) g = (s32[], s32[]) tuple(a, b) u = (s32[]) tuple(z) t = (s32[], (s32[], s32[]), (s32[])) tuple(c, g, u)
  w = (s32[], (s32[], s32[]), (s32[])) while(t), condition=is0, body=once v = (s32[]) get-tuple-element(w), index=2 x = s32[] get-tuple-element(v), index=0 ROOT r = (s32[], s32[], s32[]) tuple(n, a, x) }
below { p = (s32[], s32[], s32[]) parameter(0) i = s32[] get-tuple-element(p), index=0 k = s32[] constant(4) ROOT lt = pred[] compare(i, k), direction=LT }
ENTRY e { t = (s32[], s32[], s32[]) parameter(0) ROOT w = (s32[], s32[], s32[]) while(t), condition=below, body=one })"},
    {"ControlFlowTest", "edges:one=0", R"(HloModule m
add1 { k = s32[] constant(-1) p = (s32[], (s32[], s32[]), (s32[])) parameter(0) g = (s32[], s32[]) get-tuple-element(p), index=1 a = s32[] get-tuple-element(g), index=0 b = s32[] get-tuple-element(g), index=1
  s = s32[] add(a, b) u = (s32[]) tuple(s) ROOT r = (s32[], (s32[], s32[]), (s32[])) tuple(k, g, u) }
is0 { p = (s32[], (s32[], s32[]), (s32[])) parameter(0) i = s32[] get-tuple-element(p), index=0 z = s32[] constant(0) ROOT eq = pred[] compare(i, z), direction=EQ }
mul1 { k = s32[] constant(-1) p = (s32[], (s32[], s32[]), (s32[])) parameter(0) g = (s32[], s32[]) get-tuple-element(p), index=1 b = s32[] get-tuple-element(g), index=1
  s = s32[] multiply(b, b) u = (s32[]) tuple(s) ROOT r = (s32[], (s32[], s32[]), (s32[])) tuple(k, g, u) }
is1 { p = (s32[], (s32[], s32[]), (s32[])) parameter(0) i = s32[] get-tuple-element(p), index=0 z = s32[] constant(1) ROOT eq = pred[] compare(i, z), direction=EQ }
one { p = (s32[], s32[], s32[]) parameter(0) i = s32[] get-tuple-element(p), index=0 k = s32[] constant(1) n = s32[] add(i, k) a = s32[] get-tuple-element(p), index=1 b = s32[] get-tuple-element(p), index=2
  le = pred[] compare(a, b), direction=LE z = s32[] constant(0) c = s32[] select(le, z, k) g = (s32[], s32[]) tuple(a, b) u = (s32[]) tuple(z) t = (s32[], (s32[], s32[]), (s32[])) tuple(c, g, u)
  w = (s32[], (s32[], s32[]), (s32[])) while(t), condition=is0, body=add1 w2 = (s32[], (s32[], s32[]), (s32[])) while(w), condition=is1, body=mul1 v = (s32[]) get-tuple-element(w2), index=2 x = s32[] get-tuple-element(v), index=0 ROOT r = (s32[], s32[], s32[]) tuple(n, a, x) }
below { p = (s32[], s32[], s32[]) parameter(0) i = s32[] get-tuple-element(p), index=0 k = s32[] constant(4) ROOT lt = pred[] compare(i, k), direction=LT }
ENTRY e { t = (s32[], s32[], s32[]) parameter(0) ROOT w = (s32[], s32[], s32[]) while(t), condition=below, body=one })"},
    {"WhileBodyWithPassthroughCond", "total=2", R"(HloModule m
same { p = (f32[6]) parameter(0) v = f32[6] get-tuple-element(p), index=0 ROOT t = (f32[6]) tuple(v) }
more { p = (f32[6]) parameter(0) v = f32[6] get-tuple-element(p), index=0 k = f32[6] constant({1,1,1,1,1,1}) s = f32[6] add(v, k) ROOT t = (f32[6]) tuple(s) }
test { q = (s32[], f32[6]) parameter(0) j = s32[] get-tuple-element(q), index=0 ten = s32[] constant(10) ROOT lt = pred[] compare(j, ten), direction=LT }
turn { p = (s32[], f32[6]) parameter(0) i = s32[] get-tuple-element(p), index=0 x = f32[6] get-tuple-element(p), index=1 u = (f32[6]) tuple(x) f = pred[] constant(false)
  c = (f32[6]) conditional(f, u, u), true_computation=same, false_computation=more y = f32[6] get-tuple-element(c), index=0 one = s32[] constant(1) n = s32[] add(i, one) ROOT r = (s32[], f32[6]) tuple(n, y) }
ENTRY e { z = s32[] constant(0) c = f32[6] constant({0,1,2,3,4,5}) t = (s32[], f32[6]) tuple(z, c) w = (s32[], f32[6]) while(t), condition=test, body=turn ROOT o = f32[6] get-tuple-element(w), index=1 })"},
};

INSTANTIATE_TEST_SUITE_P(All, CopyLoops, testing::ValuesIn(kRows),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace hilo
