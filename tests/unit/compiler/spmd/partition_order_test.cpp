// Scans, and the first k of sorts, cut in all ways over four devices, compute what they do whole.
#include "tests/support/spmd/partitioned_equals_whole.h"

namespace hilo {
namespace {

const std::vector<std::string> kMatrix = {"{replicated}",
                                          "{devices=[4,1]<=[4]}",
                                          "{devices=[1,4]<=[4]}",
                                          "{devices=[2,2]<=[4]}",
                                          "{devices=[2,2]<=[2,2]T(1,0)}",
                                          "{devices=[2,1,2]<=[4] last_tile_dim_replicate}",
                                          "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}",
                                          "{maximal device=2}"};

void expectEqual(const std::string& text) {
  ASSERT_TRUE(
      partitionedEqualsWhole("HloModule m, num_partitions=4\n" + text, {.passes = "spmd-partitioning"}));
}

// The later one where it is not negative: in another order it is another one.
constexpr const char* kStep = R"(
step { x = s32[$N] parameter(0)
  c = s32[$N] parameter(1)
  z = s32[] constant(0)
  zs = s32[$N] broadcast(z), dimensions={}
  isLess = pred[$N] compare(x, zs), direction=LT
  r = s32[$N] select(isLess, c, x)
  ROOT t = (s32[$N], s32[$N]) tuple(r, r) }
ENTRY e { p = s32[$N,$N] parameter(0), sharding=$FROM
  c = s32[$N] parameter(1)
  ROOT s = (s32[$N,$N], s32[$N]) scan(p, c), num_carries=1, to_apply=step, sharding={$TO, {replicated}}, )";

std::string filled(std::string text, const std::string& mark, const std::string& by) {
  for (size_t at = text.find(mark); at != text.npos; at = text.find(mark)) text.replace(at, mark.size(), by);
  return text;
}

TEST(PartitionOrder, Scans) {
  for (const char* size : {"8", "6"}) {
    for (const char* how :
         {"is_associative=true", "is_reverse=true, is_associative=true", "is_reverse=true"}) {
      for (const char* dimension : {"0", "1"}) {
        for (const std::string& from : kMatrix) {
          for (const std::string& to : kMatrix) {
            const std::string text = filled(filled(filled(kStep, "$N", size), "$FROM", from), "$TO", to);
            expectEqual(text + how + ", dimensions={" + dimension + "} }");
          }
        }
      }
    }
  }
}

TEST(PartitionOrder, TopK) {
  for (const std::string& from : kMatrix) {
    for (const std::string& to : kMatrix) {
      expectEqual("ENTRY e { p = f32[4,16] parameter(0), sharding=" + from +
                  "\n ROOT t = (f32[4,3], s32[4,3]) custom-call(p), custom_call_target=\"TopK\", sharding={" +
                  to + ", " + to + "} }");
    }
  }
}

// Many are equal: the places say which were taken.
TEST(PartitionOrder, FirstOfASort) {
  for (const std::string& from : kMatrix) {
    for (const std::string& to : kMatrix) {
      expectEqual(R"(largest { a = s32[] parameter(0)
  b = s32[] parameter(1)
  i = s32[] parameter(2)
  j = s32[] parameter(3)
  ROOT c = pred[] compare(a, b), direction=GT }
ENTRY e { p = s32[4,16] parameter(0)
  two = s32[] constant(2)
  twos = s32[4,16] broadcast(two), dimensions={}
  q = s32[4,16] remainder(p, twos), sharding=)" +
                  from + R"(
  n = s32[4,16] iota(), iota_dimension=1
  s = (s32[4,16], s32[4,16]) sort(q, n), dimensions={1}, is_stable=true, to_apply=largest
  v = s32[4,16] get-tuple-element(s), index=0
  w = s32[4,3] slice(v), slice={[0:4], [0:3]}
  x = s32[4,16] get-tuple-element(s), index=1
  y = s32[4,3] slice(x), slice={[0:4], [0:3]}
  ROOT t = (s32[4,3], s32[4,3]) tuple(w, y), sharding={)" +
                  to + ", " + to + "} }");
    }
  }
}

}  // namespace
}  // namespace hilo
