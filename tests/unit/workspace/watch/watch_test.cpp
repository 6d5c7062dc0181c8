#include "core/workspace/watch/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/hlo/eval/npy.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

using testing::HasSubstr;

std::shared_ptr<const Module> roots() {
  return moduleOf(R"(ENTRY e {
  a = f32[3] parameter(0)
  unread = f32[3] tanh(a)
  ROOT r = f32[3] sqrt(a) })");
}

Literal vectorOf(std::vector<float> values) {
  Literal literal(Shape::array(ElementType::F32, {static_cast<int64_t>(values.size())}));
  std::ranges::copy(values, literal.mutableData<float>().begin());
  return literal;
}

WatchedCase caseOf(std::shared_ptr<const Module> module, std::vector<float> argument) {
  return {.module = std::move(module), .arguments = {vectorOf(std::move(argument))}};
}

Observation seen(std::string_view watcher, const WatchedCase& watched, const WatchOptions& options = {}) {
  auto made = makeWatcher(watcher, options);
  EXPECT_TRUE(made) << (made ? "" : toString(made.error()));
  auto observation = (*made)->look(watched, {});
  EXPECT_TRUE(observation) << (observation ? "" : toString(observation.error()));
  return *observation;
}

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& ending)
      : path_(testing::TempDir() + "watch_test." + std::to_string(getpid()) + ending) {}
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(Watchers, SeeNansInTheResultAlone) {
  EXPECT_EQ(seen("nan", caseOf(roots(), {4, 9, 16})).sight, Sight::Good);
  const Observation bad = seen("nan", caseOf(roots(), {4, -9, 16}));
  EXPECT_EQ(bad.sight, Sight::Bad);
  EXPECT_EQ(bad.what, "1 of 3 elements are NaN");
}

TEST(Watchers, HoldAResultAgainstAFile) {
  const TemporaryFile file(".npy");
  ASSERT_TRUE(saveNpy(file.path(), vectorOf({2, 3, 4})));
  EXPECT_EQ(seen("expected:" + file.path(), caseOf(roots(), {4, 9, 16})).sight, Sight::Good);
  const Observation bad = seen("expected:" + file.path(), caseOf(roots(), {4, 9, 25}));
  EXPECT_EQ(bad.sight, Sight::Bad);
  EXPECT_THAT(bad.what, HasSubstr("[2]: 5 and 4"));
}

TEST(Watchers, HoldAResultAgainstValuesAsWritten) {
  EXPECT_EQ(seen("expected:{2, 3, 4}", caseOf(roots(), {4, 9, 16})).sight, Sight::Good);
  EXPECT_EQ(seen("expected:{2, 3, 5}", caseOf(roots(), {4, 9, 16})).sight, Sight::Bad);
  const Observation other = seen("expected:{2, 3, 4}; 1", caseOf(roots(), {4, 9, 16}));
  EXPECT_EQ(other.sight, Sight::Unknown);
  EXPECT_THAT(other.what, HasSubstr("2 arrays are expected, there are 1"));
  EXPECT_THAT(seen("expected:{2, three}", caseOf(roots(), {4, 9, 16})).what, HasSubstr("no value of f32[3]"));
}

TEST(Watchers, CannotTellOfConstantsThatWereNotWritten) {
  const auto module = moduleOf(R"(ENTRY e {
  a = f32[3] parameter(0)
  c = f32[3] constant({...})
  ROOT r = f32[3] add(a, c) })");
  const Observation unknown = seen("differs:reference", caseOf(module, {1, 2, 3}));
  EXPECT_EQ(unknown.sight, Sight::Unknown);
  EXPECT_THAT(unknown.what, HasSubstr("%c was not written"));
}

TEST(Watchers, OfAmountsLeaveOutWhatNothingUses) {
  EXPECT_EQ(seen("kernels:1", caseOf(roots(), {})).sight, Sight::Good);
  EXPECT_EQ(seen("kernels:0", caseOf(roots(), {})).sight, Sight::Bad);
}

TEST(Watchers, OfExposedCommunicationPlayTheSchedule) {
  const auto module = moduleWithReducers(R"(ENTRY e {
  a = f32[1024] parameter(0)
  ROOT r = f32[1024] all-reduce(a), replica_groups={{0,1}}, to_apply=addf })");
  EXPECT_EQ(seen("exposed:0", {.module = module}).sight, Sight::Bad);
  EXPECT_EQ(seen("exposed:10s", {.module = module}).sight, Sight::Good);
}

