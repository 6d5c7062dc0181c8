// Copies in branches, around updates in place, aliased parameters and asynchronous calls.
#include "tests/unit/compiler/passes/copy_expectations.h"

namespace hilo {
namespace {

class CopyBranches : public CopyExpectations {};
TEST_P(CopyBranches, AreWhereXlaHasThem) { run(); }

#define OUTER_OF(state) "test { q = " state " parameter(0) ROOT c = pred[] get-tuple-element(q), index=0 }\n"
// One branch negates, the other gives back what it got; both through a copy of their own.
#define NEGATED                                                                                              \
  "b0 { p = (s32[2]) parameter(0) g = s32[2] get-tuple-element(p), index=0 n = s32[2] negate(g) c = s32[2] " \
  "copy(n) "                                                                                                 \
  "ROOT t = (s32[2]) tuple(c) }\n"
#define GIVEN_BACK                                                                                       \
  "b1 { p = (s32[2]) parameter(0) g = s32[2] get-tuple-element(p), index=0 c = s32[2] copy(g) ROOT t = " \
  "(s32[2]) tuple(c) }\n"
#define CHOOSE                                                                                              \
  "ENTRY e { k = s32[] parameter(0) x = s32[2] parameter(1) y = s32[2] parameter(2) u = (s32[2]) tuple(y) " \
  "v = (s32[2]) tuple(x) c = (s32[2]) conditional(k, u, v), branch_computations={b0, b1} g = s32[2] "       \
  "get-tuple-element(c), index=0 "
#define UPDATES_TWICE(name)                                                                                \
  name " { p = (f32[4]) parameter(0) v = f32[4] get-tuple-element(p), index=0 u = f32[4] "                 \
       "constant({0,0,0,0}) "                                                                              \
       "y = f32[4] custom-call(v, u), custom_call_target=\"w\", output_to_operand_aliasing={{}: (0, {})} " \
       "b = f32[4] bitcast(y) ROOT t = (f32[4], f32[4]) tuple(y, b) }\n"
#define READS(name)                                                                                          \
  name " { p = (f32[4]) parameter(0) v = f32[4] get-tuple-element(p), index=0 c = f32[4] "                   \
       "constant({1,1,1,1}) "                                                                                \
       "d = f32[4] constant({2,2,2,2}) x = f32[4] add(v, c) y = f32[4] add(v, d) ROOT t = (f32[4], f32[4]) " \
       "tuple(x, y) }\n"
#define PASSES(name)                                                                                  \
  name " { p = (f32[4]) parameter(0) v = f32[4] get-tuple-element(p), index=0 b = f32[4] bitcast(v) " \
       "ROOT t = (f32[4], f32[4]) tuple(v, b) }\n"
#define TWO_CONDITIONALS                                                                                     \
  "ENTRY e { x = f32[4] parameter(0) k = pred[] parameter(1) t = (f32[4]) tuple(x) "                         \
  "c1 = (f32[4], f32[4]) conditional(k, t, t), true_computation=y1, false_computation=n1 "                   \
  "a = f32[4] get-tuple-element(c1), index=0 b = f32[4] get-tuple-element(c1), index=1 bt = (f32[4]) "       \
  "tuple(b) "                                                                                                \
  "ob = (f32[4]) opt-barrier(bt) bb = f32[4] get-tuple-element(ob), index=0 at = (f32[4]) tuple(a) "         \
  "c2 = (f32[4], f32[4]) conditional(k, at, at), true_computation=y2, false_computation=n2 "                 \
  "o = f32[4] get-tuple-element(c2), index=0 o2 = f32[4] get-tuple-element(c2), index=1 s = f32[4] add(bb, " \
  "o2) "                                                                                                     \
  "ROOT r = (f32[4], f32[4]) tuple(o, s) }\n"
#define ONE_BRANCH_UPDATES                                                                                 \
  "id { p = (f32[8]) parameter(0) v = f32[8] get-tuple-element(p), index=0 ROOT t = (f32[8]) tuple(v) }\n" \
  "up { p = (f32[8]) parameter(0) v = f32[8] get-tuple-element(p), index=0 o = f32[1] constant({5}) i = "  \
  "s32[] constant(0) "                                                                                     \
  "d = f32[8] dynamic-update-slice(v, o, i) ROOT t = (f32[8]) tuple(d) }\n"
#define DONATED "HloModule m, input_output_alias={ {}: (1, {}, may-alias) }\n"
#define CHOOSE_OF(first, second)                                                    \
  "ENTRY e { k = s32[] parameter(0) x = f32[8] parameter(1) t = (f32[8]) tuple(x) " \
  "c = (f32[8]) conditional(k, t, t), branch_computations={" first ", " second      \
  "} ROOT o = f32[8] get-tuple-element(c), index=0 }\n"
#define WRITES_OVER(n)                                                                                   \
  "wrapped { p0 = f32[16] parameter(0) p1 = f32[16] parameter(1) ROOT c = f32[16] custom-call(p0, p1), " \
  "custom_call_target=\"w\", output_to_operand_aliasing={{}: (" n ", {})} }\n"

const CopyExpectation kRows[] = {
    {"NestedWhileAndConditional", "total=2",
     "HloModule m\n"
     "yes { v = f32[2] parameter(0) ROOT s = f32[2] add(v, v) }\nno { v = f32[2] parameter(0) ROOT s = "
     "f32[2] multiply(v, v) }\n" OUTER_OF(
         "(pred[], f32[2])") "turn { p = (pred[], f32[2]) parameter(0) k = pred[] get-tuple-element(p), "
                             "index=0 x = f32[2] get-tuple-element(p), index=1 "
                             "c = f32[2] conditional(k, x, x), true_computation=yes, false_computation=no "
                             "ROOT r = (pred[], f32[2]) tuple(k, c) }\n"
                             "ENTRY e { k = pred[] parameter(0) x = f32[2] parameter(1) t = (pred[], f32[2]) "
                             "tuple(k, x) ROOT w = (pred[], f32[2]) while(t), condition=test, body=turn }",
     false},
    {"NestedWhileAndConditional2", "total=3",
     "HloModule m\n"
     "yes { v = f32[2] parameter(0) s = f32[2] add(v, v) ROOT t = (f32[2], f32[2]) tuple(v, s) }\nno { v = "
     "f32[2] parameter(0) s = f32[2] multiply(v, v) ROOT t = (f32[2], f32[2]) tuple(v, s) }\n" OUTER_OF(
         "(pred[], f32[2], f32[2])") "turn { p = (pred[], f32[2], f32[2]) parameter(0) k = pred[] "
                                     "get-tuple-element(p), index=0 x = f32[2] get-tuple-element(p), index=1 "
                                     "c = (f32[2], f32[2]) conditional(k, x, x), true_computation=yes, "
                                     "false_computation=no a = f32[2] get-tuple-element(c), index=0 b = "
                                     "f32[2] get-tuple-element(c), index=1 ROOT r = (pred[], f32[2], f32[2]) "
                                     "tuple(k, a, b) }\n"
                                     "ENTRY e { k = pred[] parameter(0) x = f32[2] parameter(1) t = (pred[], "
                                     "f32[2], f32[2]) tuple(k, x, x) ROOT w = (pred[], f32[2], f32[2]) "
                                     "while(t), condition=test, body=turn }",
     false},
    {"NestedWhileAndConditional3", "total=5",
     "HloModule m\n"
     "y1 { ROOT v = f32[2] parameter(0) }\nn1 { v = f32[2] parameter(0) ROOT s = f32[2] multiply(v, v) }\n"
     "yes { v = f32[2] parameter(0) s = f32[2] add(v, v) u = (f32[2], f32[2]) tuple(v, s) g = f32[2] "
     "get-tuple-element(u), index=1 q = f32[2] multiply(g, s) ROOT t = (f32[2], f32[2]) tuple(q, s) }\n"
     "no { v = f32[2] parameter(0) s = f32[2] multiply(v, v) k = pred[] constant(true) c = f32[2] "
     "conditional(k, v, s), true_computation=y1, false_computation=n1 q = f32[2] multiply(c, s) ROOT t = "
     "(f32[2], f32[2]) tuple(s, q) }\n" OUTER_OF(
         "(pred[], f32[2], f32[2])") "turn { p = (pred[], f32[2], f32[2]) parameter(0) k = pred[] "
                                     "get-tuple-element(p), index=0 x = f32[2] get-tuple-element(p), index=1 "
                                     "c = (f32[2], f32[2]) conditional(k, x, x), true_computation=yes, "
                                     "false_computation=no a = f32[2] get-tuple-element(c), index=0 b = "
                                     "f32[2] get-tuple-element(c), index=1 ROOT r = (pred[], f32[2], f32[2]) "
                                     "tuple(k, a, b) }\n"
                                     "ENTRY e { k = pred[] parameter(0) x = f32[2] parameter(1) t = (pred[], "
                                     "f32[2], f32[2]) tuple(k, x, x) ROOT w = (pred[], f32[2], f32[2]) "
                                     "while(t), condition=test, body=turn }",
     false},
    {"ConditionalBranchMustCopy1", "root:b1.0=copy",
     "HloModule m\n" NEGATED GIVEN_BACK CHOOSE "ROOT r = (s32[2], s32[2]) tuple(x, g) }"},
    {"ConditionalBranchMustCopy2", "root:b1.0=add root:b1.0.0=dynamic-update-slice root:b1.0.0.0=copy",
     "HloModule m\n" NEGATED
     "b1 { p = (s32[2]) parameter(0) g = s32[2] get-tuple-element(p), index=0 c = s32[2] copy(g) z = s32[] "
     "constant(0) o = s32[1] constant({4}) d = s32[2] dynamic-update-slice(c, o, z) a = s32[2] add(d, c) "
     "ROOT t = (s32[2]) tuple(a) }\n" CHOOSE "ROOT r = (s32[2], s32[2]) tuple(x, g) }"},
    {"ConditionalBranchMustCopy3", "root:b1.0=copy",
     "HloModule m\n" NEGATED GIVEN_BACK
     "ENTRY e { k = s32[] parameter(0) y = s32[2] parameter(2) u = (s32[2]) tuple(y) x = s32[2] parameter(1) "
     "v = (s32[2]) tuple(x) ROOT c = (s32[2]) conditional(k, u, v), branch_computations={b0, b1} }"},
    {"ConditionalWithMultiOutputFusion", "b0=1 b1=0 e=0", R"(HloModule m
b0 { x = f64[] parameter(0) n = f64[] negate(x) ROOT t = (f64[], f64[]) tuple(n, n) }
fused { x = f64[] parameter(0) a = f64[] abs(x) n = f64[] negate(x) ROOT t = (f64[], f64[]) tuple(n, a) }
b1 { x = f64[] parameter(0) ROOT f = (f64[], f64[]) fusion(x), kind=kLoop, calls=fused }
ENTRY e { k = s32[] parameter(0) x = f64[] parameter(1) y = f64[] parameter(2) ROOT c = (f64[], f64[]) conditional(k, x, y), branch_computations={b0, b1} })"},
    {"ConditionalWithVariadicReduce", "b0=2 b1=0 e=0", R"(HloModule m
b0 { x = () parameter(0) k = f64[] constant(0) ROOT t = (f64[], f64[]) tuple(k, k) }
both { a = f64[] parameter(0) b = f64[] parameter(1) c = f64[] parameter(2) d = f64[] parameter(3) s = f64[] add(a, c) q = f64[] multiply(b, d) ROOT t = (f64[], f64[]) tuple(s, q) }
b1 { k = f64[] constant(0) x = f64[12] parameter(0) ROOT r = (f64[], f64[]) reduce(x, x, k, k), dimensions={0}, to_apply=both }
ENTRY e { k = s32[] parameter(0) n = () tuple() x = f64[12] parameter(1) ROOT c = (f64[], f64[]) conditional(k, n, x), branch_computations={b0, b1} })"},
    {"ConditionalBranchRootReplicatedBuffers", "y1=1 y2=1",
     "HloModule m, is_scheduled=true\n" UPDATES_TWICE("y1") READS("n1") UPDATES_TWICE("y2") READS("n2")
         TWO_CONDITIONALS,
     false},
    {"ConditionalBranchRootReplicatedBuffersPassthrough", "y1=0 n1=0 y2=0 n2=0",
     "HloModule m, is_scheduled=true\n" PASSES("y1") PASSES("n1") PASSES("y2") PASSES("n2") TWO_CONDITIONALS},
    {"PassthroughPositionIrrelevantFirst", "total=0", DONATED ONE_BRANCH_UPDATES CHOOSE_OF("id", "up")},
    {"PassthroughPositionIrrelevantSecond", "total=0", DONATED ONE_BRANCH_UPDATES CHOOSE_OF("up", "id")},
    {"BitcastConstant", "total=1 root:e=copy root:e.0=bitcast", R"(HloModule m
ENTRY e { c = f32[4] constant({1,2,3,4}) ROOT b = f32[2,2] bitcast(c) })"},
    {"ParameterWithPartialAliasing", "total=1 root:e.0=get-tuple-element root:e.1=copy",
     R"(HloModule m, input_output_alias={ {0}: (0, {0}) }
ENTRY e { p = (f32[], f32[]) parameter(0) a = f32[] get-tuple-element(p), index=0 b = f32[] get-tuple-element(p), index=1 ROOT t = (f32[], f32[]) tuple(a, b) })"},
    {"ParameterWithNoAliasing", "total=2 root:e.0=copy root:e.1=copy", R"(HloModule m
ENTRY e { p = (f32[], f32[]) parameter(0) a = f32[] get-tuple-element(p), index=0 b = f32[] get-tuple-element(p), index=1 ROOT t = (f32[], f32[]) tuple(a, b) })"},
    {"ParameterAndParallelOpsWithPartialAliasing", "total=0",
     R"(HloModule m, input_output_alias={ {0}: (0, {0}) }
ENTRY e { p = (f32[], f32[]) parameter(0) a = f32[] get-tuple-element(p), index=0 b = f32[] get-tuple-element(p), index=1 m = f32[] negate(a) n = f32[] negate(b) ROOT t = (f32[], f32[]) tuple(m, n) })"},
    {"ParameterAndOpsWithPartialAliasing", "total=0", R"(HloModule m, input_output_alias={ {0}: (0, {0}) }
ENTRY e { p = (f32[], f32[]) parameter(0) a = f32[] get-tuple-element(p), index=0 b = f32[] get-tuple-element(p), index=1 m = f32[] negate(a) n = f32[] negate(b) s = f32[] add(m, n) ROOT t = (f32[], f32[]) tuple(s, n) })"},
    {"NoAliasCheckViolation", "total=1", R"(HloModule m, input_output_alias={ {1}: (0, {}) }
ENTRY e { x = f32[4,2,1] parameter(0) b = f32[4,1,2] bitcast(x) ROOT t = (f32[4,1,2], f32[4,2,1]) tuple(b, x) })"},
    {"InputOutputAliasCopy", "root:e.1=copy", R"(HloModule m, input_output_alias={ {0}: (0, {1}, may-alias) }
ENTRY e { ROOT p = (f32[], f32[]) parameter(0) })"},
    {"DynamicUpdateSliceParameterShareCopy", "total=1 d.0=copy", R"(HloModule m
ENTRY e { x = f32[9] parameter(0) u = f32[2] constant({1,2}) i = s32[] constant(3) ROOT d = f32[9] dynamic-update-slice(x, u, i) })"},
    {"ChainDynamicUpdateSliceCopy", "total=1", R"(HloModule m
ENTRY e { p = (s32[], f32[9]) parameter(0) u = f32[2] constant({1,2}) x = f32[9] get-tuple-element(p), index=1 i = s32[] get-tuple-element(p), index=0 k = s32[] constant(2) n = s32[] add(i, k)
  a = f32[9] dynamic-update-slice(x, u, k) b = f32[9] dynamic-update-slice(a, u, i) ROOT t = (s32[], f32[9]) tuple(n, b) })"},
    {"FusedDynamicUpdateSliceCopy2", "total=1", R"(HloModule m
f1 { x = f32[9] parameter(0) u = f32[2] constant({1,2}) i = s32[] constant(3) ROOT d = f32[9] dynamic-update-slice(x, u, i) }
f2 { x = f32[9] parameter(0) y = f32[9] parameter(1) s = f32[2] slice(y), slice={[0:2]} i = s32[] constant(5) ROOT d = f32[9] dynamic-update-slice(x, s, i) }
ENTRY e { x = f32[9] parameter(0) n = f32[9] negate(x) a = f32[9] fusion(n), kind=kLoop, calls=f1 ROOT b = f32[9] fusion(a, n), kind=kLoop, calls=f2 })"},
#define THREE_OUT                                                                                           \
  "fused { a = f32[9] parameter(0) b = f32[9] parameter(1) c = f32[9] parameter(2) u = f32[2] "             \
  "constant({1,2}) i = s32[] constant(3) "                                                                  \
  "s = f32[9] add(a, a) d = f32[9] dynamic-update-slice(b, u, i) g = f32[9] dynamic-update-slice(c, u, i) " \
  "ROOT t = (f32[9], f32[9], f32[9]) tuple(s, d, g) }\n"                                                    \
  "ENTRY e { x = f32[9] parameter(0) a = f32[9] negate(x) b = f32[9] sine(x) c = f32[9] cosine(x) f = "     \
  "(f32[9], f32[9], f32[9]) fusion(a, b, c), kind=kLoop, calls=fused "                                      \
  "fa = f32[9] get-tuple-element(f), index=0 fb = f32[9] get-tuple-element(f), index=1 fc = f32[9] "        \
  "get-tuple-element(f), index=2 "
    {"MultiOutputFusedDynamicUpdateSliceCopy", "total=2",
     "HloModule m\n" THREE_OUT "xa = f32[9] add(a, fa) xb = f32[9] add(b, fb) xc = f32[9] add(c, fc) ROOT t "
     "= (f32[9], f32[9], f32[9]) tuple(xa, xb, xc) }"},
    {"MultiOutputFusedDynamicUpdateSliceNoCopy", "total=1",
     "HloModule m\n" THREE_OUT "xa = f32[9] add(a, fa) xb = f32[9] add(fb, fb) xc = f32[9] add(c, fc) ROOT t "
     "= (f32[9], f32[9], f32[9]) tuple(xa, xb, xc) }"},
    {"ScatterSharedOperand", "total=1 root:e.0=copy root:e.0.0=iota root:e.2=iota", R"(HloModule m
second { a = s32[] parameter(0) ROOT b = s32[] parameter(1) }
ENTRY e { x = s32[9] iota(), iota_dimension=0 i = s32[9] reverse(x), dimensions={0}
  ROOT s = s32[9] scatter(x, i, x), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=second })"},
    {"VariadicScatterSharedOperand", "total=2 root:e.3=reverse root:e.4=iota root:e.6=iota", R"(HloModule m
three { a = s32[] parameter(0) b = s32[] parameter(1) c = s32[] parameter(2) x = s32[] parameter(3) y = s32[] parameter(4) z = s32[] parameter(5) ROOT t = (s32[], s32[], s32[]) tuple(x, y, z) }
ENTRY e { x = s32[9] iota(), iota_dimension=0 y = s32[9] iota(), iota_dimension=0 i = s32[9] reverse(y), dimensions={0}
  ROOT s = (s32[9], s32[9], s32[9]) scatter(x, x, x, i, y, y, y), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=three })"},
    {"KeepCopyOfBroadcast", "total=2", R"(HloModule m
ENTRY e { k = f32[] constant(0) x = f32[9] broadcast(k), dimensions={} y = f32[9] broadcast(k), dimensions={} i = s32[] constant(0) a = f32[9] dynamic-update-slice(x, y, i) b = f32[9] add(a, a)
  c = f32[9] dynamic-update-slice(x, y, i) d = f32[9] add(c, c) ROOT t = (f32[9], f32[9]) tuple(b, d) })"},
    {"InPlaceCollectivePermuteCopy", "total=4", R"(HloModule m, replica_count=2
ENTRY e { r = u32[] replica-id() x = u32[2,6] broadcast(r), dimensions={} k = u32[] constant(9) y = u32[2,6] broadcast(k), dimensions={} z = u32[4,6] broadcast(k), dimensions={}
  c0 = s32[] constant(0) c1 = s32[] constant(1) c2 = s32[] constant(2) in = (u32[2,6], u32[2,6]) tuple(x, x) out = (u32[2,6], u32[4,6]) tuple(y, z)
  a = (s32[], s32[]) tuple(c0, c0) b = (s32[], s32[]) tuple(c1, c0) c = (s32[], s32[]) tuple(c2, c0) ab = ((s32[], s32[]), (s32[], s32[])) tuple(a, b) aa = ((s32[], s32[]), (s32[], s32[])) tuple(a, a)
  ac = ((s32[], s32[]), (s32[], s32[])) tuple(a, c) s = (((s32[], s32[]), (s32[], s32[])), ((s32[], s32[]), (s32[], s32[]))) tuple(ab, aa) d = (((s32[], s32[]), (s32[], s32[])), ((s32[], s32[]), (s32[], s32[]))) tuple(ab, ac)
  p = (u32[2,6], u32[4,6]) collective-permute(in, out, s, d), source_target_pairs={{0,1},{1,0},{1,0},{0,1}}, slice_sizes={{1,6},{1,6},{2,6},{2,6}}
  q = (u32[2,6], u32[4,6]) collective-permute(in, out, s, s), source_target_pairs={{0,1},{1,0},{1,0},{0,1}}, slice_sizes={{1,6},{1,6},{2,6},{2,6}} ROOT t = ((u32[2,6], u32[4,6]), (u32[2,6], u32[4,6])) tuple(p, q) })",
     false},
#define ON_A_THREAD                                                                                          \
  "inner { out = s32[16] parameter(1) in = s32[16] parameter(0) k = s32[] constant(4) i = s32[] "            \
  "custom-call(), custom_call_target=\"which\" "                                                             \
  "at = s32[] multiply(k, i) part = s32[4] dynamic-slice(in, at), dynamic_slice_sizes={4} d = s32[4] "       \
  "add(part, part) "                                                                                         \
  "ROOT u = s32[16] dynamic-update-slice(out, d, at) }, execution_thread=\"side\"\n"                         \
  "wrapped { a = s32[16] parameter(0) b = s32[16] parameter(1) ROOT c = s32[16] call(a, b), to_apply=inner " \
  "}, execution_thread=\"side\"\n"
#define START_ON_IT                                                                               \
  "s = ((s32[16], s32[16]), s32[16], u32[]) async-start(x, y), async_execution_thread=\"side\", " \
  "calls=wrapped "                                                                                \
  "ROOT d = s32[16] async-done(s), async_execution_thread=\"side\", calls=wrapped }"
    {"AsyncCallDUSNoCopy", "total=0",
     "HloModule m\n" ON_A_THREAD "ENTRY e { x = s32[16] parameter(0) y = s32[16] custom-call(), "
     "custom_call_target=\"AllocateBuffer\" " START_ON_IT,
     false},
    {"AsyncCallDUSCopy", "total=1",
     "HloModule m\n" ON_A_THREAD "ENTRY e { x = s32[16] parameter(0) y = s32[16] parameter(1) " START_ON_IT,
     false},
    {"AsyncUpdateMultipleOperands", "e=1 u.2=copy",
     "HloModule m\n" WRITES_OVER(
         "1") "ENTRY e { k = f32[16] constant({0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}) x = f32[16] parameter(0) s "
              "= ((), (), s32[]) async-start(), calls=wrapped, async_execution_thread=\"side\" "
              "u = ((f32[16], f32[16]), f32[16]) async-update(s, k, x) ROOT d = f32[16] async-done(u) }",
     false},
    {"AsyncUpdateIncrementalBinding", "e=1 u1.1=copy",
     "HloModule m\n" WRITES_OVER(
         "1") "ENTRY e { k = f32[16] constant({0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}) x = f32[16] parameter(0) s "
              "= ((), (), s32[]) async-start(), calls=wrapped, async_execution_thread=\"side\" "
              "u0 = ((f32[16]), (), s32[]) async-update(s, k) u1 = ((f32[16], f32[16]), f32[16]) "
              "async-update(u0, x) ROOT d = f32[16] async-done(u1) }",
     false},
    {"AsyncUpdateForwardedOperand", "e=1 u0.1=copy",
     "HloModule m\n" WRITES_OVER(
         "0") "ENTRY e { x = f32[16] parameter(0) k = f32[16] constant({0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}) s "
              "= ((), (), s32[]) async-start(), calls=wrapped, async_execution_thread=\"side\" "
              "u0 = ((f32[16]), (), s32[]) async-update(s, x) u1 = ((f32[16], f32[16]), f32[16]) "
              "async-update(u0, k) ROOT d = f32[16] async-done(u1) }",
     false},
    {"AsyncNoCopyForChain", "total=0", R"(HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }
wrapped { x = f32[10] parameter(0) ROOT t = (f32[10]) tuple(x) }
ENTRY e { x = f32[10] parameter(0) s = ((), (f32[10]), s32[]) async-start(), calls=wrapped u = ((f32[10]), (f32[10]), s32[]) async-update(s, x) ROOT d = (f32[10]) async-done(u) })",
     false},
    {"DontInsertCopiesInAsyncComputation", "wrapped=0 e=1", R"(HloModule m
wrapped { x = f32[8,3,5] parameter(0) u = f32[1,3,5] parameter(1) i = s32[] parameter(2) j = s32[] parameter(3) k = s32[] parameter(4) ROOT d = f32[8,3,5] dynamic-update-slice(x, u, i, j, k) }
ENTRY e { p = (s32[], f32[3,5], f32[8,3,5]) parameter(0) x = f32[8,3,5] get-tuple-element(p), index=2 y = f32[3,5] get-tuple-element(p), index=1 c = f32[3,5] cosine(y) r = f32[1,3,5] reshape(c)
  i = s32[] get-tuple-element(p), index=0 z = s32[] constant(0) s = ((f32[8,3,5], f32[1,3,5], s32[], s32[], s32[]), f32[8,3,5], u32[]) async-start(x, r, i, z, z), calls=wrapped ROOT d = f32[8,3,5] async-done(s), calls=wrapped })"},
    {"AsyncDUSInLoop", "total=0", R"(HloModule m
wrapped { x = s32[16] parameter(0) u = s32[4] parameter(1) i = s32[] parameter(2) ROOT d = s32[16] dynamic-update-slice(x, u, i) }
test { q = (s32[16], s32[4], s32[], pred[]) parameter(0) ROOT c = pred[] get-tuple-element(q), index=3 }
turn { p = (s32[16], s32[4], s32[], pred[]) parameter(0) x = s32[16] get-tuple-element(p), index=0 u = s32[4] get-tuple-element(p), index=1 i = s32[] get-tuple-element(p), index=2 c = pred[] get-tuple-element(p), index=3
  s = ((s32[16], s32[4], s32[]), s32[16], u32[]) async-start(x, u, i), calls=wrapped d = s32[16] async-done(s), calls=wrapped ROOT t = (s32[16], s32[4], s32[], pred[]) tuple(d, u, i, c) }
ENTRY e { u = s32[4] parameter(0) i = s32[] parameter(1) c = pred[] parameter(2) x = s32[16] broadcast(i), dimensions={} t = (s32[16], s32[4], s32[], pred[]) tuple(x, u, i, c)
  w = (s32[16], s32[4], s32[], pred[]) while(t), condition=test, body=turn ROOT g = s32[16] get-tuple-element(w), index=0 })",
     false},
};

INSTANTIATE_TEST_SUITE_P(All, CopyBranches, testing::ValuesIn(kRows),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace hilo
