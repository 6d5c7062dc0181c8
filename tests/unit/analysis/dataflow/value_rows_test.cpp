// What is where, one module a row. Words about positions: "x=y+z" the values there by where they are made
// (phis as "phi:w{1}"), "x?" a value is made there, "x!?" none is, "x><y" both are needed at once, "x<>y"
// never, "x->y" may be written over by, "x!>y" may not, "x@y" in one buffer, "x!@y" in two, "x.in=0{}->{1}"
// the pairs x updates in place, "x.flat=3" how many values x holds at any depth, "x.range=1-4" live from
// step to step.
#include <absl/strings/str_split.h>

#include "core/analysis/backend.h"
#include "core/analysis/dataflow/alias_rules.h"
#include "core/analysis/dataflow/operand_sharing.h"
#include "core/analysis/dataflow/value_live_ranges.h"
#include "core/analysis/dataflow/value_order.h"
#include "tests/unit/analysis/dataflow/dataflow_text.h"

namespace hilo {
namespace {

struct ValueRow {
  const char* name;
  const char* words;
  const char* module;
  bool ssa = true;
};

class ValueRows : public testing::TestWithParam<ValueRow> {
 protected:
  HloPosition position(std::string_view text) const { return positionOf(*m_->module, text); }
  const HloValue& valueAt(std::string_view text) const {
    const HloPosition at = position(text);
    return m_->dataflow->uniqueValueAt(*at.instruction, at.index);
  }

  bool shareBuffer(std::string_view a, std::string_view b) const {
    const auto aliases = AliasAnalysis::run(*m_->module);
    EXPECT_TRUE(aliases);
    const HloPosition x = position(a), y = position(b);
    return aliases->buffersAt(*x.instruction, x.index) == aliases->buffersAt(*y.instruction, y.index);
  }

  bool mayBeWrittenOver(std::string_view a, std::string_view b) const {
    const HloPosition x = position(a), y = position(b);
    return canShareOperandBuffer(*m_->dataflow, *x.instruction, x.index, *y.instruction, y.index,
                                 Backend::Cpu);
  }

  bool interfere(std::string_view a, std::string_view b) const {
    ExecutionOrder execution(*m_->module, m_->dataflow->callGraph());
    return ValueOrder(*m_->dataflow, execution, Backend::Cpu).mayInterfere(valueAt(a), valueAt(b));
  }

  std::string fact(std::string_view name, std::string_view what) const {
    const HloPosition at = position(name);
    if (what == "flat") return std::to_string(m_->dataflow->flattenedValues(*at.instruction).size());
    if (what == "range") {
      const auto aliases = AliasAnalysis::run(*m_->module);
      const ValueLiveRanges ranges(*aliases);
      const auto& range = ranges.of(aliases->dataflow().uniqueValueAt(*at.instruction, at.index).id);
      return range ? fmt::format("{}-{}", range->start, range->end) : "none";
    }
    EXPECT_EQ(what, "in");
    std::vector<std::string> pairs;
    for (const InPlacePair& pair : inPlacePairs(*at.instruction))
      pairs.push_back(fmt::format("{}{}->{}", pair.operandNumber, toString(pair.operandIndex),
                                  toString(pair.outputIndex)));
    return fmt::format("{}", fmt::join(pairs, "+"));
  }

  void check(std::string_view word) const {
    const size_t equal = word.find('=');
    if (equal != word.npos) {
      const std::string_view left = word.substr(0, equal), right = word.substr(equal + 1);
      const size_t dot = left.rfind('.');
      if (dot != left.npos) {
        EXPECT_EQ(fact(left.substr(0, dot), left.substr(dot + 1)), right) << word;
        return;
      }
      std::string found = m_->at(left);
      std::ranges::replace(found, ' ', '+');
      EXPECT_EQ(found, right) << word;
      return;
    }
    if (word.ends_with("?")) {
      const bool made = !word.ends_with("!?");
      const HloPosition at = position(word.substr(0, word.size() - (made ? 1 : 2)));
      EXPECT_EQ(m_->dataflow->isDefinedAt(*at.instruction, at.index), made) << word;
      return;
    }
    using Relation = bool (ValueRows::*)(std::string_view, std::string_view) const;
    const std::tuple<std::string_view, Relation, bool> relations[] = {
        {"><", &ValueRows::interfere, true},        {"<>", &ValueRows::interfere, false},
        {"->", &ValueRows::mayBeWrittenOver, true}, {"!>", &ValueRows::mayBeWrittenOver, false},
        {"!@", &ValueRows::shareBuffer, false},     {"@", &ValueRows::shareBuffer, true}};
    for (const auto& [sign, relation, expected] : relations) {
      const size_t at = word.find(sign);
      if (at == word.npos) continue;
      EXPECT_EQ((this->*relation)(word.substr(0, at), word.substr(at + sign.size())), expected) << word;
      return;
    }
    ADD_FAILURE() << "no such word: " << word;
  }

