// Outputs of devices on a line: one that several devices have is sent once.
#include "core/runtime/apart/device_outputs.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

TEST(DeviceOutputs, AreSentOnceWhereDevicesShareThem) {
  const Literal shared = Literal::tuple({Literal::scalar<int32_t>(ElementType::S32, 3)});
  const Literal equal = Literal::tuple({Literal::scalar<int32_t>(ElementType::S32, 3)});
  const Literal other = Literal::scalar<int32_t>(ElementType::S32, 4);
  const std::vector<Literal> byDevice = {shared, other, shared, equal};
  const DeviceOutputs sent = DeviceOutputs::of(byDevice);
  EXPECT_EQ(sent.literals.size(), 3u);
  EXPECT_EQ(sent.literalOf, (std::vector<uint32_t>{0, 1, 0, 2}));
  const auto back = sent.byDevice(4);
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, byDevice);
}

TEST(DeviceOutputs, OfOtherDevicesAreRefused) {
  const std::vector<Literal> byDevice(2, Literal::scalar<int32_t>(ElementType::S32, 3));
  DeviceOutputs sent = DeviceOutputs::of(byDevice);
  EXPECT_FALSE(sent.byDevice(3));
  sent.literalOf[1] = 1;
  const auto back = sent.byDevice(2);
  ASSERT_FALSE(back);
  EXPECT_EQ(back.error().kind, "bad-message");
}

}  // namespace
}  // namespace hilo
