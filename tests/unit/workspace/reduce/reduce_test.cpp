#include "core/workspace/reduce/reduce.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "core/base/check.h"
#include "core/base/stopwatch.h"
#include "core/hlo/eval/arguments.h"
#include "core/hlo/verify/verify.h"
#include "core/workspace/document/document.h"
#include "core/workspace/reduce/save_reduction.h"
#include "core/workspace/watch/pass_process.h"
#include "tests/support/layered_module.h"

namespace hilo {
namespace {

using testing::HasSubstr;

// Each pass does something wrong where it meets one pattern at one place of a large module.
bool isPlace(const Instruction& instruction, std::string_view name) { return instruction.name() == name; }

Instruction* splat(const Instruction& like, float value, Instruction& before) {
  Computation& computation = before.parent();
  Instruction* one = computation.createConstant(Literal::scalar(ElementType::F32, value), &before);
  Instruction* all = computation.create(Opcode::Broadcast, like.shape(), {one}, {}, &before);
  all->set<Attr::Dimensions>(std::span<const int64_t>());
  return all;
}

using Wrong = Instruction* (*)(Instruction & x);
Instruction* swapOperands(Instruction& x) {
  return x.parent().create(Opcode::Subtract, x.shape(), {x.operand(1), x.operand(0)}, {}, &x);
}
Instruction* multiplied(Instruction& x) {
  return x.parent().create(Opcode::Multiply, x.shape(), {x.operand(0), x.operand(1)}, {}, &x);
}
Instruction* notANumber(Instruction& x) {
  Instruction* none = splat(x, 0, x);
  return x.parent().create(Opcode::Divide, x.shape(), {none, none}, {}, &x);
}
Instruction* crash(Instruction& x) {
  CHECK(x.opcode() != Opcode::Transpose, "planted");
  return &x;
}
Instruction* otherShape(Instruction& x) {
  Instruction* made = x.parent().create(Opcode::Tanh, x.shape(), {x.operand(0)}, {}, &x);
  made->setShape(Shape::array(ElementType::F32, {7}));
  return made;
}
Instruction* copies(Instruction& x) {
  Instruction* made = x.parent().createLike(x, x.operands(), &x);
  for (int i = 0; i < 25000; ++i) made = x.parent().create(Opcode::Negate, x.shape(), {made}, {}, &x);
  return made;
}

// `named`: in a module of its own, whatever it became, by its name.
template <Wrong kWrong>
Result<bool> breakAt(Module& module, std::string_view named) {
  for (Instruction* instruction : module.entry()->instructions()) {
    if (!isPlace(*instruction, named)) continue;
    module.entry()->replaceAllUses(instruction, kWrong(*instruction));
    return true;
  }
  return false;
}

#define BREAK(pass, how, place) {pass, [](Module& m, PassContext&) { return breakAt<how>(m, place); }, ""}
const Pass kPasses[] = {
    BREAK("break-subtract", swapOperands, "z.613"),
    BREAK("break-divide", multiplied, "q.12"),
    BREAK("break-nan", notANumber, "m.977"),
    BREAK("break-check", crash, "turned.401"),
    BREAK("break-shape", otherShape, "t.777"),
    BREAK("break-kernels", copies, "h.500"),
    BREAK("break-subtract-first", swapOperands, "z.0"),
    BREAK("break-subtract-late", swapOperands, "z.990"),
    BREAK("break-multiply", multiplied, "z.250"),
    BREAK("break-product", swapOperands, "m.500"),
    BREAK("break-sum", multiplied, "h.333"),
    BREAK("break-divide-late", multiplied, "q.960"),
    BREAK("break-nan-first", notANumber, "n.1"),
    BREAK("break-nan-tanh", notANumber, "t.640"),
    BREAK("break-nan-sum", notANumber, "h.875"),
    BREAK("break-check-first", crash, "turned.2"),
    BREAK("break-check-late", crash, "turned.950"),
    BREAK("break-shape-first", otherShape, "n.5"),
    BREAK("break-shape-late", otherShape, "t.900"),
    BREAK("break-kernels-late", copies, "m.930"),
};
#undef BREAK

struct LargeCase {
  size_t pass;
  const char* watcher;
  const char* remains;  // of the text
};

class TwentyThousandInstructions : public testing::TestWithParam<LargeCase> {};

TEST_P(TwentyThousandInstructions, BecomeTenThatFailTheSameWay) {
  const auto& [pass, watched, remains] = GetParam();
  constexpr size_t kAlways = 6;  // kinds of faults; the others are more places
  if (pass >= kAlways && std::getenv("HILO_ALL_FAULTS") == nullptr)
    GTEST_SKIP() << "HILO_ALL_FAULTS asks for every planted fault";
  const std::shared_ptr<const Module> module = makeLayeredModule(20000);
  ASSERT_GE(module->instructionCount(), 20000u);
  const ReduceRequest request{
      .module = module, .passes = {&kPasses[pass]}, .arguments = makeArguments(*module, 7)->arguments};
  const auto watcher = makeWatcher(watched, {.passWorker = ownPassWorker()});
  ASSERT_TRUE(watcher) << toString(watcher.error());
  const Stopwatch watch;
  const auto reduced = reduce(request, **watcher, {});
  RecordProperty("seconds", std::to_string(static_cast<double>(watch.ns()) / 1e9));
  ASSERT_TRUE(reduced) << toString(reduced.error());
  EXPECT_TRUE(reduced->isFinished);
  EXPECT_LE(reduced->module->instructionCount(), 10u);
  EXPECT_FALSE(hasErrors(verify(*reduced->module, VerifyOptions{})));
  const auto seen = (*watcher)->look(
      {.module = reduced->module, .passes = request.passes, .arguments = reduced->arguments}, {});
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->sight, Sight::Bad);
  EXPECT_EQ(seen->kind, reduced->failure.kind);
  EXPECT_NE(reduced->module->findInstruction(remains), nullptr);
}

INSTANTIATE_TEST_SUITE_P(
    All, TwentyThousandInstructions,
    testing::Values(LargeCase{0, "differs:reference", "z.613"}, LargeCase{1, "differs:reference", "q.12"},
                    LargeCase{2, "nan", "m.977"}, LargeCase{3, "crash", "turned.401"},
                    LargeCase{4, "verifier", "t.777"}, LargeCase{5, "kernels:2x", "h.500"},
                    LargeCase{6, "differs:reference", "z.0"}, LargeCase{7, "differs:reference", "z.990"},
                    LargeCase{8, "differs:reference", "z.250"}, LargeCase{9, "differs:reference", "m.500"},
                    LargeCase{10, "differs:reference", "h.333"}, LargeCase{11, "differs:reference", "q.960"},
                    LargeCase{12, "nan", "n.1"}, LargeCase{13, "nan", "t.640"}, LargeCase{14, "nan", "h.875"},
                    LargeCase{15, "crash", "turned.2"}, LargeCase{16, "crash", "turned.950"},
                    LargeCase{17, "verifier", "n.5"}, LargeCase{18, "verifier", "t.900"},
                    LargeCase{19, "kernels:2x", "m.930"}));

TEST(Reduce, RefusesAModuleThatDoesNotFail) {
  const std::shared_ptr<const Module> module = makeLayeredModule(40);
  const ReduceRequest request{.module = module, .arguments = makeArguments(*module, 7)->arguments};
  const auto reduced = reduce(request, **makeWatcher("nan", {}), {});
  ASSERT_FALSE(reduced);
  EXPECT_EQ(reduced.error().kind, "does-not-fail");
}

TEST(Reduce, SeveralWatchersGiveTheStepsOfOne) {
  const std::shared_ptr<const Module> module = makeLayeredModule(400);
  const ReduceRequest request{.module = module,
                              .passes = {ConfiguredPass(&kPasses[1])},
                              .arguments = makeArguments(*module, 7)->arguments};
  std::vector<std::unique_ptr<Watcher>> watchers;
  std::vector<Watcher*> three;
  for (int n = 0; n < 3; ++n) {
    watchers.push_back(*makeWatcher("differs:reference", {}));
    three.push_back(watchers.back().get());
  }
  const auto alone = reduce(request, **makeWatcher("differs:reference", {}), {});
  const auto beside = reduce(request, three, {});
  ASSERT_TRUE(alone && beside);
  ASSERT_EQ(alone->steps.size(), beside->steps.size());
  for (size_t n = 0; n < alone->steps.size(); ++n) {
    EXPECT_EQ(alone->steps[n].move, beside->steps[n].move);
    EXPECT_EQ(alone->steps[n].module->instructionCount(), beside->steps[n].module->instructionCount());
  }
  EXPECT_LE(alone->looks, beside->looks);
}

TEST(Reduce, RefusesAModuleThatDoesNotVerify) {
  const std::shared_ptr<const Module> module = makeLayeredModule(20);
  std::shared_ptr<Module> wrong = module->clone();
  wrong->entry()->root()->setShape(Shape::array(ElementType::F32, {7}));
  const auto found = reduce({.module = std::move(wrong)}, **makeWatcher("kernels:1", {}), {});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, "result-shape");
}

