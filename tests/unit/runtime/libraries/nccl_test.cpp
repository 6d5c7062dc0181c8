// Collectives of NCCL among threads, one a rank, on the host's memory.
#include "core/runtime/libraries/nccl.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/runtime/libraries/host_stream.h"

namespace hilo {
namespace {

constexpr size_t kRanks = 3;
using Array = std::vector<float>;

// Runs the collective on each rank with one array, `given(rank)`, and gives what each got.
template <typename Given>
std::vector<Array> onAll(const Collective& collective, Given given, size_t resultSize) {
  const auto library = Nccl::open(kFakes);
  EXPECT_TRUE(library) << toString(library.error());
  const NcclUniqueId id = (*library)->newClique().value();
  std::vector<Array> results(kRanks, Array(resultSize, -1));
  {
    std::vector<std::jthread> threads;
    for (size_t rank = 0; rank < kRanks; ++rank) {
      threads.emplace_back([&, rank] {
        HostStream stream;
        const auto joined = (*library)->join(id, kRanks, rank);
        ASSERT_TRUE(joined) << toString(joined.error());
        const Array from = given(rank);
        const CollectiveArrays arrays{{addresses(from), addresses(results[rank])},
                                      {static_cast<int64_t>(4 * from.size())},
                                      {static_cast<int64_t>(4 * resultSize)}};
        // Each to the next, but the last to nobody.
        const std::vector<int> next(rank + 1 < kRanks ? 1 : 0, static_cast<int>(rank) + 1);
        const auto before = rank == 0 ? std::nullopt : std::optional(static_cast<int>(rank) - 1);
        const Status done = collective.kind == CollectiveKind::Permute
                                ? (*joined)->permute(arrays, before, next, stream)
                                : (*joined)->run(collective, arrays, stream);
        EXPECT_TRUE(done) << toString(done.error());
        EXPECT_TRUE((*joined)->check());
      });
    }
  }
  return results;
}

Collective reducing(CollectiveKind kind, int64_t outer, ReductionKind by = ReductionKind::Sum) {
  return {.kind = kind,
          .groups = {},
          .reductions = {{.type = ElementType::F32}},
          .reduction = by,
          .outer = {outer}};
}
Collective moving(CollectiveKind kind, int64_t outer) {
  return {.kind = kind, .groups = {}, .outer = {outer}};
}

TEST(NcclLibrary, AllReducesBySumAndMaximum) {
  const auto given = [](size_t rank) {
    return Array{static_cast<float>(rank), 10, -static_cast<float>(rank)};
  };
  for (const Array& sum : onAll(reducing(CollectiveKind::AllReduce, 1), given, 3))
    EXPECT_EQ(sum, (Array{3, 30, -3}));
  for (const Array& most : onAll(reducing(CollectiveKind::AllReduce, 1, ReductionKind::Maximum), given, 3))
    EXPECT_EQ(most, (Array{2, 10, 0}));
}

// f32[2, 3] scattered along its second dimension: two runs of three parts.
TEST(NcclLibrary, ReduceScattersAlongAnInnerDimension) {
  const auto got =
      onAll(reducing(CollectiveKind::ReduceScatter, 2), [](size_t) { return Array{1, 2, 3, 4, 5, 6}; }, 2);
  EXPECT_EQ(got, (std::vector<Array>{{3, 12}, {6, 15}, {9, 18}}));
}

// f32[2, 1] of each gathered to f32[2, 3].
TEST(NcclLibrary, GathersAlongAnInnerDimension) {
  const auto got = onAll(
      moving(CollectiveKind::AllGather, 2),
      [](size_t rank) { return Array{static_cast<float>(rank), static_cast<float>(10 * rank)}; }, 6);
  for (const Array& all : got) EXPECT_EQ(all, (Array{0, 1, 2, 0, 10, 20}));
}

TEST(NcclLibrary, ExchangesPartsOfAll) {
  const auto got = onAll(
      moving(CollectiveKind::AllToAll, 1),
      [](size_t rank) {
        const auto tens = static_cast<float>(10 * rank);
        return Array{tens, tens + 1, tens + 2};
      },
      3);
  EXPECT_EQ(got, (std::vector<Array>{{0, 10, 20}, {1, 11, 21}, {2, 12, 22}}));
}

TEST(NcclLibrary, BroadcastsFromTheFirstAndPassesOn) {
  const auto given = [](size_t rank) { return Array{static_cast<float>(rank + 5)}; };
  for (const Array& got : onAll(moving(CollectiveKind::Broadcast, 1), given, 1)) EXPECT_EQ(got, Array{5});
  // The first takes nothing, the last gives nothing.
  EXPECT_EQ(onAll(moving(CollectiveKind::Permute, 1), given, 1), (std::vector<Array>{{-1}, {5}, {6}}));
}

TEST(NcclLibrary, SaysWhatItCannotCombineAndWhatDoesNotFit) {
  EXPECT_EQ(Nccl::whyNot(reducing(CollectiveKind::AllReduce, 1)), "");
  Collective pred = reducing(CollectiveKind::AllReduce, 1);
  pred.reductions[0].type = ElementType::Pred;
  EXPECT_EQ(Nccl::whyNot(pred), "it combines no pred");
  EXPECT_NE(Nccl::whyNot(reducing(CollectiveKind::AllReduce, 1, ReductionKind::Other)), "");
  EXPECT_NE(Nccl::whyNot({.kind = CollectiveKind::RaggedAllToAll, .groups = {}}), "");
  EXPECT_EQ(Nccl::open(kNowhere).error().kind, "missing-library");

  const auto library = Nccl::open(kFakes);
  const auto alone = (*library)->join((*library)->newClique().value(), 1, 0);
  ASSERT_TRUE(alone);
  HostStream stream;
  Array a(3), b(4);
  const CollectiveArrays arrays{{addresses(a), addresses(b)}, {12}, {16}};
  EXPECT_EQ((*alone)->run(moving(CollectiveKind::AllGather, 1), arrays, stream).error().kind,
            "malformed-instruction");
}

}  // namespace
}  // namespace hilo
