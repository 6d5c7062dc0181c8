#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/runtime/program/program.h"

namespace hilo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Thunk thunkOf(ThunkBody body) { return {.name = "t", .body = std::move(body)}; }

// What follows from the types of fields alone.
TEST(ThunkKinds, SequencesThatAreRunAreThoseOfTheFields) {
  EXPECT_THAT(nestedSequences(thunkOf(WhileThunk{.condition = 3, .body = 4})), ElementsAre(3, 4));
  EXPECT_THAT(nestedSequences(thunkOf(ConditionalThunk{.branches = {7, 5, 6}})), ElementsAre(7, 5, 6));
  EXPECT_THAT(nestedSequences(thunkOf(KernelThunk{.kernel = 1})), IsEmpty());
}

TEST(ThunkKinds, BuffersOfAFieldWithinAFieldAreUsed) {
  RowBlocksThunk thunk;
  thunk.before.lhs = ReadSlice({1, 0, 8});
  thunk.kernel.arguments = {ReadSlice({2, 0, 8})};
  thunk.after.result = WriteSlice({3, 0, 8});
  size_t written = 0;
  std::vector<uint32_t> touched;
  for (const BufferUse& use : bufferUses(thunkOf(thunk))) {
    if (use.slice.sizeBytes > 0) touched.push_back(use.slice.allocation);
    written += use.slice.sizeBytes > 0 && use.writes;
  }
  EXPECT_THAT(touched, ElementsAre(1, 2, 3));
  EXPECT_EQ(written, 1u);
}

TEST(ThunkKinds, OrderIsKeptWhereOthersCanTell) {
  EXPECT_TRUE(hasOwnOrder(thunkOf(CollectiveThunk())));
  EXPECT_TRUE(hasOwnOrder(thunkOf(OutfeedThunk())));
  EXPECT_FALSE(hasOwnOrder(thunkOf(KernelThunk())));
  EXPECT_FALSE(hasOwnOrder(thunkOf(HostedThunk())));
  EXPECT_TRUE(hasOwnOrder(thunkOf(CustomCallThunk{.hasSideEffect = true})));
  EXPECT_FALSE(hasOwnOrder(thunkOf(CustomCallThunk{.hasSideEffect = false})));
}

// A program with one thunk; there are two sequences and an allocation, and all other tables are empty.
std::string whyMalformed(ThunkBody body) {
  Program program;
  program.name = "p";
  program.result = Shape::tuple({});
  program.allocations = {{AllocationKind::Temporary, 4, 0}};
  program.sequences = {{thunkOf(std::move(body))}, {}};
  const Status checked = checkProgram(program);
  return checked ? "fine" : checked.error().message;
}

TEST(ThunkKinds, APlaceOutsideItsTableIsRefused) {
  const ReadSlice selector({0, 0, 4});
  EXPECT_EQ(whyMalformed(KernelThunk{.kernel = 2}), "t names kernel 2, of 0");
  EXPECT_EQ(whyMalformed(SendThunk{.collective = 1}), "t names collective 1, of 0");
  EXPECT_EQ(whyMalformed(ReceiveThunk()), "t names collective 0, of 0");
  EXPECT_EQ(whyMalformed(HostedThunk{.program = 4}), "t names program 4, of 0");
  EXPECT_EQ(whyMalformed(LibraryThunk{.substitute = 5}), "t names substitute 5, of 0");
  EXPECT_EQ(whyMalformed(SortThunk{.comparator = {9}}), "t names comparator 9, of 0");
  EXPECT_EQ(whyMalformed(ConditionalThunk{.selector = selector, .branches = {1, 2}}),
            "t names branches 2, of 2");
  EXPECT_EQ(whyMalformed(WhileThunk{.test = selector, .condition = 0, .body = 1}),
            "t runs sequence 0, which it may not");
}

TEST(ThunkKinds, AReductionNamesKernelsThatThereAre) {
  Program program;
  program.result = Shape::tuple({});
  program.sequences = {{}};
  program.collectives.push_back({.reductions = {{.accumulate = 0, .narrow = 3}}});
  const Status checked = checkProgram(program);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message, HasSubstr("collective 0 names accumulate 0, of 0"));
}

// Places are what they were in files and texts: numbers.
TEST(ThunkKinds, PlacesAreWrittenAsNumbers) {
  Program program;
  program.sequences = {
      {thunkOf(WhileThunk{.test = ReadSlice({0, 0, 1}), .condition = 1, .body = 2})}, {}, {}};
  EXPECT_THAT(toText(program), HasSubstr("t while test=r0[0:1], condition=1, body=2\n"));
  EXPECT_THAT(toJson(program), HasSubstr("\"condition\": 1"));
}

}  // namespace
}  // namespace hilo
