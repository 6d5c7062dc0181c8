// Which copies are added, which go, and why: the properties XLA's copy_insertion_test.cc asserts, and the one
// that matters, that afterwards no two values of one buffer are needed at the same time.
#include "core/compiler/passes/memory/copy_insertion.h"
#include "core/analysis/backend.h"

#include <gtest/gtest.h>

#include "core/analysis/dataflow/alias_analysis.h"
#include "core/analysis/dataflow/value_order.h"
#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/verify/verify.h"
#include "tests/support/random_module.h"

namespace hilo {
namespace {

// The first pair of values that share a buffer and interfere; "" when there is none.
std::string interference(const Module& module) {
  const auto aliases = AliasAnalysis::run(module);
  if (!aliases) return toString(aliases.error());
  const DataflowAnalysis& dataflow = aliases->dataflow();
  ExecutionOrder execution(module, dataflow.callGraph());
  ValueOrder order(dataflow, execution, Backend::Cpu);
  for (const HloBuffer& buffer : aliases->buffers()) {
    const auto& home = dataflow.value(buffer.values[0]).instruction().parent();
    if (dataflow.callGraph().node(home).context == CallContext::Embedded) continue;
    for (size_t i = 0; i < buffer.values.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        const HloValue &a = dataflow.value(buffer.values[i]), &b = dataflow.value(buffer.values[j]);
        // Tables of pointers are written anew at each step, as XLA leaves it.
        if (!a.shape.isTuple() && order.mayInterfere(a, b)) return toString(a) + " and " + toString(b);
      }
    }
  }
  return "";
}

struct Inserted {
  explicit Inserted(std::string text) {
    auto parsed = parseModuleStrictly(std::move(text));
    EXPECT_TRUE(parsed) << toString(parsed.error());
    module = std::move(*parsed);
    const auto original = module->clone();
    const auto changed = insertCopies(*module, context);
    EXPECT_TRUE(changed) << toString(changed.error());
    EXPECT_FALSE(hasErrors(verify(*module, {})));
    EXPECT_EQ(interference(*module), "");
    const auto arguments = makeArguments(*original, 7);
    const auto before = evaluate(*original, arguments->arguments),
               after = evaluate(*module, arguments->arguments);
    EXPECT_TRUE(before && after && *before == *after);
  }
  size_t copies(std::string_view computation) const {
    const auto list = module->findComputation(computation)->instructions();
    return static_cast<size_t>(
        std::ranges::count_if(list, [](const Instruction* i) { return i->opcode() == Opcode::Copy; }));
  }
  // Kinds of all remarks on copies, by what they say.
  std::string remark(std::string_view kind) const {
    for (const Remark& remark : context.remarks()) {
      if (remark.kind == kind) return remark.message;
    }
    return "";
  }
  std::unique_ptr<Module> module;
  PassContext context;
};

TEST(CopyInsertion, ResultsThatAreReadOnlyOrGivenTwice) {
  EXPECT_EQ(Inserted(R"(HloModule m
ENTRY e { p = f32[] parameter(0) ROOT t = (f32[]) tuple(p) })")
                .copies("e"),
            1u);
  EXPECT_EQ(Inserted(R"(HloModule m
ENTRY e { c = f32[] constant(1) p = f32[4] parameter(0) b = f32[2,2] bitcast(p) ROOT t = (f32[], f32[2,2]) tuple(c, b) })")
                .copies("e"),
            2u);
  const Inserted twice(R"(HloModule m
ENTRY e { p = f32[] parameter(0) n = f32[] negate(p) ROOT t = (f32[], f32[]) tuple(n, n) })");
  EXPECT_EQ(twice.copies("e"), 1u);
  EXPECT_EQ(twice.remark("added"), "copies %n: output {0} is the same buffer");
}

TEST(CopyInsertion, ACopyThatIsNeededIsKeptUnderItsOwnName) {
  const Inserted loop(R"(HloModule m
body { t = (s32[]) parameter(0) i = s32[] get-tuple-element(t), index=0 one = s32[] constant(1)
  next = s32[] add(i, one) ROOT o = (s32[]) tuple(next) }
cond { u = (s32[]) parameter(0) j = s32[] get-tuple-element(u), index=0 n = s32[] constant(3)
  ROOT lt = pred[] compare(j, n), direction=LT }
ENTRY e { zero = s32[] constant(0) mine = s32[] copy(zero) t0 = (s32[]) tuple(mine)
  ROOT w = (s32[]) while(t0), condition=cond, body=body })");
  EXPECT_EQ(loop.copies("e"), 1u);
  ASSERT_EQ(loop.context.remarks().size(), 1u);
  EXPECT_EQ(loop.context.remarks()[0].kind, "kept");
  EXPECT_EQ(loop.context.remarks()[0].name, "mine");
  EXPECT_EQ(loop.remark("kept"), "%next writes over it, and constant %zero must stay as it is");
}

constexpr const char* kLoopHead = R"(HloModule m
cond {
  q = (s32[], f32[8], f32[8]) parameter(0)
  j = s32[] get-tuple-element(q), index=0
  ten = s32[] constant(10)
  ROOT lt = pred[] compare(j, ten), direction=LT
}
body {
  p = (s32[], f32[8], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  a = f32[8] get-tuple-element(p), index=1
  b = f32[8] get-tuple-element(p), index=2
  one = s32[] constant(1)
  n = s32[] add(i, one)
  )";
constexpr const char* kLoopTail = R"(
}
ENTRY e {
  z = s32[] parameter(2)
  x0 = f32[8] parameter(0)
  y0 = f32[8] parameter(1)
  z1 = s32[] negate(z)
  x = f32[8] negate(x0)
  y = f32[8] negate(y0)
  t = (s32[], f32[8], f32[8]) tuple(z1, x, y)
  ROOT w = (s32[], f32[8], f32[8]) while(t), condition=cond, body=body
})";
std::string loop(std::string_view root) { return std::string(kLoopHead) + std::string(root) + kLoopTail; }

