// Thunks of a module compiled for a GPU: which are one graph, why others are in none, and a kernel's forms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/analysis/cost/device_latency.h"
#include "core/hlo/text/parse.h"
#include "core/workspace/thunks/thunk_study.h"

namespace hilo {
namespace {

using testing::HasSubstr;

// Five kernels, a sort that the host does (its comparator orders by no key), and one more kernel.
constexpr const char* kModule = R"(HloModule m
order { x = f32[] parameter(0)
  y = f32[] parameter(1)
  s = f32[] sine(x)
  ROOT c = pred[] compare(s, y), direction=LT }
ENTRY e { a = f32[64] parameter(0)
  b = f32[64] negate(a)
  c = f32[64] cosine(b)
  d = f32[64] tanh(c)
  f = f32[64] multiply(d, b)
  g = f32[64] add(f, c)
  h = f32[64] sort(g), dimensions={0}, to_apply=order
  ROOT i = f32[64] negate(h) })";

ThunkStudy studied() {
  auto module = parseModuleStrictly(kModule);
  EXPECT_TRUE(module.has_value()) << toString(module.error());
  auto study = compileThunksForGpu(*std::move(module), "sm_90", {});
  EXPECT_TRUE(study.has_value()) << toString(study.error());
  return *std::move(study);
}

const StudiedThunk& called(const ThunkStudy& study, std::string_view name) {
  const auto found = std::ranges::find(study.thunks, name, &StudiedThunk::name);
  EXPECT_NE(found, study.thunks.end()) << name;
  return *found;
}

TEST(GpuThunks, SayWhichAreOneGraph) {
  const ThunkStudy study = studied();
  EXPECT_THAT(study.title, HasSubstr("sm_90"));
  for (const char* name : {"b", "c", "d", "f", "g"}) EXPECT_EQ(called(study, name).graph, 0u) << name;
  const auto& sort = *std::ranges::find(study.thunks, "sort", &StudiedThunk::kind);
  EXPECT_EQ(sort.graph, StudiedThunk::kNone);
  EXPECT_EQ(sort.whyNoGraph, "the host does it");
  EXPECT_THAT(called(study, "i").whyNoGraph, HasSubstr("a graph begins at 5"));
}

// As long as the cost model says, where it starts; waiting for its end takes no time of its own.
TEST(GpuThunks, CollectivesTakeTheTimeThatIsEstimatedOfThem) {
  auto module = parseModuleStrictly(R"(HloModule m, replica_count=4
add { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y) }
ENTRY e { a = f32[1048576] parameter(0)
  started = f32[1048576] all-reduce-start(a), replica_groups={{0,1,2,3}}, to_apply=add
  ROOT ended = f32[1048576] all-reduce-done(started) })");
  ASSERT_TRUE(module.has_value()) << toString(module.error());
  const Module& whole = **module;
  const DeviceLatencyEstimator h100(whole, *findDevice("h100"));
  const double ns = h100.collective(*whole.findInstruction("started")).ns;
  ASSERT_GT(ns, 10'000);
  const auto study = compileThunksForGpu(*std::move(module), "sm_90", {});
  ASSERT_TRUE(study.has_value()) << toString(study.error());
  EXPECT_EQ(called(*study, "started").estimatedNs, static_cast<int64_t>(ns));
  EXPECT_EQ(called(*study, "ended").estimatedNs, 0);
}

TEST(GpuThunks, KernelsHaveTheirFormsDownToWhatTheyTake) {
  const ThunkStudy study = studied();
  const auto index = static_cast<uint32_t>(&called(study, "f") - study.thunks.data());
  const auto forms = kernelForms(study, index);
  ASSERT_TRUE(forms.has_value()) << toString(forms.error());
  std::vector<std::string> titles;
  for (const KernelForm& form : forms->forms) titles.push_back(form.title);
  ASSERT_GE(titles.size(), 5u);
  EXPECT_EQ(titles[3], "PTX");
  const KernelForm& ptx = forms->forms[3];
  // Some line of the PTX came of the instruction itself.
  const InstructionId own = study.thunks[index].instructions[0];
  EXPECT_NE(std::ranges::find(ptx.instructions, own), ptx.instructions.end()) << ptx.text;
  EXPECT_EQ(titles[4], "SASS");
}

// What check mode counts needs no tool.
TEST(GpuThunks, KernelsAreCountedOnTheSimulatedGpu) {
  const ThunkStudy study = studied();
  const auto index = static_cast<uint32_t>(&called(study, "f") - study.thunks.data());
  const auto forms = kernelForms(study, index);
  ASSERT_TRUE(forms.has_value()) << toString(forms.error());
  const auto gauge = [&](std::string_view name) {
    const auto found =
        std::ranges::find_if(forms->gauges, [&](const KernelGauge& g) { return g.name.starts_with(name); });
    return found == forms->gauges.end() ? KernelGauge{} : *found;
  };
  EXPECT_THAT(gauge("sectors").text, HasSubstr("on average"));
  EXPECT_THAT(gauge("check mode").text, HasSubstr("nothing wrong in"));
  EXPECT_FALSE(gauge("check mode").isBad);
}

TEST(GpuThunks, StandOnStreamsAsPlanned) {
  const ThunkStudy study = studied();
  EXPECT_TRUE(study.isPlanned);
  EXPECT_THAT(study.title, HasSubstr("estimated for H100"));
  std::set<uint32_t> shown;
  std::map<uint32_t, int64_t> ends;  // by thunk
  for (const ThunkSpan& span : study.timeline) {
    EXPECT_TRUE(shown.insert(span.thunk).second);
    ends[span.thunk] = span.startNs + span.durationNs;
  }
  for (const ThunkSpan& span : study.timeline) {
    for (const ThunkHazard& hazard : study.hazards) {
      if (hazard.to == span.thunk && ends.contains(hazard.from)) EXPECT_LE(ends[hazard.from], span.startNs);
    }
  }
  EXPECT_EQ(shown.size(), static_cast<size_t>(
                              std::ranges::count(study.thunks, StudiedThunk::kNone, &StudiedThunk::parent)));
}

TEST(GpuThunks, AnUnknownGpuIsRefused) {
  auto module = parseModuleStrictly(kModule);
  EXPECT_EQ(compileThunksForGpu(*std::move(module), "sm_1", {}).error().kind, "unknown-gpu");
}

}  // namespace
}  // namespace hilo
