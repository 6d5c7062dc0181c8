// Which values make a heap as large as it is, and where two plans part.
#include "core/analysis/memory/memory_blame.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

// a lives through, b and c take turns; d is the result.
constexpr const char* kModule = R"(HloModule m, is_scheduled=true
ENTRY e {
  p = f32[100] parameter(0)
  a = f32[100] reverse(p), dimensions={0}
  b = f32[50] slice(a), slice={[0:50]}
  c = f32[50] reverse(b), dimensions={0}
  s = f32[100] concatenate(c, c), dimensions={0}
  ROOT d = f32[100] add(s, a)
})";

class MemoryBlame : public testing::Test {
 protected:
  void SetUp() override {
    auto parsed = parseModuleStrictly(kModule);
    ASSERT_TRUE(parsed);
    module_ = std::move(*parsed);
    aliases_ = std::make_unique<AliasAnalysis>(*AliasAnalysis::run(*module_));
    ranges_ = std::make_unique<ValueLiveRanges>(*aliases_);
  }
  static BufferAllocation allocation(int64_t index, int64_t bytes) {
    return {.index = index, .sizeBytes = bytes};
  }
  // The id under which a value stands in the plan.
  int64_t put(BufferAssignment& plan, const char* name, int64_t bytes, size_t in, int64_t offset) const {
    const auto id = static_cast<int64_t>(plan.buffers.size());
    plan.buffers.push_back({.id = id, .sizeBytes = bytes, .computation = "e", .instruction = name});
    plan.allocations[in].assigned.push_back({id, offset, bytes});
    return id;
  }
  // `offset` is c's in a heap of `heap` bytes; where `inOutput`, a lies with the result.
  BufferAssignment plan(int64_t heap, int64_t offset, bool inOutput) const {
    BufferAssignment made;
    made.allocations = {allocation(0, 400), allocation(1, 400), allocation(2, heap)};
    made.allocations[0].isEntryParameter = true;
    made.allocations[1].maybeLiveOut = true;
    made.allocations[2].isPreallocatedTemp = true;
    put(made, "p", 400, 0, 0);
    put(made, "d", 400, 1, 0);
    put(made, "a", 400, inOutput ? 1 : 2, 0);
    put(made, "b", 200, 2, 400);
    put(made, "c", 200, 2, offset);
    put(made, "s", 400, 2, offset + 200);
    return made;
  }
  std::unique_ptr<Module> module_;
  std::unique_ptr<AliasAnalysis> aliases_;
  std::unique_ptr<ValueLiveRanges> ranges_;
};

TEST_F(MemoryBlame, NamesWhatLiesHigherThanNeedBeAndWhatIsFreeBelow) {
  // s ends at 600 + 600: beside it and c and a, the 200 bytes of b are free by then.
  const BufferAssignment made = plan(1200, 600, false);
  const MemoryProfile profile = profileMemory(*ranges_, made);
  const auto ends = heapEnds(profile, made);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(profile.values[ends[0].value].name, "s");
  EXPECT_EQ(ends[0].neededBytes, 1000);
  EXPECT_EQ(ends[0].freeBelowBytes, 200);
  EXPECT_EQ(ends[0].fullestStep, 4);
}

TEST_F(MemoryBlame, NamesNothingInAHeapThatIsAsSmallAsCanBe) {
  const BufferAssignment made = plan(1000, 400, false);
  EXPECT_TRUE(heapEnds(profileMemory(*ranges_, made), made).empty());
}

TEST_F(MemoryBlame, SaysWhereTwoPlansPutAValueIntoMemoryOfOtherKinds) {
  const BufferAssignment left = plan(1200, 600, false), right = plan(1200, 600, true);
  const MemoryProfile a = profileMemory(*ranges_, left), b = profileMemory(*ranges_, right);
  const auto differences = comparePlacements(a, left, b, right);
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].name, "a");
  EXPECT_EQ(differences[0].a, PlaceKind::Temporary);
  EXPECT_EQ(differences[0].b, PlaceKind::Output);
  EXPECT_EQ(differences[0].sharedA, "");
  EXPECT_EQ(differences[0].sharedB, "d");
  EXPECT_EQ(placeKindName(differences[0].b), "output");
  EXPECT_TRUE(comparePlacements(a, left, a, left).empty());
}

}  // namespace
}  // namespace hilo
