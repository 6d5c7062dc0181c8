#include "core/hlo/proto/text_tree.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

TextNode parse(std::string_view text) {
  auto tree = parseTextTree(text);
  EXPECT_TRUE(tree) << toString(tree.error());
  return tree ? *std::move(tree) : TextNode{};
}

TEST(TextTree, ScalarsAndMessages) {
  const TextNode root = parse(
      "# a comment\n"
      "platform_name: \"CUDA\"\n"
      "gpu_device_info { core_count: 108 clock_rate_ghz: 1.41 nested < flag: true > }\n");
  EXPECT_EQ(root.text("platform_name"), "CUDA");
  const TextNode* info = root.child("gpu_device_info");
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(info->integer("core_count"), 108);
  EXPECT_EQ(info->text("clock_rate_ghz"), "1.41");
  ASSERT_NE(info->child("nested"), nullptr);
  EXPECT_EQ(info->child("nested")->text("flag"), "true");
  EXPECT_EQ(info->line, 3u);
}

TEST(TextTree, ListsRepeatTheField) {
  const TextNode root = parse("d: [1, -2, 3], e: [], m: [{a: 1}, {a: 2}]");
  ASSERT_EQ(root.children.size(), 5u);
  EXPECT_EQ(root.children[1].name, "d");
  EXPECT_EQ(root.children[1].value, "-2");
  EXPECT_EQ(root.children[4].integer("a"), 2);
}

TEST(TextTree, StringsAreUnescapedAndJoined) {
  const TextNode root = parse(R"(s: "a\n\"\x41\101" 'b\'' t: "\u00e9")");
  EXPECT_EQ(root.text("s"), "a\n\"AAb'");
  EXPECT_EQ(root.text("t"), "\xc3\xa9");
}

TEST(TextTree, ExtensionAndAnyNames) {
  const TextNode root = parse("[type.googleapis.com/xla.Thing] { x: 1 }");
  ASSERT_EQ(root.children.size(), 1u);
  EXPECT_EQ(root.children[0].name, "[type.googleapis.com/xla.Thing]");
}

TEST(TextTree, PrintsWhatProtobufPrints) {
  const std::string text = "a: 1\nm {\n  s: \"x\\n\\001\"\n  e: KIND\n}\n";
  EXPECT_EQ(toString(parse(text)), text);
}

TEST(TextTree, SyntaxErrorsHaveAPlace) {
  const auto tree = parseTextTree("a: 1\nb = 2\n", "x.pbtxt");
  ASSERT_FALSE(tree);
  EXPECT_EQ(tree.error().kind, "text-proto-syntax");
  EXPECT_EQ(tree.error().place.file, "x.pbtxt");
  EXPECT_EQ(tree.error().place.line, 2u);
  EXPECT_EQ(tree.error().place.column, 3u);
}

TEST(TextTree, UnfinishedInputIsAnErrorEverywhere) {
  const std::string text = "a: [1, 2] m { s: \"x\" n < y: -1.5e-3 > } [e.f]: 3";
  for (const char* bad : {"a: [1, 2", "m { s: ", "m {", "a", "s: \"x", "[e.f", "a: -"}) {
    EXPECT_FALSE(parseTextTree(bad)) << bad;
  }
  EXPECT_TRUE(parseTextTree(text));
}

TEST(TextTree, DeepNestingIsRefused) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "a{";
  const auto tree = parseTextTree(text);
  ASSERT_FALSE(tree);
  EXPECT_EQ(tree.error().kind, "text-proto-too-deep");
}

}  // namespace
}  // namespace hilo
