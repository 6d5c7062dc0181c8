// The dictionary of typed custom calls, with its types.
#include "core/hlo/ir/call_attributes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hilo {
namespace {

using testing::ElementsAre;
using Kind = CallAttribute::Kind;

TEST(CallAttributes, KeepTheirTypes) {
  const auto all = parseCallAttributes(
      R"({b = 255 : i8, a = -1 : i64, c = 18446744073709551615 : ui64, d = 0x7F800000 : f32, e = true,
          f = array<i16: 1, -2>, g = dense<[1, 2]> : tensor<2xi32>, h = dense<5> : tensor<2x2xui8>,
          i = {k = "v", j = 1.5}, l = "text"})");
  ASSERT_TRUE(all.has_value()) << toString(all.error());
  const auto& a = *all;
  ASSERT_EQ(a.size(), 10u);
  std::vector<std::string> names;
  std::vector<ElementType> types;
  for (const CallAttribute& attribute : a) {
    names.push_back(attribute.name);
    if (attribute.kind != Kind::Dictionary && attribute.kind != Kind::String) types.push_back(attribute.type);
  }
  EXPECT_THAT(names, ElementsAre("a", "b", "c", "d", "e", "f", "g", "h", "i", "l"));
  using enum ElementType;
  EXPECT_THAT(types, ElementsAre(S64, S8, U64, F32, Pred, S16, S32, U8));
  EXPECT_THAT(a[0].integers, ElementsAre(-1));
  EXPECT_THAT(a[2].integers, ElementsAre(-1));  // all ones
  EXPECT_THAT(a[3].floats, ElementsAre(std::numeric_limits<double>::infinity()));
  EXPECT_EQ(a[5].kind, Kind::Array);
  EXPECT_THAT(a[5].integers, ElementsAre(1, -2));
  EXPECT_THAT(a[7].integers, ElementsAre(5, 5, 5, 5));
  ASSERT_EQ(a[8].members.size(), 2u);
  EXPECT_EQ(a[8].members[0].name, "j");
  EXPECT_EQ(a[8].members[0].type, F64);
  EXPECT_EQ(a[8].members[1].text, "v");
  EXPECT_EQ(a[9].text, "text");
}

TEST(CallAttributes, WhatATypeDoesNotHaveIsRefused) {
  for (const char* text :
       {"{a = 256 : i8}", "{a = -1 : ui8}", "{a = 1 : i7}", "{a = 1 : f16}", "{a = 2 : i1}", "{a = 1, a = 2}",
        "{a = dense<[1, 2]> : tensor<3xi32>}", "{a = dense<1> : tensor<99999999999x99999999999xi32>}",
        "{a = dense<1> : tensor<2xi32}", "{a = {b = 1}", "{a = array<f32: 1.5, x>}"}) {
    const auto broken = parseCallAttributes(text);
    ASSERT_FALSE(broken.has_value()) << text;
    EXPECT_EQ(broken.error().kind, "malformed-attributes");
  }
}

TEST(CallAttributes, DepthIsBounded) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "{a=";
  EXPECT_FALSE(parseCallAttributes(text).has_value());
}

}  // namespace
}  // namespace hilo
