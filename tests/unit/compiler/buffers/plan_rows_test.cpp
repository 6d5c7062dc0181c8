// Where values of small modules are put: what may be reused, what lives out, what has an allocation
// of its own.
#include "tests/unit/compiler/buffers/plan_expectations.h"

namespace hilo {
namespace {

class PlanRows : public PlanExpectations {};
TEST_P(PlanRows, ArePlannedAsXlaDoes) { run(); }

constexpr PlannedFor kBoth = PlannedFor::ListedAndAnyOrder, kListed = PlannedFor::ListedOrder,
                     kAny = PlannedFor::AnyOrder;

// A chain of three operations, each of which may write over its operand.
#define CHAIN                                                                                               \
  "\nENTRY e { s = f32[] parameter(0) b = f32[50] broadcast(s), dimensions={} p = f32[50] parameter(1) "    \
  "q = f32[50] parameter(2) m = f32[50] multiply(b, p) a = f32[50] add(m, q) ROOT d = f32[50] subtract(a, " \
  "q) }"
#define TWO_CALLS_DEEP(work) "\nsquash { x = f32[] parameter(0) ROOT y = f32[] negate(x) }\n" work
// A body that gives back what it got and their product.
#define STEP_OF(n)                                                                                       \
  "\ntest" n                                                                                             \
  " { q = (f32[4], f32[4], f32[4]) parameter(0) j = s32[] constant(0) k = s32[] constant(10) ROOT lt = " \
  "pred[] compare(j, k), direction=LT }"                                                                 \
  "\nturn" n                                                                                             \
  " { p = (f32[4], f32[4], f32[4]) parameter(0) x = f32[4] get-tuple-element(p), index=0 y = f32[4] "    \
  "get-tuple-element(p), index=1 "                                                                       \
  "z = f32[4] multiply(x, y) ROOT r = (f32[4], f32[4], f32[4]) tuple(x, y, z) }"
#define CEIL_OR_FLOOR                                                                                     \
  "\nup { x = f32[] parameter(0) ROOT u = f32[] ceil(x) }\ndown { y = f32[] parameter(0) ROOT v = f32[] " \
  "floor(y) }"

void noConstants(BufferAssignmentOptions& options, const Module&) { options.allocateConstants = false; }
void noSumsWithResults(BufferAssignmentOptions& options, const Module&) {
  options.mustNotLiveOut = [](const HloValue& v) { return v.instruction().opcode() == Opcode::Add; };
}
void aColorEach(BufferAssignmentOptions& options, const Module&) {
  options.colorOf = [](const AliasAnalysis& aliases, const HloValue& v) -> int64_t {
    return aliases.bufferOf(v.id).values[0].value;
  };
}
void sumsAndProductsApart(BufferAssignmentOptions& options, const Module&) {
  options.colorOf = [](const AliasAnalysis&, const HloValue& v) -> int64_t {
    return v.instruction().opcode() == Opcode::Add || v.instruction().opcode() == Opcode::Multiply;
  };
}
void topological(BufferAssignmentOptions& options, const Module&) {
  options.order = BufferOrder::Topological;
}
void byStart(BufferAssignmentOptions& options, const Module&) {
  options.order = BufferOrder::ByLiveRangeStart;
}
void alignTo64(BufferAssignmentOptions& options, const Module&) { options.alignmentBytes = 64; }
void limitTo801(BufferAssignmentOptions& options, const Module&) { options.heapLimitBytes = 801; }
void byLifetime(BufferAssignmentOptions& options, const Module&) {
  options.heapOrder = HeapOrder::ByLifetime;
}
void bySize(BufferAssignmentOptions& options, const Module&) { options.heapOrder = HeapOrder::BySize; }
void viewsApart(BufferAssignmentOptions& options, const Module&) {
  options.colorOf = [](const AliasAnalysis&, const HloValue& v) -> int64_t {
    return v.instruction().name() == "view" ? 7 : 0;
  };
}
void viewsUnallocated(BufferAssignmentOptions& options, const Module& module) {
  viewsApart(options, module);
  options.unallocatedColor = 7;
}

const PlanExpectation kRows[] = {
    {"ScalarConstant", "c:const c.size=4", "\nENTRY e { ROOT c = f32[] constant(1) }"},
    {"ScalarConstantUnallocated", "c:none", "\nENTRY e { ROOT c = f32[] constant(1) }", kBoth, noConstants},
    {"BufferForConst", "c:const d:const s:out c!~d s!~c s!~d",
     "\nENTRY e { c = f32[2] constant({1,2}) d = f32[2] constant({3,4}) ROOT s = f32[2] add(c, d) }"},
    {"BufferForConstUnallocated", "c:none d:none s:out",
     "\nENTRY e { c = f32[2] constant({1,2}) d = f32[2] constant({3,4}) ROOT s = f32[2] add(c, d) }", kBoth,
     noConstants},
    {"HasAllocationAt", "t:tuple t{0}==n t{1}==p t{2}==c",
     "\nENTRY e { p = f32[9] parameter(0) c = s32[] constant(1) n = f32[9] negate(p) ROOT t = (f32[9], "
     "f32[9], s32[]) tuple(n, p, c) }"},
    {"BufferForOutputConst", "k:out k!:const c:const",
     "\nENTRY e { c = f32[2] constant({1,2}) ROOT k = f32[2] copy(c) }"},
    {"Basic", "s:param p:param q:param s!~p s!~q p!~q m!~p m==a d==a d:out", CHAIN},
    {"BasicToFromProto", "bytes=604 allocations=4 p.size=200 d.size=200", CHAIN},
    {"TrivialPeakBuffers", "m.peak=d", CHAIN},
    {"AddCannotReuse", "p!~d a!~d d:out a!:out", CHAIN, kBoth, noSumsWithResults},
    {"BasicUniquelyColored", "s!~p s!~q p!~q m!~p a!~m d!~a", CHAIN, kBoth, aColorEach},
    {"BasicPartiallyColored", "m==a m!~p d!~a m.color=1 a.color=1 d.color=0 p.color=0 q.color=0", CHAIN,
     kBoth, sumsAndProductsApart},
    {"MultipleUsersForNode", "s!~p s!~q p!~q a!=m",
     "\nENTRY e { s = f32[] parameter(0) b = f32[50] broadcast(s), dimensions={} p = f32[50] parameter(1) "
     "q = f32[50] parameter(2) m = f32[50] multiply(b, p) a = f32[50] add(m, q) ROOT d = f32[50] subtract(a, "
     "m) }"},
    {"AliasedParamCanBeReused", "p==n n==r p:param p:out",
     ", input_output_alias={ {}: (0, {}, may-alias) }\nENTRY e { p = f32[9] parameter(0) n = f32[9] "
     "negate(p) ROOT r = f32[9] sine(n) }"},
    {"IntermediateValueWithMultiplePositionsCanBeReused", "x~s",
     "\ntest { q = (s32[], f32[9]) parameter(0) j = s32[] get-tuple-element(q), index=0 k = s32[] "
     "constant(5) ROOT lt = pred[] compare(j, k), direction=LT }"
     "\nturn { p = (s32[], f32[9]) parameter(0) i = s32[] get-tuple-element(p), index=0 v = f32[9] "
     "get-tuple-element(p), index=1 one = s32[] constant(1) n = s32[] add(i, one) ROOT r = (s32[], f32[9]) "
     "tuple(n, v) }"
     "\nENTRY e { p0 = f32[9] parameter(0) x = f32[9] negate(p0) z = s32[] constant(0) z1 = s32[] copy(z) t "
     "= (s32[], f32[9]) tuple(z1, x) w = (s32[], f32[9]) while(t), condition=test, body=turn "
     "g = f32[9] get-tuple-element(w), index=1 a = f32[9] abs(g) s = f32[9] add(x, a) ROOT o = (f32[9], "
     "f32[9]) tuple(s, a) }",
     kListed},
    {"TrivialMap", "p!~f y:local y!~f x!~p f:out",
     TWO_CALLS_DEEP("ENTRY e { p = f32[4,3] parameter(0) ROOT f = f32[4,3] map(p), dimensions={0,1}, "
                    "to_apply=squash }")},
    {"CannotReuseInputBufferOfReduce", "a==b b!=r",
     "\nplus { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }"
     "\nENTRY e { p = f32[4,6] parameter(0) a = f32[4,6] exponential(p) b = f32[4,6] exponential(a) z = "
     "f32[] constant(0) r = f32[6] reduce(b, z), dimensions={0}, to_apply=plus ROOT c = f32[6] "
     "exponential(r) }"},
    {"ExampleWhile", "w{0}==n w{1}==s w{0}==q{0} w{1}==q{1} w{1}==p{1}",
     "\ntest { k = s32[] constant(4) q = (s32[], f32[4]) parameter(0) j = s32[] get-tuple-element(q), "
     "index=0 ROOT lt = pred[] compare(j, k), direction=LT }"
     "\nturn { one = s32[] constant(1) c = f32[4] constant({1,2,3,4}) p = (s32[], f32[4]) parameter(0) i = "
     "s32[] get-tuple-element(p), index=0 n = s32[] add(i, one) v = f32[4] get-tuple-element(p), index=1 s = "
     "f32[4] add(v, c) ROOT r = (s32[], f32[4]) tuple(n, s) }"
     "\nENTRY e { z = s32[] constant(0) y = f32[4] constant({0,0,0,0}) t = (s32[], f32[4]) tuple(z, y) ROOT "
     "w = (s32[], f32[4]) while(t), condition=test, body=turn }",
     kBoth, nullptr, true},
    {"ExampleConditional", "c==u c==v x~y_in y~z_in c.size=4 u.size=4",
     CEIL_OR_FLOOR
     "\nENTRY e { k = pred[] constant(false) y_in = f32[] constant(5) z_in = f32[] constant(7) ROOT c = "
     "f32[] conditional(k, y_in, z_in), true_computation=up, false_computation=down }"},
    {"UnaryOpReuseChain", "a==b b==c c==d",
     "\nENTRY e { p = f32[9] parameter(0) a = f32[9] exponential(p) b = f32[9] tanh(a) c = f32[9] "
     "exponential(b) ROOT d = f32[9] negate(c) }"},
    {"ReuseNonOperandBuffer", "b~n b!=s",
     "\nENTRY e { p = f32[60] parameter(0) n = f32[60] negate(p) s = f32[6] slice(n), slice={[0:6]} ROOT b = "
     "f32[10,6] broadcast(s), dimensions={1} }"},
    {"NoReuseLiveBuffer", "b!~n b!~s n!~s",
     "\nENTRY e { p = f32[60] parameter(0) n = f32[60] negate(p) s = f32[6] slice(n), slice={[0:6]} b = "
     "f32[10,6] broadcast(s), dimensions={1} ROOT t = (f32[60], f32[10,6]) tuple(n, b) }"},
    {"NoReuseAliasedBuffer", "b!~n b!~s n!~s",
     "\nENTRY e { p = f32[60] parameter(0) n = f32[60] negate(p) i = (f32[60]) tuple(n) g = f32[60] "
     "get-tuple-element(i), index=0 s = f32[6] slice(g), slice={[0:6]} b = f32[10,6] broadcast(s), "
     "dimensions={1} ROOT t = ((f32[60]), f32[10,6]) tuple(i, b) }"},
    {"DoNotReuseOversizedOutputBuffer", "b!~n b!~s",
     "\nENTRY e { p = f32[60] parameter(0) n = f32[60] negate(p) s = f32[6] slice(n), slice={[0:6]} ROOT b = "
     "f32[6,4] broadcast(s), dimensions={0} }"},
    {"ReuseOutputBufferIfExactlySized", "b~n b!~s",
     "\nENTRY e { p = f32[60] parameter(0) n = f32[60] negate(p) s = f32[6] slice(n), slice={[0:6]} ROOT b = "
     "f32[6,10] broadcast(s), dimensions={0} }"},
    {"DoNotReuseOversizedOutputBufferInTuple", "b!~n b!~s",
     "\nENTRY e { p = f32[60] parameter(0) n = f32[60] negate(p) s = f32[6] slice(n), slice={[0:6]} b = "
     "f32[6,4] broadcast(s), dimensions={0} ROOT t = (f32[6,4]) tuple(b) }"},
    {"EmbeddedComputationBuffers",
     "x:local x!:param x!:out y:local y!:out cp:param cp!:local cr!:param cr!:local p:param p!:out f:out "
     "f!:param f!:local",
     "\nsquash { x = f32[] parameter(0) ROOT y = f32[] negate(x) }\ncalled { cp = f32[7] parameter(0) ROOT "
     "cr = f32[7] exponential(cp) }\nENTRY e { p = f32[7] parameter(0) c = f32[7] call(p), to_apply=called "
     "ROOT f = f32[7] map(c), dimensions={0}, to_apply=squash }"},
    {"CustomCallEmbeddedComputationBuffers", "x:local x!:param x!:out y:local y!:param y!:out",
     TWO_CALLS_DEEP("ENTRY e { p = f32[] parameter(0) ROOT c = f32[] custom-call(p), "
                    "custom_call_target=\"t\", called_computations={squash} }")},
    {"CustomCallSubcomputationBuffers", "x:local y:local mp:local mr:local mr!:out mp!:param",
     TWO_CALLS_DEEP("outer { mp = f32[] parameter(0) ROOT mr = f32[] call(mp), to_apply=squash }\n"
                    "ENTRY e { p = f32[] parameter(0) ROOT c = f32[] custom-call(p), "
                    "custom_call_target=\"t\", called_computations={outer} }")},
    {"TupleParameterAsOutput", "allocations=4 p:param p:out p{0}:param p{0}:out p{1}:out p{2}:out",
     "\nENTRY e { ROOT p = (pred[2,3], f32[], s32[7]) parameter(0) }"},
    {"ElementOfNestedTupleParameterAsOutput",
     "p!:out p{1}:out p{1,0}:out p{1,1}:out g:out p{1,0}==g{0} p{1,1}==g{1} p{1}==g",
     "\nENTRY e { p = (pred[2,3], (s32[7], s32[9])) parameter(0) ROOT g = (s32[7], s32[9]) "
     "get-tuple-element(p), index=1 }"},
    {"TupleConstantAsOutput", "allocations=3 c{0}:const c{1}:const",
     "\nENTRY e { ROOT c = (s64[], s64[]) constant((0, 1)) }"},
    {"TupleCustomCallAsOutput", "allocations=3 c:out c{0}:out c{1}:out",
     "\nENTRY e { ROOT c = (pred[2,3], s32[9]) custom-call(), custom_call_target=\"t\" }"},
    {"CustomCallAliasedBuffer", "c==a",
     "\nENTRY e { p = f32[5] parameter(0) q = f32[5] parameter(1) a = f32[5] add(p, q) ROOT c = f32[5] "
     "custom-call(a, q), custom_call_target=\"t\", output_to_operand_aliasing={{}: (0, {})} }"},
    {"TupleCallAsOutput", "allocations=2 c==st c{0}==sp p!~st p==sp",
     "\nsub { sp = f32[4] parameter(0) ROOT st = (f32[4]) tuple(sp) }\nENTRY e { p = f32[4] parameter(0) "
     "ROOT c = (f32[4]) call(p), to_apply=sub }"},
    {"TupleChainedCallAsOutput",
     "c==b b==a a==dp c{0}==dp{0} b{0}==dp{0} p!~c bp{0}==cp{0} cp{0}==dp{0} p==dp{0}",
     "\nfd { ROOT dp = (f32[4]) parameter(0) }\nfc { cp = (f32[4]) parameter(0) ROOT a = (f32[4]) call(cp), "
     "to_apply=fd }\nfb { bp = (f32[4]) parameter(0) ROOT b = (f32[4]) call(bp), to_apply=fc }"
     "\nENTRY e { p = f32[4] parameter(0) t = (f32[4]) tuple(p) ROOT c = (f32[4]) call(t), to_apply=fb }"},
    {"BitcastAsOutput", "allocations=1 p==b",
     "\nENTRY e { p = f32[7] parameter(0) ROOT b = f32[7] bitcast(p) }"},
    {"TupleBufferNotReused", "allocations=3 t!~c",
     "\nENTRY e { p = f32[] parameter(0) t = (f32[]) tuple(p) g = f32[] get-tuple-element(t), index=0 ROOT c "
     "= f32[] copy(g) }"},
#define TWO_PRODUCTS                                                                                      \
  "\nENTRY e { a = f32[2,3] parameter(0) b = f32[3,4] parameter(1) c = f32[4,4] parameter(2) "            \
  "ab = f32[2,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} bc = f32[3,4] dot(b, c), " \
  "lhs_contracting_dims={1}, rhs_contracting_dims={0} "                                                   \
  "ROOT k = f32[5,4] concatenate(ab, bc), dimensions={0} }"
    {"OneTempAllocation", "allocations=5 ab~bc ab!=bc ab.bytes=32 bc.bytes=48 ab.size=80", TWO_PRODUCTS},
    {"OneTempAllocationAligned", "allocations=5 ab~bc ab.at=64 bc.at=0 ab.size=96", TWO_PRODUCTS, kBoth,
     alignTo64},
    {"TempAllocationLimitResetsBuffer",
     "allocations=8 ab.size=800 bc.size=800 cd.size=800 de.size=800 ab.bytes=400",
     "\nENTRY e { a = f32[10,10] parameter(0) b = f32[10,10] parameter(1) c = f32[10,10] parameter(2) d = "
     "f32[10,10] parameter(3) f = f32[10,10] parameter(4) "
     "ab = f32[10,10] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} bc = f32[10,10] dot(b, "
     "c), lhs_contracting_dims={1}, rhs_contracting_dims={0} cd = f32[10,10] dot(c, d), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0} "
     "de = f32[10,10] dot(d, f), lhs_contracting_dims={1}, rhs_contracting_dims={0} ROOT k = f32[40,10] "
     "concatenate(ab, bc, cd, de), dimensions={0} }",
     kListed, limitTo801},
    {"MultiPage", "h.size=2800 c.size=400 b~h c!~h s:out",
     "\nENTRY e { p = f32[100] parameter(0) a = f32[100] negate(p) b = f32[100] exponential(p) c = f32[100] "
     "sign(p) k2 = f32[200] iota(), iota_dimension=0 d = f32[200] reverse(k2), dimensions={0} h0 = f32[600] "
     "iota(), iota_dimension=0 h = f32[600] negate(h0) s1 = f32[100] add(a, b) ROOT s = f32[100] add(s1, c) "
     "}",
     kListed, [](BufferAssignmentOptions& options, const Module&) { options.heapLimitBytes = 3072; }},
    {"ScanComputation", "p!~s x:local y:local r:local",
     "\nplus { x = f32[] parameter(0) y = f32[] parameter(1) r = f32[] add(x, y) ROOT t = (f32[], f32[]) "
     "tuple(r, r) }"
     "\nENTRY e { p = f32[9] parameter(0) z = f32[] constant(0) ROOT s = (f32[9], f32[]) scan(p, z), "
     "dimensions={0}, num_carries=1, to_apply=plus }"},
#define CONCATENATED                                                                                       \
  "\nENTRY e { p = f32[100] parameter(0) l = f32[100] log(p) v = f32[100] reverse(l), dimensions={0} n = " \
  "f32[100] negate(p) "                                                                                    \
  "k = f32[200] concatenate(v, n), dimensions={0} ROOT r = f32[1] slice(k), slice={[0:1]} }"
    {"PeakBuffers", "k:temp k.peak=k+n+v k.size=1600 k.at=0 l.at=0 v.at=800 n.at=1200", CONCATENATED, kListed,
     bySize},
    {"PeakBuffersByLifetime", "k:temp k.peak=k+n+v k.size=1600", CONCATENATED, kListed, byLifetime},
    {"AliasedBuffersShouldntCoexistInPeakBuffers", "c==a c.peak=w",
     "\ntest { q = (s32[], s32[]) parameter(0) ROOT yes = pred[] constant(true) }\nturn { p = (s32[], s32[]) "
     "parameter(0) g = s32[] get-tuple-element(p), index=0 a = s32[] add(g, g) ROOT r = (s32[], s32[]) "
     "tuple(a, a) }"
     "\nENTRY e { x = s32[] parameter(0) c = s32[] copy(x) t = (s32[], s32[]) tuple(c, c) w = (s32[], s32[]) "
     "while(t), condition=test, body=turn h = s32[] get-tuple-element(w), index=0 ROOT n = s32[] negate(h) }",
     kListed},
    {"InPlaceBuffer", "g==d1 g==d2",
     "\nENTRY e { p = (s32[], f32[12]) parameter(0) u = f32[3] constant({1,2,3}) g = f32[12] "
     "get-tuple-element(p), index=1 i = s32[] get-tuple-element(p), index=0 k = s32[] constant(3) n = s32[] "
     "add(i, k) "
     "d1 = f32[12] dynamic-update-slice(g, u, k) d2 = f32[12] dynamic-update-slice(d1, u, k) ROOT t = "
     "(s32[], f32[12]) tuple(n, d2) }"},
    {"ConstantBuffersAreNotReused", "c:const d:const c!~k d!~k c!~o d!~o c!~d",
     "\nyes { ROOT x = f32[] parameter(0) }\nno { y = f32[] parameter(0) ROOT z = f32[] copy(y) }"
     "\nENTRY e { b = pred[] parameter(0) c = f32[] constant(5) k = f32[] copy(c) d = f32[] constant(7) ROOT "
     "o = f32[] conditional(b, k, d), true_computation=yes, false_computation=no }"},
    {"DusViewColoredBufferAllocationSkipped", "view:none s:out",
     "\nENTRY e { p = f32[6,3] parameter(0) view = f32[6,3] custom-call(p), custom_call_target=\"view\" ROOT "
     "s = f32[6,3] add(view, view) }",
     kBoth, viewsUnallocated},
    {"DusViewColorUnsetAllocatesBuffer", "view:temp view.color=7",
     "\nENTRY e { p = f32[6,3] parameter(0) view = f32[6,3] custom-call(p), custom_call_target=\"view\" ROOT "
     "s = f32[6,3] add(view, view) }",
     kBoth, viewsApart},
    {"TwoForwardWhileLoops", "p0==w0{0} p1==w0{1} w0{2}==w1{0} p2==w1{1}",
     STEP_OF("0")
         STEP_OF("1") "\nENTRY e { p0 = f32[4] parameter(0) p1 = f32[4] parameter(1) p2 = f32[4] "
                      "parameter(2) z = f32[] constant(0) o0 = f32[4] broadcast(z), dimensions={} o1 = "
                      "f32[4] broadcast(z), dimensions={} "
                      "t0 = (f32[4], f32[4], f32[4]) tuple(p0, p1, o0) w0 = (f32[4], f32[4], f32[4]) "
                      "while(t0), condition=test0, body=turn0 g = f32[4] get-tuple-element(w0), index=2 t1 = "
                      "(f32[4], f32[4], f32[4]) tuple(g, p2, o1) "
                      "ROOT w1 = (f32[4], f32[4], f32[4]) while(t1), condition=test1, body=turn1 }",
     kListed, nullptr, true},
    {"OneForwardBackwardWhileLoopSet", "w0{0}==w1{0} w0{1}==w1{1} w0{2}==w1{2}",
     STEP_OF("0") STEP_OF("1") "\nENTRY e { p0 = f32[4] parameter(0) p1 = f32[4] parameter(1) z = f32[] "
                               "constant(0) o0 = f32[4] broadcast(z), dimensions={} "
                               "t0 = (f32[4], f32[4], f32[4]) tuple(p0, p1, o0) w0 = (f32[4], f32[4], "
                               "f32[4]) while(t0), condition=test0, body=turn0 ROOT w1 = (f32[4], f32[4], "
                               "f32[4]) while(w0), condition=test1, body=turn1 }",
     kListed, nullptr, true},
    {"WhilesDontShareEntryParamIfLiveOut", "o:out o!:param",
     STEP_OF("0")
         STEP_OF("1") "\nENTRY e { p0 = f32[4] parameter(0) p1 = f32[4] parameter(1) z = f32[] constant(0) "
                      "o0 = f32[4] broadcast(z), dimensions={} o1 = f32[4] broadcast(z), dimensions={} "
                      "t0 = (f32[4], f32[4], f32[4]) tuple(p0, p1, o0) w0 = (f32[4], f32[4], f32[4]) "
                      "while(t0), condition=test0, body=turn0 g = f32[4] get-tuple-element(w0), index=2 t1 = "
                      "(f32[4], f32[4], f32[4]) tuple(g, p1, o1) "
                      "w1 = (f32[4], f32[4], f32[4]) while(t1), condition=test1, body=turn1 ROOT o = f32[4] "
                      "get-tuple-element(w1), index=2 }",
     kListed, nullptr, true},
    {"WhileLoopsInterferingResultRange", "w0!=w1 w0{0}!=w1{0}",
     STEP_OF("0")
         STEP_OF("1") "\nENTRY e { i1 = f32[4] parameter(2) v1 = f32[4] parameter(3) one = f32[] constant(1) "
                      "o1 = f32[4] broadcast(one), dimensions={} t1 = (f32[4], f32[4], f32[4]) tuple(i1, v1, "
                      "o1) w1 = (f32[4], f32[4], f32[4]) while(t1), condition=test1, body=turn1 "
                      "i0 = f32[4] parameter(0) v0 = f32[4] parameter(1) z = f32[] constant(0) o0 = f32[4] "
                      "broadcast(z), dimensions={} t0 = (f32[4], f32[4], f32[4]) tuple(i0, v0, o0) w0 = "
                      "(f32[4], f32[4], f32[4]) while(t0), condition=test0, body=turn0 "
                      "g0 = f32[4] get-tuple-element(w0), index=0 g1 = f32[4] get-tuple-element(w1), index=1 "
                      "ROOT s = f32[4] add(g0, g1) }",
     PlannedFor::AnyOrder, nullptr, true},
#define TWO_LOOPS_OF(start)                                                                              \
  "\nc0 { q = s32[] parameter(0) ROOT yes = pred[] constant(true) }\nc1 { q1 = s32[] parameter(0) ROOT " \
  "yes1 = pred[] constant(true) }"                                                                       \
  "\nb0 { ROOT x = s32[] parameter(0) }\nb1 { y = s32[] parameter(0) ROOT a = s32[] add(y, y) }"         \
  "\nENTRY e { p = s32[] " start                                                                         \
  " w0 = s32[] while(p), condition=c0, body=b0 m = s32[] multiply(w0, w0) w1 = s32[] while(m), "         \
  "condition=c1, body=b1 ROOT o = s32[8,8] broadcast(w1), dimensions={} }"
    {"ColocatedBufferWithEntryParameter", "p==w0 p!=w1", TWO_LOOPS_OF("parameter(0)"), kListed, nullptr,
     true},
    {"ColocatedBufferWithConstant", "p==w0 p!=w1 p:const", TWO_LOOPS_OF("constant(42)"), kListed, nullptr,
     true},
    {"ColocatedBuffers", "t{0}!=t{1} t{1}==w0 t{1}==w1 t{0}==w2",
     "\nc0 { q0 = s32[] parameter(0) k0 = s32[] constant(4) ROOT l0 = pred[] compare(q0, k0), direction=LT "
     "}\nc1 { q1 = s32[] parameter(0) k1 = s32[] constant(4) ROOT l1 = pred[] compare(q1, k1), direction=LT }"
     "\nc2 { q2 = s32[] parameter(0) k2 = s32[] constant(4) ROOT l2 = pred[] compare(q2, k2), direction=LT "
     "}\nb0 { x0 = s32[] parameter(0) n0 = s32[] constant(9) ROOT a0 = s32[] add(x0, n0) }\nb1 { x1 = s32[] "
     "parameter(0) n1 = s32[] constant(9) ROOT a1 = s32[] add(x1, n1) }"
     "\nb2 { x2 = s32[] parameter(0) n2 = s32[] constant(9) ROOT a2 = s32[] add(x2, n2) }\nENTRY e { tk = "
     "token[] after-all() in = (s32[], token[]) infeed(tk) d = s32[] get-tuple-element(in), index=0 w0 = "
     "s32[] while(d), condition=c0, body=b0 w1 = s32[] while(w0), condition=c1, body=b1 "
     "z = s32[] constant(0) s = s32[] add(z, z) w2 = s32[] while(s), condition=c2, body=b2 ROOT t = (s32[], "
     "s32[]) tuple(w2, w1) }",
     kListed, nullptr, true},
    {"TwoCalls", "c1!=c2",
     "\nf { x = f32[] parameter(0) k = f32[] constant(1) ROOT s = f32[] add(x, k) }\nENTRY e { a = f32[] "
     "constant(2) b = f32[] constant(3) c1 = f32[] call(a), to_apply=f c2 = f32[] call(b), to_apply=f u = "
     "f32[] add(c1, a) ROOT v = f32[] add(c2, u) }",
     kBoth, nullptr, true},
    {"CallParamCoAllocation", "p==x{0} q==y k==x{1} k{0}==x{1,0} k{1}==x{1,1}",
     "\nf { x = (f32[9],(f32[8],f32[7])) parameter(0) y = s32[6] parameter(1) ROOT c = f32[] constant(1) }"
     "\nENTRY e { p = f32[9] parameter(0) q = s32[6] parameter(1) k = (f32[8],f32[7]) custom-call(), "
     "custom_call_target=\"t\" t = (f32[9],(f32[8],f32[7])) tuple(p, k) ROOT r = f32[] call(t, q), "
     "to_apply=f }"},
    {"WhileWithDynamicUpdateSliceShare", "d1==d2",
     "\nturn { p = (s32[], f32[12]) parameter(0) u = f32[3] constant({1,2,3}) g = f32[12] "
     "get-tuple-element(p), index=1 i = s32[] get-tuple-element(p), index=0 k = s32[] constant(3) n = s32[] "
     "add(i, k) "
     "d1 = f32[12] dynamic-update-slice(g, u, k) d2 = f32[12] dynamic-update-slice(d1, u, k) ROOT r = "
     "(s32[], f32[12]) tuple(n, d2) }\ntest { q = (s32[], f32[12]) parameter(0) j = s32[] "
     "get-tuple-element(q), index=0 three = s32[] constant(3) ROOT lt = pred[] compare(j, three), "
     "direction=LT }"
     "\nENTRY e { z = s32[] constant(0) c = s32[] copy(z) f = f32[] constant(0) b = f32[12] broadcast(f), "
     "dimensions={} t = (s32[], f32[12]) tuple(c, b) w = (s32[], f32[12]) while(t), condition=test, "
     "body=turn ROOT o = s32[] get-tuple-element(w), index=0 }",
     kBoth, nullptr, true},
    {"TupleSortSharesBuffers", "s{0}==a s{1}==i",
     "\nless { x = s32[] parameter(0) y = s32[] parameter(1) u = s32[] parameter(2) v = s32[] parameter(3) "
     "ROOT lt = pred[] compare(x, y), direction=LT }"
     "\nENTRY e { p = s32[] parameter(0) b = s32[8] broadcast(p), dimensions={} q = s32[8] parameter(1) a = "
     "s32[8] add(b, q) i = s32[8] iota(), iota_dimension=0 ROOT s = (s32[8], s32[8]) sort(a, i), "
     "dimensions={0}, to_apply=less, is_stable=true }",
     kListed, nullptr, true},
#define SMALL_AND_LARGE                                                                           \
  "\nENTRY e { p = f32[] parameter(0) small = f32[] negate(p) large = f32[50] broadcast(small), " \
  "dimensions={} ROOT t = (f32[], f32[50]) tuple(small, large) }"
    {"BiggestFirstOrder", "large<small", SMALL_AND_LARGE},
    {"TopologicalOrder", "small<large", SMALL_AND_LARGE, kBoth, topological},
    {"LiveRangeStartOrder", "small<large", SMALL_AND_LARGE, kListed, byStart},
    {"BufferAssignmentBuildsSuccessfullyWithDependencyOrdering", "p:param a:out",
     "\nENTRY e { p = f32[4] parameter(0) ROOT a = f32[4] add(p, p) }", kAny},
};

INSTANTIATE_TEST_SUITE_P(All, PlanRows, testing::ValuesIn(kRows),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace hilo
