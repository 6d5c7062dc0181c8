#include "core/compiler/codegen/lower/backend_attributes.h"

#include <gmock/gmock.h>

#include "plugins/sdk/custom_call.h"

namespace hilo {
namespace {

using testing::ElementsAre;

TEST(BackendAttributes, ReadsEveryForm) {
  const auto attributes = parseBackendAttributes(
      R"({mode = "fa\"st", axis = -1 : i64, eps = 1.0e-05 : f32, on = true, off = false, bare, whole = 2.0,
          sizes = array<i64: 2, 3>, floats = [1.5, 2.5], empty = []})");
  ASSERT_TRUE(attributes.has_value()) << toString(attributes.error());
  std::vector<std::string> names;
  for (const auto& attribute : *attributes) names.push_back(attribute.name);
  EXPECT_THAT(names,
              ElementsAre("axis", "bare", "empty", "eps", "floats", "mode", "off", "on", "sizes", "whole"));
  const auto& a = *attributes;
  EXPECT_EQ(a[0].kind, HILO_ATTRIBUTE_INTEGER);
  EXPECT_THAT(a[0].integers, ElementsAre(-1));
  EXPECT_EQ(a[1].kind, HILO_ATTRIBUTE_BOOL);
  EXPECT_THAT(a[1].integers, ElementsAre(1));
  EXPECT_EQ(a[2].kind, HILO_ATTRIBUTE_INTEGERS);
  EXPECT_EQ(a[3].kind, HILO_ATTRIBUTE_FLOAT);
  EXPECT_THAT(a[3].floats, ElementsAre(1.0e-05));
  EXPECT_EQ(a[4].kind, HILO_ATTRIBUTE_FLOATS);
  EXPECT_THAT(a[4].floats, ElementsAre(1.5, 2.5));
  EXPECT_EQ(a[5].text, "fa\"st");
  EXPECT_THAT(a[6].integers, ElementsAre(0));
  EXPECT_EQ(a[8].kind, HILO_ATTRIBUTE_INTEGERS);
  EXPECT_THAT(a[8].integers, ElementsAre(2, 3));
  EXPECT_EQ(a[9].kind, HILO_ATTRIBUTE_FLOAT);
}

TEST(BackendAttributes, EmptyAndBrokenOnes) {
  EXPECT_TRUE(parseBackendAttributes("")->empty());
  EXPECT_TRUE(parseBackendAttributes("{}")->empty());
  for (const char* text :
       {"{", "{a = }", "{a = 1", "{a = 1 b = 2}", "{a = \"x}", "{a = [1, 2.5]}", "{a = array<i64: 1}",
        "{= 1}", "{a = 1} more", "text", "{a = 99999999999999999999}"}) {
    const auto broken = parseBackendAttributes(text);
    ASSERT_FALSE(broken.has_value()) << text;
    EXPECT_EQ(broken.error().kind, "malformed-attributes");
  }
}

}  // namespace
}  // namespace hilo
