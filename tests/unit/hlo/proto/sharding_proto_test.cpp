#include "core/hlo/proto/sharding_proto.h"

#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include "core/hlo/proto/payload_proto.h"

namespace hilo {
namespace {

using google::protobuf::TextFormat;
using google::protobuf::util::MessageDifferencer;

template <typename Message>
Message parse(const std::string& text) {
  Message message;
  EXPECT_TRUE(TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

TEST(ShardingProto, EveryFormComesBack) {
  Arena arena;
  for (const char* text :
       {"type: REPLICATED", "type: MANUAL", "type: UNKNOWN", "type: UNREDUCED",
        "type: MAXIMAL tile_assignment_devices: 5",
        "type: OTHER tile_assignment_dimensions: [2, 1] tile_assignment_devices: [1, 0]",
        "type: OTHER tile_assignment_dimensions: [2, 2] iota_reshape_dims: [2, 2] iota_transpose_perm: [1, "
        "0]",
        "type: OTHER tile_assignment_dimensions: [1, 2] tile_assignment_devices: [0, 1] "
        "replicate_on_last_tile_dim: true",
        "type: OTHER tile_assignment_dimensions: [1, 2, 2] iota_reshape_dims: 4 iota_transpose_perm: 0 "
        "last_tile_dims: [MANUAL, REPLICATED]",
        "type: TUPLE tuple_shardings { type: REPLICATED } tuple_shardings { type: MANUAL }",
        "type: REPLICATED is_shard_group: true shard_group_id: 3 shard_group_type: LIKE",
        "type: REPLICATED metadata { op_name: \"f\" source_line: 3 }"}) {
    const auto proto = parse<pb::OpSharding>(text);
    const auto sharding = readSharding(proto, arena);
    ASSERT_TRUE(sharding) << text << toString(sharding.error());
    pb::OpSharding written;
    writeSharding(*sharding, written);
    EXPECT_TRUE(MessageDifferencer::Equals(proto, written)) << text << "\n" << written.DebugString();
  }
}

TEST(ShardingProto, NamedShardings) {
  Arena arena;
  const auto proto = parse<pb::OpSharding>(
      "named_sharding { mesh { axes { name: \"x\" size: 2 } axes { name: \"y\" size: 4 } "
      "iota_transform { reshape_dims: [4, 2] transpose_perm: [1, 0] } } "
      "dim_shardings { axes { mesh_axis_index: 1 sub_axis_info { pre_size: 1 size: 2 } } is_closed: true } "
      "dim_shardings { } replicated_axes { } unreduced_axes { mesh_axis_index: 1 } reduction_op: MAX }");
  const auto sharding = readSharding(proto, arena);
  ASSERT_TRUE(sharding);
  ASSERT_NE(sharding->named, nullptr);
  EXPECT_EQ(sharding->named->mesh.axes[1].name, "y");
  EXPECT_EQ(sharding->named->dimensions[0].axes[0].subSize, 2);
  pb::OpSharding written;
  writeSharding(*sharding, written);
  EXPECT_TRUE(MessageDifferencer::Equals(proto, written)) << written.DebugString();
}

TEST(ShardingProto, BrokenOnesAreRefused) {
  Arena arena;
  pb::OpSharding proto;
  proto.set_type(static_cast<pb::OpSharding::Type>(99));
  EXPECT_EQ(readSharding(proto, arena).error().kind, "bad-sharding");
  EXPECT_EQ(readSharding(parse<pb::OpSharding>("type: MAXIMAL"), arena).error().kind, "bad-sharding");
}

TEST(ReplicaGroupsProto, EveryForm) {
  Arena arena;
  for (const char* text : {"collective_device_list { replica_groups { replica_ids: [0, 1] } replica_groups { "
                           "replica_ids: [2, 3] } }",
                           "collective_device_list { }",
                           "iota_collective_device_list { num_replica_groups: 2 num_devices_per_group: 2 "
                           "iota_reshape_dims: [2, 2] "
                           "iota_transpose_perm: [1, 0] }",
                           "mesh_axes_replica_group_list { mesh { axes { name: \"x\" size: 2 } } axes { "
                           "mesh_axis_index: 0 } }"}) {
    const auto proto = parse<pb::HloInstructionProto>(text);
    pb::HloInstructionProto written;
    writeReplicaGroups(readReplicaGroups(proto, arena), written);
    EXPECT_TRUE(MessageDifferencer::Equals(proto, written)) << text << "\n" << written.DebugString();
  }
  const auto old = parse<pb::HloInstructionProto>("replica_groups { replica_ids: [0, 1] }");
  EXPECT_EQ(expandReplicaGroups(readReplicaGroups(old, arena)), (std::vector<std::vector<int64_t>>{{0, 1}}));
}

TEST(OriginalValueProto, TreesAndBrokenIndices) {
  Arena arena;
  const auto proto = parse<pb::OriginalValueProto>(
      "elements { shape_index: 0 original_array { instruction_name: \"a\" } } "
      "elements { shape_index: [1, 0] original_array { instruction_name: \"b\" shape_index: 3 } } "
      "elements { shape_index: [1, 1] }");
  const auto value = readOriginalValue(proto, arena);
  ASSERT_TRUE(value);
  ASSERT_EQ(value->root.elements.size(), 2u);
  EXPECT_EQ(value->root.elements[1].elements[0].instruction, "b");
  pb::OriginalValueProto written;
  writeOriginalValue(*value, written);
  EXPECT_TRUE(MessageDifferencer::Equals(proto, written)) << written.DebugString();
  EXPECT_FALSE(readOriginalValue(parse<pb::OriginalValueProto>("elements { shape_index: -1 }"), arena));
  EXPECT_FALSE(readOriginalValue(
      parse<pb::OriginalValueProto>("elements { shape_index: 4611686018427387904 }"), arena));
}

}  // namespace
}  // namespace hilo
