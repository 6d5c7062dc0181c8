#include "core/hlo/proto/message_io.h"

#include <gtest/gtest.h>

#include "core/hlo/proto/schema/dump.pb.h"

namespace hilo {
namespace {

TEST(MessageIo, BinaryProblemsHaveAnOffset) {
  pb::HloModuleProto module;
  const std::string cut(
      "\x0a\x03"
      "abc"
      "\x1a\x7f",
      7);  // field 3 says 127 bytes follow
  const Status parsed = parseBinaryMessage(cut, module);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().kind, "proto-corrupt");
  EXPECT_NE(parsed.error().message.find("byte 5"), std::string::npos) << parsed.error().message;
}

TEST(MessageIo, DeepNestingIsRefused) {
  // A tuple of a tuple of a tuple ...: field 4, each level two or three bytes longer.
  std::string bytes;
  for (int i = 0; i < 5000; ++i) {
    std::string length;
    for (size_t n = bytes.size(); length.empty() || n > 0; n >>= 7)
      length += char((n & 127) | (n >> 7 ? 128 : 0));
    bytes = "\x22" + length + bytes;
  }
  pb::ShapeProto shape;
  const Status parsed = parseBinaryMessage(bytes, shape);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().kind, "proto-corrupt");
}

TEST(MessageIo, ManyTinyMessagesAreRefusedBeforeTheyTakeMemory) {
  std::string computation;
  for (int i = 0; i < 1'000'000; ++i) computation += std::string("\x12\x00", 2);  // an empty instruction
  pb::HloComputationProto message;
  const Status parsed = parseBinaryMessage(computation, message);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().kind, "proto-too-large");
}

TEST(MessageIo, ManyTinyMessagesInTextAreRefusedBeforeTheyTakeMemory) {
  std::string text;
  for (int i = 0; i < 2'000'000; ++i) text += "computations{}";
  pb::HloModuleProto message;
  Diagnostics warnings;
  const Status parsed = parseTextMessage(text, message, warnings);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().kind, "proto-too-large");
}

TEST(MessageIo, BracesInStringsAndCommentsAreNoMessages) {
  const std::string braces(2'000'000, '{');
  pb::HloModuleProto message;
  Diagnostics warnings;
  const Status parsed =
      parseTextMessage("name: \"\\\"" + braces + "\" # '" + braces + "\n id: 7", message, warnings);
  ASSERT_TRUE(parsed) << toString(parsed.error());
  EXPECT_EQ(message.id(), 7);
}

TEST(MessageIo, TextWarnsOfUnknownFields) {
  pb::HloModuleProto module;
  Diagnostics warnings;
  const Status parsed =
      parseTextMessage("name: \"m\"\nfuture_field { x: 1 }\nid: 4\n", module, warnings, "m.pbtxt");
  ASSERT_TRUE(parsed) << toString(parsed.error());
  EXPECT_EQ(module.name(), "m");
  EXPECT_EQ(module.id(), 4);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].kind, "unknown-field");
  EXPECT_EQ(warnings[0].place.line, 2u);
}

TEST(MessageIo, TextErrorsHaveAPlace) {
  pb::HloModuleProto module;
  Diagnostics warnings;
  const Status parsed = parseTextMessage("name: \"m\"\nid: \"four\"\n", module, warnings, "m.pbtxt");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().kind, "text-proto-syntax");
  EXPECT_EQ(parsed.error().place.file, "m.pbtxt");
  EXPECT_EQ(parsed.error().place.line, 2u);
}

TEST(MessageIo, OldFieldNamesAreSkipped) {
  pb::ShapeProto shape;
  Diagnostics warnings;
  const Status parsed =
      parseTextMessage("rank: 2 element_type: F32 dimensions: 2 dimensions: 3", shape, warnings);
  ASSERT_TRUE(parsed) << toString(parsed.error());
  EXPECT_EQ(shape.dimensions_size(), 2);
}

}  // namespace
}  // namespace hilo