TEST(Watchers, OfMemoryAndTimeTakeAnAmount) {
  EXPECT_EQ(seen("memory:23B", {.module = roots()}).sight, Sight::Bad);  // two arrays of 12 bytes
  EXPECT_EQ(seen("memory:1MiB", {.module = roots()}).sight, Sight::Good);
  EXPECT_EQ(seen("time:60s", caseOf(roots(), {4, 9, 16}), {.samples = 1}).sight, Sight::Good);
  EXPECT_EQ(seen("time:0ns", caseOf(roots(), {4, 9, 16}), {.samples = 1}).sight, Sight::Bad);
}

TEST(Watchers, NameTheErrorOfAnEngine) {
  const auto module = moduleOf(R"(ENTRY e {
  a = f32[3] parameter(0)
  ROOT r = f32[3] custom-call(a), custom_call_target="mystery" })");
  const Observation bad = seen("fails", caseOf(module, {1, 2, 3}));
  EXPECT_EQ(bad.sight, Sight::Bad);
  EXPECT_EQ(bad.kind, "not-runnable");
  EXPECT_EQ(seen("fails:cancelled", caseOf(module, {1, 2, 3})).sight, Sight::Unknown);
}

TEST(Watchers, SayWhichErrorTheVerifierFinds) {
  const std::shared_ptr<Module> module = roots()->clone();
  module->findInstruction("r")->setShape(Shape::array(ElementType::F32, {4}));
  const Observation bad = seen("verifier", caseOf(module, {}));
  EXPECT_EQ(bad.sight, Sight::Bad);
  EXPECT_EQ(bad.kind, "result-shape");
  EXPECT_EQ(seen("verifier:call-cycle", caseOf(module, {})).sight, Sight::Unknown);
}

TEST(Watchers, CannotTellWithoutArguments) {
  EXPECT_EQ(seen("nan", {.module = roots()}).sight, Sight::Unknown);
}

TEST(Watchers, TakeTheExitCodeOfAScript) {
  EXPECT_EQ(seen("script:grep -q sqrt", caseOf(roots(), {})).sight, Sight::Good);
  EXPECT_EQ(seen("script:grep -q cosine", caseOf(roots(), {})).sight, Sight::Bad);
  EXPECT_EQ(seen("script:exit 125;", caseOf(roots(), {})).sight, Sight::Unknown);
  const auto broken = (*makeWatcher("script:kill -9 $$;", {}))->look(caseOf(roots(), {}), {});
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().kind, "script-failed");
  EXPECT_THAT(broken.error().message, HasSubstr("SIGKILL"));
}

TEST(Watchers, OfAScriptThatHangsEndWhenCancelled) {
  const CancelToken cancel;
  cancel.cancel();
  const auto ended = (*makeWatcher("script:sleep 100;", {}))->look(caseOf(roots(), {}), JobContext(cancel));
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().kind, "cancelled");
}

// Bad at every second look.
TEST(Watchers, OfWhatIsFlakyCountLooks) {
  const TemporaryFile file(".state");
  const std::string script = "script:if test -e " + file.path() + "; then rm " + file.path() +
                             "; else touch " + file.path() + "; exit 1; fi; true";
  const Observation often = seen(script, caseOf(roots(), {}), {.looks = 6, .leastBad = 3});
  EXPECT_EQ(often.sight, Sight::Bad);
  EXPECT_THAT(often.what, HasSubstr("3 of 5 looks"));
  std::filesystem::remove(file.path());
  EXPECT_EQ(seen(script, caseOf(roots(), {}), {.looks = 6, .leastBad = 4}).sight, Sight::Good);
}

TEST(Watchers, AreRefusedByName) {
  const auto kindOf = [](std::string_view text) {
    const auto made = makeWatcher(text, {});
    return made ? "" : made.error().kind;
  };
  EXPECT_EQ(kindOf("differ:reference"), "unknown-watcher");
  EXPECT_EQ(kindOf("differs"), "bad-watcher");
  EXPECT_EQ(kindOf("differs:tpu9"), "unknown-engine");
  EXPECT_EQ(kindOf("nan:all"), "bad-watcher");
  EXPECT_EQ(kindOf("time:soon"), "bad-watcher");
  EXPECT_EQ(kindOf("expected: "), "bad-expected");
  EXPECT_EQ(kindOf("expected:nowhere.npz"), "file-not-found");
  EXPECT_EQ(kindOf("crash"), "bad-watcher");
}

TEST(Watchers, ArePrintedInOneOrder) {
  EXPECT_TRUE(std::ranges::is_sorted(listWatchers(), {}, &WatcherInfo::name));
}

}  // namespace
}  // namespace hilo
