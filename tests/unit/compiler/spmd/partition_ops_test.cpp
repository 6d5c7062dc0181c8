// Every operation, cut in all ways over 2 to 8 devices, computes what it does whole.
#include "tests/support/spmd/partitioned_equals_whole.h"

namespace hilo {
namespace {

std::string module4(const std::string& body) { return "HloModule m, num_partitions=4\n" + body; }

constexpr const char* kReducers = R"(
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b) }
max { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] maximum(a, b) }
less { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = pred[] compare(a, b), direction=LT }
)";

// The instruction under test with every combination of shardings of a list for operands and result.
void expectEqualInAllWays(const std::string& entry, const std::vector<std::string>& shardings,
                          size_t places) {
  std::vector<size_t> choice(places, 0);
  for (;;) {
    std::string text = entry;
    for (size_t i = 0; i < places; ++i) {
      const std::string mark = "$" + std::to_string(i);
      for (size_t at = text.find(mark); at != text.npos; at = text.find(mark))
        text.replace(at, mark.size(), "sharding=" + shardings[choice[i]]);
    }
    ASSERT_TRUE(partitionedEqualsWhole(module4(kReducers + text), {.passes = "spmd-partitioning"}));
    size_t i = 0;
    while (i < places && ++choice[i] == shardings.size()) choice[i++] = 0;
    if (i == places) return;
  }
}

const std::vector<std::string> kMatrix = {"{replicated}",
                                          "{devices=[4,1]<=[4]}",
                                          "{devices=[1,4]<=[4]}",
                                          "{devices=[2,2]<=[4]}",
                                          "{devices=[2,2]<=[2,2]T(1,0)}",
                                          "{devices=[2,1,2]<=[4] last_tile_dim_replicate}",
                                          "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}",
                                          "{maximal device=2}"};
const std::vector<std::string> kVector = {"{replicated}", "{devices=[4]<=[4]}",
                                          "{devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"};

TEST(PartitionOps, ReshardsBetweenAllTilings) {
  for (const char* shape : {"f32[8,8]", "f32[5,7]", "f32[2,12]", "s32[6,3]"}) {
    std::string entry = "ENTRY e { p = S parameter(0), $0\n ROOT c = S copy(p), $1 }";
    for (size_t at = entry.find("S "); at != entry.npos; at = entry.find("S ")) entry.replace(at, 1, shape);
    expectEqualInAllWays(entry, kMatrix, 2);
  }
}

TEST(PartitionOps, ElementwiseOfTwo) {
  expectEqualInAllWays(R"(ENTRY e { p = f32[6,5] parameter(0), $0
    q = f32[6,5] parameter(1), $1
    ROOT c = f32[6,5] subtract(p, q), $2 })",
                       kMatrix, 3);
}

TEST(PartitionOps, Dot) {
  for (const char* sums : {"lhs_contracting_dims={1}, rhs_contracting_dims={0}",
                           "lhs_contracting_dims={0}, rhs_contracting_dims={0}"}) {
    expectEqualInAllWays(std::string("ENTRY e { p = f32[6,6] parameter(0), $0\n q = f32[6,6] parameter(1), "
                                     "$1\n ROOT d = f32[6,6] dot(p, q), ") +
                             sums + ", $2 }",
                         kMatrix, 3);
  }
}

TEST(PartitionOps, BatchedDot) {
  const std::vector<std::string> cubes = {"{replicated}", "{devices=[4,1,1]<=[4]}", "{devices=[1,2,2]<=[4]}",
                                          "{devices=[2,1,2]<=[2,2]T(1,0)}"};
  expectEqualInAllWays(R"(ENTRY e { p = f32[4,6,2] parameter(0), $0
    q = f32[4,2,5] parameter(1), $1
    ROOT d = f32[4,6,5] dot(p, q), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}, $2 })",
                       cubes, 3);
}

TEST(PartitionOps, Reduce) {
  for (const char* dimension : {"0", "1"}) {
    for (const char* combiner : {"add", "max"}) {
      std::string entry = "ENTRY e { p = f32[7,N] parameter(0), $0\n z = f32[] parameter(1)\n";
      entry += std::string(" r = f32[7] reduce(p, z), dimensions={") + dimension + "}, to_apply=" + combiner +
               ", $1\n ROOT n = f32[7] negate(r), $1 }";
      entry.replace(entry.find("N]"), 1, "7");
      std::vector<std::string> both = kMatrix;
      for (const std::string& operand : kMatrix) {
        std::string one = entry;
        one.replace(one.find("$0"), 2, "sharding=" + operand);
        for (const std::string& result : kVector) {
          std::string text = one;
          for (size_t at = text.find("$1"); at != text.npos; at = text.find("$1"))
            text.replace(at, 2, "sharding=" + result);
          ASSERT_TRUE(partitionedEqualsWhole(module4(kReducers + text), {.passes = "spmd-partitioning"}));
        }
      }
    }
  }
}

// One operand of rank 2 and a result of rank 2.
TEST(PartitionOps, OfOneMatrix) {
  for (const char* operation :
       {"f32[6,8] transpose(p), dimensions={1,0}", "f32[8,6] reverse(p), dimensions={0}",
        "f32[4,6] slice(p), slice={[1:8:2],[0:6]}", "f32[10,6] concatenate(p, h), dimensions={0}",
        "f32[10,6] pad(p, z), padding=1_1x0_0", "f32[4,12] reshape(p)", "f32[12,4] reshape(p)",
        "f32[8,6] sort(p), dimensions={1}, to_apply=less",
        "f32[3,6] dynamic-slice(p, i, i), dynamic_slice_sizes={3,6}",
        "f32[8,6] dynamic-update-slice(p, h, i, i)",
        "f32[8,6] reduce-window(p, z), window={size=2x1 pad=1_0x0_0}, to_apply=add",
        "f32[8,6] iota(), iota_dimension=0", "f32[8,6] broadcast(v), dimensions={1}",
        "f32[5,6] gather(p, x), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
        "index_vector_dim=1, slice_sizes={1,6}",
        "f32[8,6] scatter(p, x, u), update_window_dims={1}, inserted_window_dims={0}, "
        "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
        "f32[8,6] custom-call(p), custom_call_target=\"Sharding\"", "s32[8,6] convert(p)",
        "f32[8,6] clamp(z, p, z)"}) {
    expectEqualInAllWays(std::string(R"(ENTRY e { p = f32[8,6] parameter(0), $0
      z = f32[] constant(0)
      h = f32[2,6] constant({{1,2,3,4,5,6},{7,8,9,10,11,12}})
      v = f32[6] constant({1,2,3,4,5,6})
      i = s32[] constant(2)
      x = s32[5] constant({1,0,7,3,3})
      u = f32[5,6] broadcast(v), dimensions={1}, $1
      ROOT r = )") + operation +
                             ", $1 }",
                         kMatrix, 2);
  }
}

TEST(PartitionOps, Convolution) {
  const std::vector<std::string> images = {"{replicated}", "{devices=[4,1,1]<=[4]}", "{devices=[1,4,1]<=[4]}",
                                           "{devices=[1,1,4]<=[4]}", "{devices=[2,1,2]<=[4]}"};
  expectEqualInAllWays(R"(ENTRY e { p = f32[4,8,4] parameter(0), $0
    k = f32[3,4,4] parameter(1), $1
    ROOT c = f32[4,8,4] convolution(p, k), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f, $2 })",
                       images, 3);
}

}  // namespace
}  // namespace hilo
