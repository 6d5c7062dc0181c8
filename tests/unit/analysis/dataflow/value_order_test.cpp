// Which values are needed at the same time: the interference XLA's hlo_dataflow_analysis_test.cc asserts.
#include "core/analysis/dataflow/value_order.h"
#include "core/analysis/backend.h"

#include "tests/unit/analysis/dataflow/dataflow_text.h"

namespace hilo {
namespace {

class Interference {
 public:
  explicit Interference(std::string text)
      : m_(std::move(text), {.ssaForm = true}),
        execution_(*m_.module, m_.dataflow->callGraph()),
        order_(*m_.dataflow, execution_, Backend::Cpu) {}
  bool operator()(std::string_view a, std::string_view b) {
    return order_.mayInterfere(m_.value(a), m_.value(b));
  }

 private:
  DataflowText m_;
  ExecutionOrder execution_;
  ValueOrder order_;
};

TEST(ValueOrder, AnElementwiseChainOverwritesItself) {
  Interference interferes(R"(HloModule m
ENTRY e {
  p = f32[42] parameter(0)
  n = f32[42] negate(p)
  x = f32[42] exponential(n)
  l = f32[42] log(x)
  ROOT r = f32[42] reverse(l), dimensions={0}
})");
  EXPECT_FALSE(interferes("p", "n"));
  EXPECT_FALSE(interferes("p", "l"));
  EXPECT_FALSE(interferes("n", "x"));
  EXPECT_TRUE(interferes("l", "r"));  // a reversal reads what it has written over
}

TEST(ValueOrder, ValuesOfOneOperandOverlap) {
  const std::string text = R"(HloModule m
ENTRY e {
  p = f32[42] parameter(0)
  n = f32[42] negate(p)
  x = f32[42] exponential(p)
  ROOT a = f32[42] add(n, x)
})";
  Interference unordered(text);
  EXPECT_TRUE(unordered("p", "n"));
  EXPECT_TRUE(unordered("p", "x"));
  EXPECT_TRUE(unordered("n", "x"));
  EXPECT_FALSE(unordered("n", "a"));
  std::string scheduled = text;
  scheduled.replace(0, 11, "HloModule m, is_scheduled=true");
  Interference ordered(scheduled);
  EXPECT_TRUE(ordered("p", "n"));
  EXPECT_FALSE(ordered("p", "x"));  // the last to read it may write over it
}

TEST(ValueOrder, EntryParametersAreThereFromTheStart) {
  Interference interferes(R"(HloModule m, is_scheduled=true
ENTRY e {
  p0 = f32[42] parameter(0)
  n = f32[42] negate(p0)
  p1 = f32[42] parameter(1)
  x = f32[42] exponential(p1)
  ROOT a = f32[42] add(n, x)
})");
  EXPECT_TRUE(interferes("p0", "p1"));
  EXPECT_FALSE(interferes("p0", "n"));
  EXPECT_TRUE(interferes("p1", "n"));
  EXPECT_FALSE(interferes("p1", "x"));
}

TEST(ValueOrder, ALoopsStateGoesRoundInOnePlace) {
  Interference interferes(R"(HloModule m, is_scheduled=true
cond { q = f32[] parameter(0) ROOT no = pred[] constant(false) }
body {
  c = f32[] constant(1)
  x = f32[] exponential(c)
  b = f32[] parameter(0)
  ROOT s = f32[] add(x, b)
}
ENTRY e { p = f32[] parameter(0) ROOT w = f32[] while(p), condition=cond, body=body })");
  EXPECT_TRUE(interferes("b", "c"));
  EXPECT_TRUE(interferes("b", "x"));
  EXPECT_FALSE(interferes("b", "s"));
  EXPECT_FALSE(interferes("p", "b"));
  EXPECT_FALSE(interferes("p", "q"));
  EXPECT_FALSE(interferes("p", "s"));
  EXPECT_FALSE(interferes("p", "w"));
  EXPECT_FALSE(interferes("b", "q"));
  EXPECT_FALSE(interferes("s", "w"));
}

}  // namespace
}  // namespace hilo