TEST(CopyInsertion, LoopsCopyOnlyWhatChangesPlaces) {
  const Inserted same(loop("ROOT r = (s32[], f32[8], f32[8]) tuple(n, a, b)"));
  EXPECT_EQ(same.copies("body") + same.copies("e"), 0u);
  // b is read after a's place was written unless it is ordered: the sum needs both as they were.
  const Inserted added(loop("s = f32[8] add(a, b) ROOT r = (s32[], f32[8], f32[8]) tuple(n, s, b)"));
  EXPECT_EQ(added.copies("body") + added.copies("e"), 0u);
  const Inserted swapped(loop("ROOT r = (s32[], f32[8], f32[8]) tuple(n, b, a)"));
  EXPECT_EQ(swapped.copies("body"), 4u);
  EXPECT_EQ(swapped.copies("e"), 0u);
  EXPECT_NE(swapped.remark("added").find("writes its next state over this one"), std::string::npos);
  const Inserted doubled(loop("ROOT r = (s32[], f32[8], f32[8]) tuple(n, b, b)"));
  EXPECT_EQ(doubled.copies("body"), 1u);
}

TEST(CopyInsertion, AnInitialStateThatIsNeededLaterIsCopied) {
  std::string text = loop("s = f32[8] add(a, b) ROOT r = (s32[], f32[8], f32[8]) tuple(n, s, b)");
  text.replace(text.find("ROOT w ="), 8, "w =");
  text.replace(text.rfind("}"), 1, R"(  w1 = f32[8] get-tuple-element(w), index=1
  ROOT sum = f32[8] add(w1, x)
})");
  const Inserted m(text);
  EXPECT_EQ(m.copies("e"), 1u);
  EXPECT_EQ(m.copies("body"), 0u);
}

TEST(CopyInsertion, UpdatesInPlaceCopyWhatIsStillRead) {
  const std::string head = R"(HloModule m
ENTRY e {
  i = s32[] parameter(0)
  u = f32[2] parameter(1)
  io = f32[8] iota(), iota_dimension=0
  d = f32[8] dynamic-update-slice(io, u, i)
  )";
  EXPECT_EQ(Inserted(head + "ROOT n = f32[8] negate(d) }").copies("e"), 0u);
  const Inserted read(head + "ROOT n = f32[8] add(d, io) }");
  EXPECT_EQ(read.copies("e"), 1u);
  EXPECT_EQ(read.remark("added"), "copies %io: %d writes over it; %n may read %io after %d is written");
}

