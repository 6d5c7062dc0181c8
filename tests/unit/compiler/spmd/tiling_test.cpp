// Shardings as tables of devices: read, written back, renamed, merged, taken through reshapes.
#include "core/compiler/spmd/tiling_steps.h"
#include "core/hlo/text/parse.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

Result<Tiling> read(std::string_view text, std::initializer_list<int64_t> sizes, int64_t partitions) {
  Module module("m");
  Instruction* owner =
      module.createComputation("c")->createParameter(0, Shape::array(ElementType::F32, sizes), "p");
  Arena arena;
  const auto sharding = parseSharding(text, arena);
  EXPECT_TRUE(sharding.has_value()) << text;
  return tilingOf(*sharding, owner->shape(), partitions, *owner);
}

TEST(Tiling, TextComesBackAsAnIotaWhereThereIsOne) {
  EXPECT_EQ(toString(*read("{devices=[2,2]0,1,2,3}", {4, 4}, 4)), "{devices=[2,2]<=[4]}");
  EXPECT_EQ(toString(*read("{devices=[2,2]0,2,1,3}", {4, 4}, 4)), "{devices=[2,2]<=[2,2]T(1,0)}");
  EXPECT_EQ(toString(*read("{devices=[4]0,3,1,2}", {4}, 4)), "{devices=[4]0,3,1,2}");
  EXPECT_EQ(toString(*read("{devices=[1,2,4]<=[8] last_tile_dim_replicate}", {4, 4}, 8)),
            "{devices=[1,2,4]<=[8] last_tile_dim_replicate}");
  EXPECT_EQ(toString(*read("{devices=[1,2,2]<=[4] last_tile_dims={manual}}", {4, 4}, 4)),
            "{devices=[1,2,2]<=[4] last_tile_dims={manual}}");
}

TEST(Tiling, ANamedMeshIsATableToo) {
  // Axis b of size 4 cuts the first dimension; devices along a hold copies.
  EXPECT_EQ(*read("{mesh['a'=2,'b'=4], [{'b'}, {}]}", {8, 8}, 8),
            *read("{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}", {8, 8}, 8));
  // The major half of b alone.
  EXPECT_EQ(*read("{mesh['a'=2,'b'=4], [{'b':(1)2}, {}]}", {8, 8}, 8),
            *read("{devices=[2,1,4]0,1,4,5,2,3,6,7 last_tile_dim_replicate}", {8, 8}, 8));
}

TEST(Tiling, LeavingADimensionOutMakesCopies) {
  const Tiling tiling = *read("{devices=[2,4]<=[8]}", {8, 8}, 8);
  EXPECT_EQ(renamed(tiling, std::vector<int64_t>{1}),
            *read("{devices=[4,2]<=[2,4]T(1,0) last_tile_dim_replicate}", {8}, 8));
  EXPECT_EQ(renamed(tiling, std::vector<int64_t>{-1, 0}),
            *read("{devices=[1,2,4]<=[8] last_tile_dim_replicate}", {8, 8}, 8));
}

TEST(Tiling, TwoThatCutDifferentDimensionsMerge) {
  const Tiling rows = *read("{devices=[2,1,2]<=[4] last_tile_dim_replicate}", {4, 4}, 4);
  const Tiling columns = *read("{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}", {4, 4}, 4);
  EXPECT_EQ(*merged(rows, columns), *read("{devices=[2,2]<=[4]}", {4, 4}, 4));
  const Tiling sameDevices = *read("{devices=[1,2,2]<=[4] last_tile_dim_replicate}", {4, 4}, 4);
  EXPECT_FALSE(merged(rows, sameDevices).has_value());
}

TEST(Tiling, ReshapesKeepTilesThatArePartsOfBoth) {
  const std::vector<int64_t> flat = {24}, split = {4, 6}, other = {6, 4};
  const Tiling tiling = *read("{devices=[2,1,2]<=[4] last_tile_dim_replicate}", {4, 6}, 4);
  EXPECT_EQ(*reshaped(tiling, split, flat), *read("{devices=[2,2]<=[4] last_tile_dim_replicate}", {24}, 4));
  EXPECT_EQ(*reshaped(tiling, split, other),
            *read("{devices=[2,1,2]<=[4] last_tile_dim_replicate}", {6, 4}, 4));
  const Tiling minor = *read("{devices=[1,2,2]<=[4] last_tile_dim_replicate}", {4, 6}, 4);
  EXPECT_FALSE(reshaped(minor, split, flat).has_value());
}

TEST(Tiling, WrongNumbersAreToldWithTheInstruction) {
  for (const char* text : {"{devices=[2,2]<=[4]}", "{devices=[2,1,1]<=[2]}", "{maximal device=9}"}) {
    const auto tiling = read(text, {4, 4}, 2);
    ASSERT_FALSE(tiling.has_value()) << text;
    EXPECT_EQ(tiling.error().kind, "sharding-invalid");
    EXPECT_EQ(tiling.error().place.instruction, "p");
  }
}

}  // namespace
}  // namespace hilo
