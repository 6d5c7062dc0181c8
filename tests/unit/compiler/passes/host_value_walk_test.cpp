// The steps by which a value goes through tuples, loops, calls and asynchronous work, and back.
#include <gtest/gtest.h>

#include "core/compiler/passes/memory/host_offload/value_walk.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/verify/infer_shape.h"

namespace hilo {
namespace {

std::shared_ptr<Module> parsed(const std::string& text) {
  ParseOptions options;
  options.inferShape = inferShape;
  auto module = parseModuleStrictly("HloModule m\n" + text, options);
  EXPECT_TRUE(module.has_value()) << toString(module.error());
  return std::shared_ptr<Module>((*module)->clone());
}

class Steps {
 public:
  explicit Steps(const std::string& text) : module_(parsed(text)), walk_(*ValueWalk::build(*module_)) {}

  std::string next(const std::string& name, ShapeIndex index = {}) const {
    std::vector<std::string> found;
    for (const ValuePosition& to : walk_.next({module_->findInstruction(name), std::move(index)}))
      found.push_back(to.text());
    return joined(found);
  }

  std::string previous(const std::string& name, ShapeIndex index = {}) const {
    std::vector<std::string> found;
    for (const ValueSource& source : walk_.previous({module_->findInstruction(name), std::move(index)})) {
      const std::string by =
          source.user == nullptr ? "root" : fmt::format("%{}.{}", source.user->name(), source.operand);
      found.push_back(source.from.text() + " by " + by);
    }
    return joined(found);
  }

 private:
  static std::string joined(std::vector<std::string> found) {
    std::ranges::sort(found);
    return fmt::format("{}", fmt::join(found, ", "));
  }
  std::shared_ptr<Module> module_;
  ValueWalk walk_;
};

TEST(HostValueWalk, GoesThroughTuplesByIndex) {
  const Steps steps(
      "ENTRY e { x = f32[4] parameter(0) t = (f32[4], f32[4]) tuple(x, x) n = ((f32[4], f32[4])) tuple(t) "
      "g = (f32[4], f32[4]) get-tuple-element(n), index=0 h = f32[4] get-tuple-element(g), index=1 "
      "ROOT r = f32[4] negate(h) }");
  EXPECT_EQ(steps.next("x"), "%t at {0}, %t at {1}");
  EXPECT_EQ(steps.next("n", {0, 1}), "%g at {1}");
  EXPECT_EQ(steps.next("g", {0}), "");
  EXPECT_EQ(steps.next("h"), "%r");
  EXPECT_EQ(steps.previous("g", {1}), "%n at {0,1} by %g.0");
  EXPECT_EQ(steps.previous("t", {1}), "%x by %t.1");
  EXPECT_EQ(steps.previous("r"), "");
}

TEST(HostValueWalk, GoesThroughLoops) {
  const Steps steps(
      "b { s = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0 h = f32[4] "
      "get-tuple-element(s), index=1 ROOT r = (s32[], f32[4]) tuple(i, h) }\n"
      "c { v = (s32[], f32[4]) parameter(0) ROOT f = pred[] constant(false) }\n"
      "ENTRY e { x = f32[4] parameter(0) z = s32[] constant(0) t = (s32[], f32[4]) tuple(z, x) "
      "ROOT w = (s32[], f32[4]) while(t), condition=c, body=b }");
  EXPECT_EQ(steps.next("t", {1}), "%s at {1}, %v at {1}");
  EXPECT_EQ(steps.next("r", {1}), "%w at {1}");
  EXPECT_EQ(steps.next("f"), "");
  EXPECT_EQ(steps.previous("w", {1}), "%r at {1} by root, %t at {1} by %w.0");
  EXPECT_EQ(steps.previous("v", {1}), "%r at {1} by root, %t at {1} by %w.0");
}

TEST(HostValueWalk, GoesThroughBranchesAndCalls) {
  const Steps steps(
      "k { q = f32[4] parameter(0) p = f32[4] parameter(1) ROOT r = f32[4] add(q, p) }\n"
      "a { y = f32[4] parameter(0) ROOT n = f32[4] negate(y) }\nb { ROOT z = f32[4] parameter(0) }\n"
      "ENTRY e { x = f32[4] parameter(0) l = f32[4] call(x, x), to_apply=k i = s32[] parameter(1) "
      "ROOT c = f32[4] conditional(i, l, x), branch_computations={a, b} }");
  EXPECT_EQ(steps.next("x"), "%p, %q, %z");
  EXPECT_EQ(steps.next("l"), "%y");
  EXPECT_EQ(steps.next("z"), "%c");
  EXPECT_EQ(steps.previous("p"), "%x by %l.1");
  EXPECT_EQ(steps.previous("y"), "%l by %c.1");
  EXPECT_EQ(steps.previous("c"), "%n by root, %z by root");
}

TEST(HostValueWalk, KeepsWhatAnAsyncStartTakesFromWhatItGives) {
  const Steps steps(
      "a { q = f32[4] parameter(0) ROOT n = f32[4] negate(q) }\n"
      "ENTRY e { x = f32[4] parameter(0) s = ((f32[4]), f32[4], u32[]) async-start(x), calls=a "
      "ROOT d = f32[4] async-done(s) }");
  EXPECT_EQ(steps.next("x"), "%q, %s at {0,0}");
  EXPECT_EQ(steps.next("s", {0, 0}), "");
  EXPECT_EQ(steps.next("n"), "%s at {1}");
  EXPECT_EQ(steps.next("s", {1}), "%d");
  EXPECT_EQ(steps.previous("d"), "%s at {1} by %d.0");
  EXPECT_EQ(steps.previous("s", {1}), "%n by root");
}

TEST(HostValueWalk, FollowsCustomCallsThatWriteInPlace) {
  const Steps steps(
      "ENTRY e { x = f32[4] parameter(0) y = f32[4] parameter(1) c = (f32[4], f32[4]) custom-call(x, y), "
      "custom_call_target=\"work\", output_to_operand_aliasing={{1}: (0, {})} "
      "ROOT h = (f32[4], f32[4]) custom-call(c), custom_call_target=\"MoveToHost\" }");
  EXPECT_EQ(steps.next("x"), "%c at {1}");
  EXPECT_EQ(steps.next("y"), "");
  EXPECT_EQ(steps.next("c", {1}), "%h at {1}");
  EXPECT_EQ(steps.previous("c", {1}), "%x by %c.0");
  EXPECT_EQ(steps.previous("c", {0}), "");
}

}  // namespace
}  // namespace hilo