  std::unique_ptr<DataflowText> m_;
};

TEST_P(ValueRows, AreAsXlaHasThem) {
  m_ = std::make_unique<DataflowText>(std::string("HloModule m") + GetParam().module,
                                      DataflowOptions{.ssaForm = GetParam().ssa});
  for (const absl::string_view word : absl::StrSplit(GetParam().words, ' ', absl::SkipEmpty()))
    check({word.data(), word.size()});
}

#define FUSED_UPDATE                                                                                  \
  "\nfused { p = f32[8] parameter(0) u = f32[2] parameter(1) i = s32[] parameter(2) ROOT d = f32[8] " \
  "dynamic-update-slice(p, u, i) }"
#define ARGUMENTS "a = f32[8] parameter(0) v = f32[2] parameter(1) j = s32[] parameter(2) "
#define IN_TWO_TURNS(n, of)                                                                              \
  "\nc" n " { q" n " = (f32[], f32[]) parameter(0) ROOT f" n " = pred[] constant(false) }\nb" n " { p" n \
  " = (f32[], f32[]) parameter(0) x" n " = f32[] get-tuple-element(p" n "), index=0 y" n                 \
  " = f32[] get-tuple-element(p" n "), index=1 s" n " = f32[] add(x" n ", y" n ") ROOT r" n              \
  " = (f32[], f32[]) tuple(x" n ", s" n ") }"
#define LATE(root)                                                                                     \
  "\nwrapped { q = f32[9] parameter(0) ROOT k = f32[9] " root                                          \
  " }\nENTRY e { p = f32[9] parameter(0) s = ((f32[9]), (), s32[]) async-start(p), calls=wrapped u = " \
  "((f32[9]), f32[9], s32[]) async-update(s) ROOT d = f32[9] async-done(u) }"

const ValueRow kRows[] = {
    {"SequentialWhiles",
     "w0{0}=a w1{0}=a w2{0}=a w0{1}=phi:w0{1} w1{1}=phi:w1{1} w2{1}=phi:w2{1} p2{1}=phi:p2{1}",
     IN_TWO_TURNS("0", "") IN_TWO_TURNS("1", "")
         IN_TWO_TURNS("2", "") "\nENTRY e { a = f32[] constant(1) b = f32[] constant(2) t = (f32[], f32[]) "
                               "tuple(a, b) w0 = (f32[], f32[]) while(t), condition=c0, body=b0 "
                               "w1 = (f32[], f32[]) while(w0), condition=c1, body=b1 ROOT w2 = (f32[], "
                               "f32[]) while(w1), condition=c2, body=b2 }"},
    {"SequentialWhilesWithoutPhis",
     "w0{0}=a w2{0}=a w0{1}=b+s0 w1{1}=b+s0+s1 w2{1}=b+s0+s1+s2 p2{1}=b+s0+s1+s2",
     IN_TWO_TURNS("0", "") IN_TWO_TURNS("1", "")
         IN_TWO_TURNS("2", "") "\nENTRY e { a = f32[] constant(1) b = f32[] constant(2) t = (f32[], f32[]) "
                               "tuple(a, b) w0 = (f32[], f32[]) while(t), condition=c0, body=b0 "
                               "w1 = (f32[], f32[]) while(w0), condition=c1, body=b1 ROOT w2 = (f32[], "
                               "f32[]) while(w1), condition=c2, body=b2 }",
     false},
    {"ArraySelect", "s=s s? s<>n",
     "\nENTRY e { k = pred[] parameter(0) a = f32[] parameter(1) n = f32[] negate(a) ROOT s = f32[] "
     "select(k, a, n) }"},
    {"LateBoundAsyncUpdateTypeSafety", "u{1}=s d=s",
     "\nf { x = f32[9] parameter(0) ROOT s = f32[9] add(x, x) }\nwrapped { q = f32[9] parameter(0) ROOT c = "
     "f32[9] call(q), to_apply=f }"
     "\nENTRY e { p = f32[9] parameter(0) st = ((f32[9]), (), s32[]) async-start(p), calls=wrapped u = "
     "((f32[9]), f32[9], s32[]) async-update(st) ROOT d = f32[9] async-done(u) }"},
    {"AsyncUpdateChainParameters", "x=p y=q",
     "\nf { x = f32[2,3] parameter(0) y = f32[2,3] parameter(1) ROOT s = f32[2,3] add(x, y) }"
     "\nENTRY e { p = f32[2,3] parameter(0) q = f32[2,3] parameter(1) st = ((f32[2,3]), f32[2,3], u32[]) "
     "async-start(p), calls=f u = ((f32[2,3], f32[2,3]), f32[2,3], u32[]) async-update(st, q) ROOT d = "
     "f32[2,3] async-done(u) }"},
    {"AsyncOpsWithTokenOutput", "st{0,0}=k st{0,1}=p st{1}!? st{1}=c u{1}!? u{1}=c d=c",
     "\nf { x = token[] parameter(0) y = f32[] parameter(1) ROOT c = token[] custom-call(x, y), "
     "custom_call_target=\"t\", custom_call_has_side_effect=true }"
     "\nENTRY e { k = token[] after-all() p = f32[] parameter(0) st = ((token[], f32[]), token[], u32[]) "
     "async-start(k, p), calls=f u = ((token[], f32[]), token[], u32[]) async-update(st) ROOT d = token[] "
     "async-done(u) }"},
    {"TupleShapedAsyncOp", "st{1}? u{1}? d? st{0,0}=p st{2}? u{0,0}=p u{2}=st{2}",
     "\nENTRY e { p = f32[2,3] parameter(0) st = ((f32[2,3]), (f32[2,3], f32[2,3]), u32[]) "
     "custom-call-start(p), custom_call_target=\"t\" "
     "u = ((f32[2,3]), (f32[2,3], f32[2,3]), u32[]) custom-call-update(st) ROOT d = (f32[2,3], f32[2,3]) "
     "custom-call-done(u) }"},
    {"NonElementwiseOperand", "p><n n><r",
     "\nENTRY e { p = f32[9] parameter(0) n = f32[9] negate(p) r = f32[9] reverse(n), dimensions={0} ROOT s "
     "= f32[9] add(r, p) }"},
    {"OverlappedValuesSequentialOrder", "p><n p<>x p<>a n><x x><n n<>a a<>n x<>a a<>x",
     ", is_scheduled=true\nENTRY e { p = f32[9] parameter(0) n = f32[9] negate(p) x = f32[9] exponential(p) "
     "ROOT a = f32[9] add(n, x) }"},
    {"EmbeddedComputationInterference", "x<>l n><l",
     "\nf { y = f32[9] parameter(0) ROOT l = f32[9] log(y) }\nENTRY e { p = f32[9] parameter(0) n = f32[9] "
     "negate(p) x = f32[9] exponential(p) c = f32[9] call(x), to_apply=f ROOT a = f32[9] add(n, c) }"},
    {"GetFlattenedValueSet", "t.flat=3",
     "\nENTRY e { p = s32[9] parameter(0) a = s32[9] copy(p) b = s32[9] copy(p) ROOT t = (s32[9], s32[9]) "
     "tuple(a, b) }"},
    {"OptimizePhiInNonSingletonValueSets", "x=a+b",
     "\nf { x = f32[] parameter(0) ROOT n = f32[] negate(x) }\nbody { ROOT y = f32[] parameter(0) }\ncond { "
     "z = f32[] parameter(0) ROOT no = pred[] constant(false) }"
     "\nENTRY e { a = f32[] constant(1) b = f32[] constant(2) w = f32[] while(a), condition=cond, body=body "
     "c1 = f32[] call(w), to_apply=f c2 = f32[] call(b), to_apply=f ROOT t = (f32[], f32[]) tuple(c1, c2) }"},
#define BITCAST_LOOP(shape)                                                                                  \
  "\nbody { y = f32[6] parameter(0) k = f32[6] constant({1,1,1,1,1,1}) ROOT s = f32[6] add(y, k) }\ncond { " \
  "z = f32[6] parameter(0) ROOT no = pred[] constant(false) }"                                               \
  "\nENTRY e { p = f32" shape                                                                                \
  " parameter(0) b = f32[6] bitcast(p) w = f32[6] while(b), condition=cond, body=body ROOT r = f32" shape    \
  " bitcast(w) }"
    {"b409416499", "r=p+s", BITCAST_LOOP("[1,6]"), false},
    {"b409756077", "r=p+s w=p+s", BITCAST_LOOP("[2,3]"), false},
    {"AsyncUpdateMismatchedContextShape", "st{2}? u{1}=st.async_wrapped.op",
     "\nENTRY e { p = f32[2,3] parameter(0) st = ((f32[2,3]), f32[2,3], u32[]) custom-call-start(p), "
     "custom_call_target=\"t\" u = ((f32[2,3]), f32[2,3]) custom-call-update(st) ROOT d = f32[2,3] "
     "custom-call-done(u) }"},
    {"LateBoundOutputDataflow", "d=k k?", LATE("custom-call(q), custom_call_target=\"t\"")},
    {"LateBoundOutputBufferDataflow", "d=k u{1}=k", LATE("negate(q)")},
    {"LateBoundNestedTupleOutputDataflow", "d{0}=p d{1}=p",
     "\nwrapped { q = f32[9] parameter(0) ROOT t = (f32[9], f32[9]) tuple(q, q) }\nENTRY e { p = f32[9] "
     "parameter(0) s = ((f32[9]), (), s32[]) async-start(p), calls=wrapped u = ((f32[9]), (f32[9], f32[9]), "
     "s32[]) async-update(s) ROOT d = (f32[9], f32[9]) async-done(u) }"},
    {"AliasInfoPropagation", "k@s{0,0} s{0,0}=k",
     "\nf { ROOT x = f32[] parameter(0) }\nENTRY e { k = f32[] constant(1) s = ((f32[]), (), s32[]) "
     "async-start(k), calls=f, output_to_operand_aliasing={{0,0}: (0, {})} u = ((f32[]), f32[], s32[]) "
     "async-update(s) ROOT d = f32[] async-done(u) }"},
    {"DUSAndAsyncInLoop", "d@o p{1}@o w{1}@o w{1}@v",
     "\nf { x = f32[9] parameter(0) ROOT b = f32[9] bitcast(x) }\nbody { p = (s32[], f32[9]) parameter(0) i "
     "= s32[] get-tuple-element(p), index=0 v = f32[9] get-tuple-element(p), index=1 one = s32[] constant(1) "
     "n = s32[] add(i, one) "
     "s = ((f32[9]), (), s32[]) async-start(v), calls=f u = ((f32[9]), f32[9], s32[]) async-update(s) d = "
     "f32[9] async-done(u) c = f32[2] constant({1,2}) z = s32[] constant(0) o = f32[9] "
     "dynamic-update-slice(d, c, z) ROOT r = (s32[], f32[9]) tuple(n, o) }"
     "\ncond { q = (s32[], f32[9]) parameter(0) j = s32[] get-tuple-element(q), index=0 ten = s32[] "
     "constant(10) ROOT lt = pred[] compare(j, ten), direction=LT }\nENTRY e { z0 = s32[] constant(0) x0 = "
     "f32[9] parameter(0) t = (s32[], f32[9]) tuple(z0, x0) ROOT w = (s32[], f32[9]) while(t), "
     "condition=cond, body=body }"},
    {"NonElementwiseLoopFusionCantAliasOperandBuffer", "a!>f",
     "\nfused { p = f32[2,2] parameter(0) n = f32[2,2] negate(p) ROOT r = f32[2,2] reverse(n), "
     "dimensions={0,1} }\nENTRY e { a = f32[2,2] parameter(0) ROOT f = f32[2,2] fusion(a), kind=kLoop, "
     "calls=fused }"},
    {"MultiOutputFusionCanAliasOperandBuffer", "a->f{0} a->f{1} b->f{0} b->f{1}",
     "\nfused { p = f32[8] parameter(0) q = f32[8] parameter(1) c = f32[8] copy(p) d = f32[8] copy(q) ROOT t "
     "= (f32[8], f32[8]) tuple(d, c) }\nENTRY e { a = f32[8] parameter(0) b = f32[8] parameter(1) ROOT f = "
     "(f32[8], f32[8]) fusion(a, b), kind=kLoop, calls=fused }"},
    {"ElementwiseLoopFusionCantAliasOperandBuffer", "b->f",
     "\nfused { p = f32[2,2] parameter(0) n = f32[2,2] negate(p) ROOT x = f32[2,2] exponential(n) }\nENTRY e "
     "{ k = f32[] constant(1) b = f32[2,2] broadcast(k), dimensions={} ROOT f = f32[2,2] fusion(b), "
     "kind=kLoop, calls=fused }"},
    {"CanShareOperandWhenDynamicUpdateSliceIsFedByDynamicSliceWithSameIndex", "a->f",
     "\nfused { p = f32[2,2] parameter(0) z = s64[] constant(0) s = f32[1,2] dynamic-slice(p, z, z), "
     "dynamic_slice_sizes={1,2} ROOT d = f32[2,2] dynamic-update-slice(p, s, z, z) }\nENTRY e { a = f32[2,2] "
     "parameter(0) ROOT f = f32[2,2] fusion(a), kind=kLoop, calls=fused }"},
    {"DUSWithSliceWithSameIndices", "a->f",
     "\nfused { p = f32[4,6] parameter(0) i = s32[] parameter(1) j = s32[] parameter(2) s = f32[1,6] "
     "dynamic-slice(p, i, j), dynamic_slice_sizes={1,6} ROOT d = f32[4,6] dynamic-update-slice(p, s, i, j) "
     "}\nENTRY e { a = f32[4,6] parameter(0) x = s32[] parameter(1) y = s32[] parameter(2) ROOT f = f32[4,6] "
     "fusion(a, x, y), kind=kLoop, calls=fused }"},
    {"FusedDynamicUpdateSlice", "t{0}!>f t{1}->f",
     "\nfused { p = (f32[8], f32[8]) parameter(0) g = f32[8] get-tuple-element(p), index=1 u = f32[3] "
     "parameter(1) i = s32[] parameter(2) ROOT d = f32[8] dynamic-update-slice(g, u, i) }"
     "\nENTRY e { t = (f32[8], f32[8]) parameter(0) h = f32[8] get-tuple-element(t), index=0 s = s32[] "
     "constant(2) v = f32[3] constant({2,2,2}) f = f32[8] fusion(t, v, s), kind=kLoop, calls=fused ROOT o = "
     "(f32[8], f32[8]) tuple(h, f) }"},
    {"FusedDynamicUpdateSliceWithConvertCanShare", "g->f",
     "\nfused { p = f32[8] parameter(0) c = bf16[8] convert(p) i = s32[] constant(2) u = bf16[3] "
     "constant({2,2,2}) d = bf16[8] dynamic-update-slice(c, u, i) ROOT r = f32[8] convert(d) }"
     "\nENTRY e { t = (f32[8], f32[8]) parameter(0) h = f32[8] get-tuple-element(t), index=0 g = f32[8] "
     "get-tuple-element(t), index=1 f = f32[8] fusion(g), kind=kLoop, calls=fused ROOT o = (f32[8], f32[8]) "
     "tuple(h, f) }"},
    {"MultioutputScatterCanShare",
     "a->s{0} a!>s{1} b!>s{0} b->s{1} i!>s{0} i!>s{1} u!>s{0} u!>s{1} v!>s{0} v!>s{1}",
     "\ntwo { x = s32[] parameter(0) y = f32[] parameter(1) z = s32[] parameter(2) w = f32[] parameter(3) "
     "ROOT t = (s32[], f32[]) tuple(z, w) }"
     "\nENTRY e { a = s32[3,3] parameter(0) b = f32[3,3] parameter(1) i = s32[2] parameter(2) u = s32[2,3] "
     "parameter(3) v = f32[2,3] parameter(4) ROOT s = (s32[3,3], f32[3,3]) scatter(a, b, i, u, v), "
     "to_apply=two, update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1 }"},
    {"SortCanShareWithTupleUser", "k->s{0} v->s{1} k!>s{1} v!>s{0}",
     "\nless { x = f32[] parameter(0) y = f32[] parameter(1) z = f32[] parameter(2) w = f32[] parameter(3) "
     "ROOT lt = pred[] compare(x, z), direction=LT }\nENTRY e { k = f32[8] parameter(0) v = f32[8] "
     "parameter(1) ROOT s = (f32[8], f32[8]) sort(k, v), dimensions={0}, to_apply=less }"},
    {"OutputFusionCantAliasOperandBuffer", "b!>f",
     "\nfused { p = f32[2,2] parameter(0) r = f32[2,2] reverse(p), dimensions={0,1} k = f32[2,2] "
     "constant({{2,2},{2,2}}) ROOT s = f32[2,2] add(r, k) }\nENTRY e { one = f32[] constant(1) b = f32[2,2] "
     "broadcast(one), dimensions={} ROOT f = f32[2,2] fusion(b), kind=kOutput, calls=fused }"},
    {"WhileCanShare", "a->w",
     "\nboth { x = pred[] parameter(0) y = pred[] parameter(1) ROOT b = pred[] and(x, y) }\ncond { q = "
     "f32[8] parameter(0) c = pred[8] compare(q, q), direction=EQ t = pred[] constant(true) ROOT r = pred[] "
     "reduce(c, t), dimensions={0}, to_apply=both }"
     "\nbody { p = f32[8] parameter(0) ROOT s = f32[8] add(p, p) }\nENTRY e { a = f32[8] parameter(0) ROOT w "
     "= f32[8] while(a), condition=cond, body=body }"},
    {"CallToComputationWithFusionRoot", "v->c",
     "\nfused { p = f32[8] parameter(0) k = f32[] constant(1) b = f32[8] broadcast(k), dimensions={} ROOT s "
     "= f32[8] add(p, b) }\nsub { x = f32[8] parameter(0) ROOT f = f32[8] fusion(x), kind=kLoop, calls=fused "
     "}"
     "\nENTRY e { a = f32[8] parameter(0) v = f32[8] reverse(a), dimensions={0} ROOT c = f32[8] call(v), "
     "to_apply=sub }"},
    // Aliases.
    {"WhileOperandWithMultipleValues", "w@t{0} w!@t{1}",
     "\nc { q = (f32[], f32[]) parameter(0) ROOT no = pred[] constant(false) }\nb { p = (f32[], f32[]) "
     "parameter(0) x = f32[] get-tuple-element(p), index=0 y = f32[] get-tuple-element(p), index=1 s = f32[] "
     "add(x, y) ROOT r = (f32[], f32[]) tuple(x, s) }"
     "\nENTRY e { a = f32[] parameter(0) k = pred[] parameter(1) n = f32[] negate(a) s0 = f32[] select(k, a, "
     "n) t = (f32[], f32[]) tuple(s0, n) v = (f32[], f32[]) while(t), condition=c, body=b w = f32[] "
     "get-tuple-element(v), index=0 z = f32[] get-tuple-element(v), index=1 ROOT o = f32[] add(w, z) }"},
    {"AliasSequentialWhiles", "w0{1}@w1{1} w1{1}@w2{1} w0{0}@w2{0} w2{1}@b w2{0}@a",
     IN_TWO_TURNS("0", "") IN_TWO_TURNS("1", "")
         IN_TWO_TURNS("2", "") "\nENTRY e { a = f32[] constant(1) b = f32[] constant(2) t = (f32[], f32[]) "
                               "tuple(a, b) w0 = (f32[], f32[]) while(t), condition=c0, body=b0 "
                               "w1 = (f32[], f32[]) while(w0), condition=c1, body=b1 ROOT w2 = (f32[], "
                               "f32[]) while(w1), condition=c2, body=b2 }"},
    {"AliasNestedWhiles", "w{1}@s0 w{0}@n v{1}@s0 v{0}@n p1{0}@a p1{1}@b",
     IN_TWO_TURNS("0", "") "\nc1 { q1 = (f32[], f32[]) parameter(0) ROOT f1 = pred[] constant(false) }\nb1 { "
                           "p1 = (f32[], f32[]) parameter(0) x1 = f32[] get-tuple-element(p1), index=0 n = "
                           "f32[] negate(x1) y1 = f32[] get-tuple-element(p1), index=1 t1 = (f32[], f32[]) "
                           "tuple(n, y1) ROOT w = (f32[], f32[]) while(t1), condition=c0, body=b0 }"
                           "\nENTRY e { a = f32[] constant(1) b = f32[] constant(2) t = (f32[], f32[]) "
                           "tuple(a, b) ROOT v = (f32[], f32[]) while(t), condition=c1, body=b1 }"},
    {"AliasSwizzlingWhile", "w{0}@w{1} w{1}@w{2} w{0}@a p{2}@q{1}",
     "\nc { q = (f32[], f32[], f32[]) parameter(0) ROOT no = pred[] constant(false) }\nb { p = (f32[], "
     "f32[], f32[]) parameter(0) x = f32[] get-tuple-element(p), index=0 y = f32[] get-tuple-element(p), "
     "index=1 z = f32[] get-tuple-element(p), index=2 ROOT r = (f32[], f32[], f32[]) tuple(y, z, x) }"
     "\nENTRY e { a = f32[] constant(1) d = f32[] constant(2) f = f32[] constant(3) t = (f32[], f32[], "
     "f32[]) tuple(a, d, f) ROOT w = (f32[], f32[], f32[]) while(t), condition=c, body=b }"},
    {"AliasBitcast", "k@b", "\nENTRY e { k = f32[4] constant({1,2,3,4}) ROOT b = f32[2,2] bitcast(k) }"},
    {"MegachipLateBindingAsyncChain_CrossOperands", "a@d{1} b@d{0} a!@b",
     "\nf { x = f32[4] parameter(0) y = f32[4] parameter(1) ROOT t = (f32[4], f32[4]) tuple(y, x) }\nENTRY e "
     "{ a = f32[4] parameter(0) b = f32[4] parameter(1) s = ((), (), s32[]) async-start(), calls=f u = "
     "((f32[4], f32[4]), (f32[4], f32[4]), s32[]) async-update(s, a, b) ROOT d = (f32[4], f32[4]) "
     "async-done(u) }"},
    // Pairs of what is updated in place.
    {"AsyncStartDefaultAliasing", "s.in=",
     "\nf { x = f32[4] parameter(0) ROOT a = f32[4] abs(x) }\nENTRY e { p = f32[4] parameter(0) s = "
     "((f32[4]), f32[4], s32[]) async-start(p), calls=f ROOT d = f32[4] async-done(s) }"},
    {"AsyncStartForwardedOperand", "s.in=0{}->{1} d.in=0{0,0}->{}",
     "\nf { x = f32[4] parameter(0) ROOT a = f32[4] abs(x) }\nENTRY e { p = f32[4] parameter(0) s = "
     "((f32[4]), f32[4], s32[]) async-start(p), calls=f, output_to_operand_aliasing={{1}: (0, {})} ROOT d = "
     "f32[4] async-done(s) }"},
    {"AsyncStart_LateBinding", "s.in= u.in=1{}->{1} d.in=0{0,0}->{}",
     "\nf { x = f32[4] parameter(0) ROOT a = f32[4] abs(x) }\nENTRY e { p = f32[4] parameter(0) s = ((), (), "
     "s32[]) async-start(), calls=f, output_to_operand_aliasing={{1}: (0, {})} u = ((f32[4]), f32[4]) "
     "async-update(s, p) ROOT d = f32[4] async-done(u) }"},
    {"AsyncStartWithOutputOperandAliasing", "s.in=0{1,0}->{0,0,1,0}+0{1,1}->{0,0,1,1}",
     "\nf { x = (f32[4], (f32[4], u32[])) parameter(0) g = f32[4] get-tuple-element(x), index=0 ROOT n = "
     "f32[4] negate(g) }\nENTRY e { p = f32[4] parameter(0) c = (f32[4], u32[]) custom-call(), "
     "custom_call_target=\"t\" t = (f32[4], (f32[4], u32[])) tuple(p, c) "
     "s = (((f32[4], (f32[4], u32[]))), f32[4], u32[]) async-start(t), calls=f, "
     "output_to_operand_aliasing={{0,0,1,0}: (0, {1,0}), {0,0,1,1}: (0, {1,1})} ROOT d = f32[4] "
     "async-done(s) }"},
    {"DUSFusion", "f.in=0{}->{}",
     FUSED_UPDATE "\nENTRY e { " ARGUMENTS "ROOT f = f32[8] fusion(a, v, j), kind=kLoop, calls=fused }"},
    {"NonDUSFusion", "f.in= g.in=0{}->{}",
     "\nfused { p = f32[8] parameter(0) q = f32[8] parameter(1) ROOT s = f32[8] add(p, q) }\nENTRY e { a = "
     "f32[8] parameter(0) b = f32[8] parameter(1) f = f32[8] fusion(a, b), kind=kLoop, calls=fused ROOT g = "
     "f32[8] fusion(f, b), kind=kLoop, calls=fused, output_to_operand_aliasing={{}: (0, {})} }"},
    {"NestedDUSFusion", "f.in=0{}->{}",
     FUSED_UPDATE "\nouter { p1 = f32[8] parameter(0) u1 = f32[2] parameter(1) i1 = s32[] parameter(2) ROOT "
                  "g = f32[8] fusion(p1, u1, i1), kind=kLoop, calls=fused }\nENTRY e { " ARGUMENTS
                  "ROOT f = f32[8] fusion(a, v, j), kind=kLoop, calls=outer }"},
    {"NestedFusionBodyAliasingThroughBitcast", "f.in=0{}->{}",
     FUSED_UPDATE
     "\nouter { p1 = f32[8] parameter(0) u1 = f32[2] parameter(1) i1 = s32[] parameter(2) g = f32[8] "
     "fusion(p1, u1, i1), kind=kLoop, calls=fused ROOT b = f32[2,4] bitcast(g) }\nENTRY e { " ARGUMENTS
     "ROOT f = f32[2,4] fusion(a, v, j), kind=kLoop, calls=outer }"},
    {"NestedFusionAnnotationNotInheritedThroughBitcast", "f.in=",
     "\nfused { p = f32[8] parameter(0) ROOT n = f32[8] negate(p) }\nouter { p1 = f32[8] parameter(0) g = "
     "f32[8] fusion(p1), kind=kLoop, calls=fused, output_to_operand_aliasing={{}: (0, {})} ROOT b = f32[2,4] "
     "bitcast(g) }\nENTRY e { a = f32[8] parameter(0) ROOT f = f32[2,4] fusion(a), kind=kLoop, calls=outer "
     "}"},
    {"NestedMultiOutputDUSFusion", "f.in=0{}->{1}",
     "\nfused { p = f32[8] parameter(0) u = f32[2] parameter(1) i = s32[] parameter(2) d = f32[8] "
     "dynamic-update-slice(p, u, i) ROOT t = (f32[2], f32[8]) tuple(u, d) }\nouter { p1 = f32[8] "
     "parameter(0) u1 = f32[2] parameter(1) i1 = s32[] parameter(2) g = (f32[2], f32[8]) fusion(p1, u1, i1), "
     "kind=kLoop, calls=fused "
     "x = f32[2] get-tuple-element(g), index=0 n = f32[2] negate(x) y = f32[8] get-tuple-element(g), index=1 "
     "ROOT t1 = (f32[2], f32[8]) tuple(n, y) }\nENTRY e { " ARGUMENTS
     "ROOT f = (f32[2], f32[8]) fusion(a, v, j), kind=kLoop, calls=outer }"},
    {"DUSLoopFusionWithBitcast", "f.in=0{}->{}",
     "\nfused { p = f32[2,4] parameter(0) u = f32[2] parameter(1) i = s32[] parameter(2) b = f32[8] "
     "bitcast(p) d = f32[8] dynamic-update-slice(b, u, i) ROOT r = f32[2,4] bitcast(d) }\nENTRY e { a = "
     "f32[2,4] parameter(0) v = f32[2] parameter(1) j = s32[] parameter(2) ROOT f = f32[2,4] fusion(a, v, "
     "j), kind=kLoop, calls=fused }"},
    {"CollectivePermuteStartNotInplace", "s.in=",
     "\nENTRY e { a = f32[8] parameter(0) s = (f32[8], f32[8], u32[], u32[]) collective-permute-start(a), "
     "source_target_pairs={{0,1}} ROOT d = f32[8] collective-permute-done(s) }"},
    {"NestedLoopWithAliasingInDUSFusion", "f.in=0{0}->{}",
     "\ncopies { x = s8[8,4] parameter(0) ROOT c = s8[8,4] copy(x) }\nfused { p = (s8[8,4], s8[1,4]) "
     "parameter(0) g = s8[8,4] get-tuple-element(p), index=0 h = s8[1,4] get-tuple-element(p), index=1 "
     "n = s8[8,4] fusion(g), kind=kLoop, calls=copies, output_to_operand_aliasing={{}: (0, {})} u = s8[1,4] "
     "parameter(1) s = s8[1,4] add(h, u) i = s32[] parameter(2) z = s32[] constant(0) ROOT d = s8[8,4] "
     "dynamic-update-slice(n, s, i, z) }"
     "\nENTRY e { a = (s8[8,4], s8[1,4]) parameter(0) v = s8[1,4] parameter(1) j = s32[] parameter(2) ROOT f "
     "= s8[8,4] fusion(a, v, j), kind=kLoop, calls=fused }"},
    {"DUSLoopFusionWithCollective", "f.in=0{}->{1}",
     "\nsum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }\nfused { p = f32[8] "
     "parameter(0) u = f32[2] parameter(1) i = s32[] parameter(2) n = f32[2] negate(u) r = f32[2] "
     "all-reduce(u), replica_groups={{0,1}}, to_apply=sum "
     "d = f32[8] dynamic-update-slice(p, r, i) ROOT t = (f32[2], f32[8]) tuple(n, d) }\nENTRY e { " ARGUMENTS
     "ROOT f = (f32[2], f32[8]) fusion(a, v, j), kind=kLoop, calls=fused }"},
    {"DUSOutputFusionWithCollective", "f.in=0{}->{1}",
     "\nsum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }\nfused { p = f32[8] "
     "parameter(0) u = f32[2] parameter(1) m = f32[2,2] parameter(2) c = f32[2] dot(m, u), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0} "
     "r = f32[2] all-reduce(u), replica_groups={{0,1}}, to_apply=sum i = s32[] constant(2) d = f32[8] "
     "dynamic-update-slice(p, r, i) ROOT t = (f32[2], f32[8]) tuple(c, d) }\nENTRY e { a = f32[8] "
     "parameter(0) v = f32[2] parameter(1) w = f32[2,2] parameter(2) ROOT f = (f32[2], f32[8]) fusion(a, v, "
     "w), kind=kOutput, calls=fused }"},
    {"MustAliasTest", "d.in=0{}->{} a@d v!@d",
     "\nENTRY e { a = f32[4,4] parameter(0) v = f32[2,2] parameter(1) z = s32[] constant(0) ROOT d = "
     "f32[4,4] dynamic-update-slice(a, v, z, z) }"},
    // Live ranges.
    {"LiveRangeMultiply", "a.range=0-3 x.range=0-3 m.range=2-3",
     ", is_scheduled=true\nENTRY e { a = f32[] parameter(0) x = f32[] parameter(1) ROOT m = f32[] "
     "multiply(a, x) }"},
    {"LiveOutBuffers", "a.range=0-5 m.range=2-5 s.range=3-5 t{}.range=4-5",
     ", is_scheduled=true\nENTRY e { a = f32[4] parameter(0) x = f32[4] parameter(1) m = f32[4] multiply(a, "
     "x) s = f32[4] add(m, x) ROOT t = (f32[4], f32[4]) tuple(m, s) }"},
    {"InstructionScheduledAfterRoot", "a.range=0-6 s.range=3-6 t{}.range=4-6 n.range=5-5",
     ", is_scheduled=true\nENTRY e { a = f32[4] parameter(0) x = f32[4] parameter(1) m = f32[4] multiply(a, "
     "x) s = f32[4] add(m, x) ROOT t = (f32[4], f32[4]) tuple(m, s) n = f32[4] negate(x) }"},
    {"LiveRangeCall", "p.range=0-6 y.range=2-3 z.range=3-5",
     ", is_scheduled=true\nf { x = f32[4] parameter(0) y = f32[4] negate(x) ROOT z = f32[4] sine(y) }\nENTRY "
     "e { p = f32[4] parameter(0) c = f32[4] call(p), to_apply=f ROOT k = f32[4] cosine(c) }"},
};

INSTANTIATE_TEST_SUITE_P(All, ValueRows, testing::ValuesIn(kRows),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace hilo
