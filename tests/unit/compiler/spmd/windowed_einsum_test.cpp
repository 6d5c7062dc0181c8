// Dots that are partitioned into loops and then written out: the same answers as whole, on all devices.
#include <random>

#include "core/hlo/text/parse.h"
#include "tests/support/spmd/partitioned_equals_whole.h"

namespace hilo {
namespace {

constexpr const char* kBoth =
    "spmd-partitioning{windowed_einsum_threshold_mib=0,max_windowed_einsum_iteration=8},"
    "windowed-einsum-handler{alltoall_windowed_einsum=true}";

std::string oneOf(std::mt19937& random, std::span<const std::string> choices) {
  return choices[random() % choices.size()];
}

// A product [m,k] x [k,n] whose operands and result are cut along one dimension each, and another product
// that reads the same left side.
std::string productModule(std::mt19937& random, int64_t devices) {
  const auto size = [&] { return devices * static_cast<int64_t>(1 + random() % 4) - random() % 2; };
  const int64_t m = size(), k = size(), n = size();
  const std::string rows = fmt::format("{{devices=[{0},1]<=[{0}]}}", devices),
                    columns = fmt::format("{{devices=[1,{0}]<=[{0}]}}", devices);
  const std::string sharded[] = {rows, columns};
  return fmt::format(R"(HloModule m, num_partitions={0}
ENTRY e {{
  p = f32[{1},{2}] parameter(0), sharding={4}
  q = f32[{2},{3}] parameter(1), sharding={5}
  o = f32[{2},{3}] parameter(2), sharding={6}
  a = f32[{1},{3}] dot(p, q), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}, sharding={7}
  b = f32[{1},{3}] dot(p, o), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}, sharding={7}
  ROOT c = f32[{1},{3}] add(a, b), sharding={7}
}}
)",
                     devices, m, k, n, oneOf(random, sharded), oneOf(random, sharded), oneOf(random, sharded),
                     oneOf(random, sharded));
}

size_t countOf(const Module& module, std::string_view prefix) {
  return static_cast<size_t>(std::ranges::count_if(
      module.computations(), [&](const Computation* c) { return c->name().starts_with(prefix); }));
}

TEST(WindowedEinsum, WrittenOutLoopsGiveTheSame) {
  size_t writtenOut = 0, left = 0;
  for (unsigned seed = 0; seed < 120; ++seed) {
    std::mt19937 random(seed);
    const std::string text = productModule(random, 2 + static_cast<int64_t>(random() % 4));
    auto whole = parseModuleStrictly(text);
    ASSERT_TRUE(whole.has_value()) << toString(whole.error()) << text;
    const SpmdOutcome outcome =
        partitionAndCompare(std::shared_ptr<const Module>(*std::move(whole)), {.passes = kBoth});
    ASSERT_FALSE(outcome.refusal) << toString(*outcome.refusal);
    EXPECT_EQ(outcome.difference, "") << "seed " << seed << "\n" << text;
    writtenOut += countOf(*outcome.partitioned, "unrolled_windowed_dot_general_body");
    left += countOf(*outcome.partitioned, "windowed_dot_general_body");
  }
  EXPECT_GE(writtenOut, 40u);
  // On two devices a loop has one round, and one dot.
  EXPECT_GE(left, 1u);
}

}  // namespace
}  // namespace hilo