TEST(CopyInsertion, BranchesThatGiveBackWhatTheyGot) {
  const Inserted m(R"(HloModule m
yes { y = f32[8] parameter(0) ROOT yn = f32[8] negate(y) }
no { ROOT z = f32[8] parameter(0) }
ENTRY e {
  p = pred[] parameter(0)
  a = f32[8] parameter(1)
  n = f32[8] sine(a)
  c = f32[8] conditional(p, n, n), true_computation=yes, false_computation=no
  ROOT s = f32[8] add(c, n)
})");
  EXPECT_EQ(m.copies("no"), 1u);
  EXPECT_EQ(m.copies("yes"), 0u);
}

TEST(CopyInsertion, AliasedParametersNeedCopiesOnlyWhereTheyCross) {
  const auto copies = [](std::string_view aliases, std::string_view body) {
    return Inserted(
               fmt::format("HloModule m, input_output_alias={{ {} }}\nENTRY e {{\n p = f32[] parameter(0)\n"
                           " q = f32[] parameter(1)\n {} }}",
                           aliases, body))
        .copies("e");
  };
  EXPECT_EQ(copies("{0}: (0, {}), {1}: (1, {})", "ROOT t = (f32[], f32[]) tuple(p, q)"), 0u);
  EXPECT_EQ(copies("{0}: (0, {})", "ROOT t = (f32[], f32[]) tuple(p, q)"), 1u);
  EXPECT_EQ(copies("{0}: (1, {}), {1}: (0, {})", "ROOT t = (f32[], f32[]) tuple(p, q)"), 4u);
  EXPECT_EQ(
      copies("{0}: (0, {})", "n = f32[] negate(p) m = f32[] negate(q) ROOT t = (f32[], f32[]) tuple(n, m)"),
      0u);
}

TEST(CopyInsertion, ExistingCopiesHaveAVerdictAndPinnedOnesStay) {
  const std::string text = R"(HloModule m
ENTRY e {
  p = f32[8] parameter(0)
  n = f32[8] negate(p)
  c = f32[8] copy(n), frontend_attributes={pin_copy="false"}
  ROOT s = f32[8] sine(c)
})";
  const Inserted free(text);
  EXPECT_EQ(free.copies("e"), 0u);
  EXPECT_EQ(free.remark("elided"), "can be %n itself, in one place");
  std::string pinned = text;
  pinned.replace(pinned.find("\"false\""), 7, "\"true\"");
  const Inserted kept(pinned);
  EXPECT_EQ(kept.copies("e"), 1u);
  EXPECT_EQ(kept.remark("pinned"), "pinned");
  const Inserted layout(R"(HloModule m
ENTRY e {
  p = f32[2,4]{1,0} parameter(0)
  n = f32[2,4]{1,0} negate(p)
  ROOT c = f32[2,4]{0,1} copy(n)
})");
  EXPECT_EQ(layout.remark("kept"), "it changes layout or memory space");
}

TEST(CopyInsertion, AScheduleCanMakeACopyNeedless) {
  const std::string text = R"(HloModule m
ENTRY e {
  i = s32[] parameter(0)
  u = f32[2] parameter(1)
  io = f32[8] iota(), iota_dimension=0
  n = f32[8] sine(io)
  d = f32[8] dynamic-update-slice(io, u, i)
  ROOT s = f32[8] add(d, n)
})";
  EXPECT_EQ(Inserted(text).copies("e"), 1u);
  std::string scheduled = text;
  scheduled.replace(0, 11, "HloModule m, is_scheduled=true");
  EXPECT_EQ(Inserted(scheduled).copies("e"), 0u);
}

TEST(CopyInsertion, ALoopMayBeToldToCopyNothing) {
  std::string text = loop("ROOT r = (s32[], f32[8], f32[8]) tuple(n, b, a)");
  text.replace(text.find("body=body"), 9,
               "body=body, frontend_attributes={xla_disable_while_loop_copies=\"true\"}");
  auto module = parseModuleStrictly(text);
  ASSERT_TRUE(module);
  PassContext context;
  ASSERT_TRUE(insertCopies(**module, context));
  for (const Instruction* i : (*module)->findComputation("body")->instructions())
    EXPECT_NE(i->opcode(), Opcode::Copy);
}

TEST(CopyInsertion, NothingInterferesInRandomModules) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const auto original = makeRandomModule({.seed = seed});
    const auto module = original->clone();
    PassContext context;
    const auto changed = insertCopies(*module, context);
    ASSERT_TRUE(changed) << toString(changed.error());
    ASSERT_EQ(interference(*module), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace hilo
