// Trip counts computed from the loop's text.
#include "core/analysis/while_loop.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

struct LoopText {
  std::string init = "0", step = "1", bound = "10", direction = "LT", type = "s32";
  std::string update = "add(i, k)", compare = "compare(i, n)";
};

std::unique_ptr<Module> moduleOf(const LoopText& t) {
  const std::string tuple = "(" + t.type + "[], f32[4]{0})";
  auto module = parseModuleStrictly(
      "HloModule m\ncond {\n  p = " + tuple + " parameter(0)\n  i = " + t.type +
      "[] get-tuple-element(p), index=0\n  n = " + t.type + "[] constant(" + t.bound +
      ")\n  ROOT c = pred[] " + t.compare + ", direction=" + t.direction + "\n}\nbody {\n  p = " + tuple +
      " parameter(0)\n  i = " + t.type + "[] get-tuple-element(p), index=0\n  k = " + t.type +
      "[] constant(" + t.step + ")\n  two = " + t.type + "[] constant(2)\n  j = " + t.type + "[] " +
      t.update + "\n  twice = " + t.type +
      "[] multiply(i, two)\n  x = f32[4]{0} get-tuple-element(p), index=1\n  ROOT t = " + tuple +
      " tuple(j, x)\n}\nENTRY e {\n  z = " + t.type + "[] constant(" + t.init + ")\n  zc = " + t.type +
      "[] copy(z)\n  x = f32[4]{0} parameter(0)\n  t = " + tuple + " tuple(zc, x)\n  ROOT w = " + tuple +
      " while(t), condition=cond, body=body\n}\n");
  EXPECT_TRUE(module) << (module ? "" : toString(module.error()));
  return module ? std::move(*module) : nullptr;
}

int64_t trips(const LoopText& text) {
  const auto module = moduleOf(text);
  return tripCount(*module->findInstruction("w")).value_or(-1);
}

TEST(WhileLoop, CountsUpAndDown) {
  EXPECT_EQ(trips({}), 10);
  EXPECT_EQ(trips({.init = "3"}), 7);
  EXPECT_EQ(trips({.step = "3"}), 4);
  EXPECT_EQ(trips({.direction = "LE"}), 11);
  EXPECT_EQ(trips({.init = "10", .step = "-1", .bound = "0", .direction = "GT"}), 10);
  EXPECT_EQ(trips({.init = "10", .bound = "0", .direction = "GE", .update = "subtract(i, k)"}), 11);
  EXPECT_EQ(trips({.direction = "NE"}), 10);
  EXPECT_EQ(trips({.init = "20"}), 0);
  EXPECT_EQ(trips({.direction = "GT", .compare = "compare(n, i)"}), 10);
}

TEST(WhileLoop, DoesNotCountWhatItCannotTell) {
  EXPECT_EQ(trips({.step = "0"}), -1);
  EXPECT_EQ(trips({.step = "-1"}), -1);
  EXPECT_EQ(trips({.update = "multiply(i, k)"}), -1);
  EXPECT_EQ(trips({.step = "3", .direction = "NE"}), -1);
  // 100 + 100 does not fit s8.
  EXPECT_EQ(trips({.step = "100", .bound = "101", .type = "s8"}), -1);
}

TEST(WhileLoop, TheCounterDecidesWhereItIsKnown) {
  auto module = moduleOf({});
  Instruction* loop = module->findInstruction("w");
  loop->set<Attr::BackendConfig>("{\"known_trip_count\":{\"n\":\"4\"}}");
  EXPECT_EQ(statedTripCount(*loop), 4);
  EXPECT_EQ(tripCount(*loop), 10);
}

TEST(WhileLoop, AStatedCountHoldsWhereTheCounterIsNotKnown) {
  auto module = moduleOf({.update = "multiply(i, k)"});
  Instruction* loop = module->findInstruction("w");
  loop->set<Attr::BackendConfig>("{\"known_trip_count\":{\"n\":\"4\"}}");
  EXPECT_EQ(tripCount(*loop), 4);
  loop->set<Attr::BackendConfig>("{\"known_trip_count\":{\"n\":\"-4\"}}");
  EXPECT_EQ(tripCount(*loop), std::nullopt);
}

TEST(WhileLoop, RangesOfWhatIsComputedFromTheCounter) {
  const auto module = moduleOf({.init = "2", .step = "3", .bound = "12"});
  const Instruction& loop = *module->findInstruction("w");
  const Computation& body = *loop.get<Attr::Body>();
  // 2, 5, 8, 11.
  EXPECT_EQ(valueRangeInBody(*body.find("i"), loop), (ValueRange{2, 11, 3}));
  EXPECT_EQ(valueRangeInBody(*body.find("j"), loop), (ValueRange{5, 14, 3}));
  EXPECT_EQ(valueRangeInBody(*body.find("twice"), loop), (ValueRange{4, 22, 6}));
  EXPECT_EQ(valueRangeInBody(*body.find("two"), loop), (ValueRange{2, 2, 0}));
}

}  // namespace
}  // namespace hilo