TEST(Reduce, EndsWithWhatThereIsWhenCancelled) {
  const std::shared_ptr<const Module> module = makeLayeredModule(2000);
  const CancelToken cancel;
  ReduceRequest request{
      .module = module, .passes = {&kPasses[1]}, .arguments = makeArguments(*module, 7)->arguments};
  request.taken = [&](const Reduction& soFar) -> Status {
    if (soFar.steps.size() == 2) cancel.cancel();
    return {};
  };
  const auto reduced = reduce(request, **makeWatcher("differs:reference", {}), JobContext(cancel));
  ASSERT_TRUE(reduced) << toString(reduced.error());
  EXPECT_FALSE(reduced->isFinished);
  EXPECT_EQ(reduced->steps.size(), 2u);
  EXPECT_LT(reduced->module->instructionCount(), module->instructionCount());
}

TEST(Reduce, ItsStepsAreASeriesThatBeginsWithTheInput) {
  const std::shared_ptr<const Module> module = makeLayeredModule(400);
  const ReduceRequest request{
      .module = module, .passes = {&kPasses[1]}, .arguments = makeArguments(*module, 7)->arguments};
  const auto reduced = reduce(request, **makeWatcher("differs:reference", {}), {});
  ASSERT_TRUE(reduced);
  const PassSeries series = seriesOf(request, *reduced);
  ASSERT_EQ(series.steps.size(), reduced->steps.size() + 1);
  EXPECT_EQ(*series.steps.front().module(), module);
  EXPECT_EQ(*series.steps.back().module(), reduced->module);
}

