#include "core/workspace/open/convert.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

const std::string kTwo =
    "HloModule a\n\nENTRY e {\n  ROOT p = f32[2]{0} parameter(0)\n}\n\n"
    "// -----\n"
    "HloModule b\n\nENTRY e {\n  ROOT q = s32[] parameter(0)\n}\n\n";

std::shared_ptr<const OpenedFile> open(const std::string& bytes) {
  const auto file = openBytes(bytes, "m");
  EXPECT_TRUE(file) << (file ? "" : toString(file.error()));
  return file ? *file : nullptr;
}

std::string convert(const OpenedFile& file, OutputKind kind) {
  const auto bytes = convertModule(file, {.kind = kind});
  EXPECT_TRUE(bytes) << (bytes ? "" : toString(bytes.error()));
  return bytes.value_or("");
}

TEST(Convert, TextHoldsEveryModuleOfAFile) {
  const auto file = open(kTwo);
  EXPECT_EQ(convert(*file, OutputKind::Text), kTwo);
  const auto again = open(convert(*file, OutputKind::LongText));
  ASSERT_EQ(again->others.size(), 1u);
  EXPECT_EQ(again->module->name(), "a");
  EXPECT_EQ(again->others[0]->module->name(), "b");
}

TEST(Convert, AProtobufOfSeveralModulesIsRefused) {
  const auto file = open(kTwo);
  for (const OutputKindInfo& info : outputKinds()) {
    if (info.kind <= OutputKind::CanonicalText) continue;
    const auto bytes = convertModule(*file, {.kind = info.kind});
    ASSERT_FALSE(bytes) << info.name;
    EXPECT_EQ(bytes.error().kind, "not-convertible");
    EXPECT_NE(bytes.error().message.find("holds 2 modules"), std::string::npos) << bytes.error().message;
  }
}

// Arguments come from a snapshot written by hand: an HloUnoptimizedSnapshot of two partitions.
TEST(Convert, UnoptimizedSnapshotsKeepTheArgumentsOfEveryPartition) {
  const auto module = open("HloModule a\n\nENTRY e {\n  ROOT p = s32[] parameter(0)\n}\n");
  // partitions { arguments { shape { element_type: S32 layout {} } s32s: N } }
  const auto partition = [](char value) {
    const std::string literal = std::string("\x0a\x04\x10\x04\x2a\x00\x22\x01", 8) + value;
    return std::string("\x12") + char(literal.size() + 2) + "\x0a" + char(literal.size()) + literal;
  };
  const std::string moduleBytes = convert(*module, OutputKind::Module);
  ASSERT_LT(moduleBytes.size(), 16'384u);
  const std::string length = {char(moduleBytes.size() | 0x80), char(moduleBytes.size() >> 7)};
  const auto file = open("\x0a" + length + moduleBytes + partition(5) + partition(6));
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(file->arguments.size(), 2u);
  for (const OutputKind kind : {OutputKind::UnoptimizedSnapshot, OutputKind::DelimitedUnoptimizedSnapshot}) {
    const auto again = open(convert(*file, kind));
    ASSERT_NE(again, nullptr);
    ASSERT_EQ(again->arguments.size(), 2u);
    EXPECT_EQ(again->arguments[0], file->arguments[0]);
    EXPECT_EQ(again->arguments[1], file->arguments[1]);
    EXPECT_EQ(again->arguments[1][0].data<int32_t>()[0], 6);
  }
  const auto one = convertModule(*file, {.kind = OutputKind::Snapshot});
  ASSERT_FALSE(one);
  EXPECT_EQ(one.error().kind, "not-convertible");
}

// What is no file has no ending to tell by, and takes what a terminal takes.
TEST(Convert, TheNameGoesBeforeTheEndingAndAPipeTakesText) {
  EXPECT_EQ(*outputKindFor("pbtxt", "a.hlo"), OutputKind::ModuleText);
  EXPECT_EQ(*outputKindFor("", "a.hlo.pb.gz"), OutputKind::HloProto);
  EXPECT_EQ(*outputKindFor("", "-"), OutputKind::Text);
  EXPECT_EQ(*outputKindFor("", "/dev/null"), OutputKind::Text);
  const auto unknown = outputKindFor("", "a");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, "unknown-output-kind");
}

}  // namespace
}  // namespace hilo