// As after a kill: what was saved is read again, and its steps stay in front.
TEST(Reduce, GoesOnFromWhatWasSaved) {
  const std::string path = fmt::format("{}/reduced_{}.hilo", testing::TempDir(), getpid());
  const std::shared_ptr<const Module> module = makeLayeredModule(400);
  const CancelToken cancel;
  ReduceRequest request{.module = module,
                        .passes = {ConfiguredPass(&kPasses[1])},
                        .arguments = makeArguments(*module, 7)->arguments,
                        .watch = "differs:reference"};
  request.taken = [&](const Reduction& soFar) -> Status {
    if (soFar.steps.size() == 2) cancel.cancel();
    return saveReduction(path, request, soFar);
  };
  const auto watcher = makeWatcher("differs:reference", {});
  ASSERT_TRUE(reduce(request, **watcher, JobContext(cancel)));
  const auto document = readDocument(path);
  ASSERT_TRUE(document) << toString(document.error());
  EXPECT_EQ(document->viewState.at("bisect.watch"), "differs:reference");
  EXPECT_EQ(document->viewState.at("bisect.over"), "break-divide");
  const auto& file = std::get<std::shared_ptr<const OpenedFile>>(document->items.at(0).opened);
  const ReduceRequest again{.module = file->module,
                            .passes = request.passes,
                            .arguments = document->items[0].arguments.at(0),
                            .earlier = document->series.at(0).series->steps};
  const auto reduced = reduce(again, **watcher, {});
  ASSERT_TRUE(reduced) << toString(reduced.error());
  EXPECT_TRUE(reduced->isFinished);
  EXPECT_LE(reduced->module->instructionCount(), 10u);
  const PassSeries series = seriesOf(again, *reduced);
  EXPECT_EQ(series.steps.size(), 3 + reduced->steps.size());
  EXPECT_EQ(series.steps.front().name, "input");
  EXPECT_EQ((*series.steps.front().module())->instructionCount(), module->instructionCount());
  std::filesystem::remove(path);
}

TEST(Reduce, NamesTheMovesThereAreWhereOneIsUnknown) {
  const std::shared_ptr<const Module> module = makeLayeredModule(40);
  const auto reduced = reduce({.module = module, .moves = {"shrnk"}}, **makeWatcher("kernels:1", {}), {});
  ASSERT_FALSE(reduced);
  EXPECT_EQ(reduced.error().kind, "unknown-move");
  EXPECT_THAT(reduced.error().notes[0], HasSubstr("shrink-dimensions"));
}

}  // namespace
}  // namespace hilo

int main(int argc, char** argv) {
  if (const auto status = hilo::servePassesIfAsked(argc, argv, hilo::kPasses)) return *status;
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
