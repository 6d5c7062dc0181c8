// Finding the driver, and what its errors are called.
#include "core/runtime/device/cuda/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/runtime/device/cuda/fake_driver.h"

namespace hilo {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Driver, WhichIsMissingIsNamedWithWhatInstallsIt) {
  const auto driver = Driver::load("libcuda-that-is-nowhere.so.1");
  ASSERT_FALSE(driver.has_value());
  EXPECT_EQ(driver.error().kind, "no-driver");
  EXPECT_THAT(driver.error().message, HasSubstr("libcuda-that-is-nowhere.so.1"));
  ASSERT_THAT(driver.error().notes, Not(IsEmpty()));
  EXPECT_THAT(driver.error().notes[0], HasSubstr("nvidia-driver"));
}

TEST(Driver, OfThisMachineLoadsOrSaysWhyNot) {
  const auto driver = Driver::load();
  if (driver.has_value()) {
    EXPECT_GE((*driver)->version(), 11060);
  } else {
    EXPECT_THAT(driver.error().kind, testing::AnyOf("no-driver", "old-driver", "no-device", "wrong-driver"));
    EXPECT_THAT(driver.error().notes, Not(IsEmpty()));
  }
}

TEST(Driver, ThatLacksAFunctionIsTooOld) {
  const auto driver = Driver::load(HILO_OLD_DRIVER);
  ASSERT_FALSE(driver.has_value());
  EXPECT_EQ(driver.error().kind, "old-driver");
  EXPECT_EQ(driver.error().message,
            "the driver for CUDA 11.4 has no cuLaunchKernelEx, which drivers for CUDA 11.6 and newer have");
}

TEST(Driver, ThatIsAnotherLibraryIsNamedByItsPath) {
  const auto driver = Driver::load("libm.so.6");
  ASSERT_FALSE(driver.has_value());
  EXPECT_EQ(driver.error().kind, "old-driver");
  EXPECT_THAT(driver.error().message, HasSubstr("libm.so.6 has no cu"));
}

TEST(Driver, SaysItsVersion) {
  newFakeDriver().version = 12080;
  EXPECT_EQ(loadFakeDriver()->version(), 12080);
  EXPECT_EQ(driverVersionText(12080), "12.8");
  EXPECT_EQ(driverVersionText(13000), "13.0");
}

struct Failure {
  int result;
  const char* kind;
};

class DriverFailure : public testing::TestWithParam<Failure> {};

TEST_P(DriverFailure, OfTheStartHasAKindOfItsOwn) {
  newFakeDriver().failing["cuInit"] = GetParam().result;
  const auto driver = Driver::load(HILO_FAKE_DRIVER);
  ASSERT_FALSE(driver.has_value());
  EXPECT_EQ(driver.error().kind, GetParam().kind);
}

INSTANTIATE_TEST_SUITE_P(Results, DriverFailure,
                         testing::Values(Failure{2, "out-of-memory"}, Failure{34, "no-driver"},
                                         Failure{100, "no-device"}, Failure{222, "old-driver"},
                                         Failure{700, "illegal-address"}, Failure{716, "misaligned-address"},
                                         Failure{803, "wrong-driver"}, Failure{999, "driver-failed"}));

TEST(Driver, CallsAnErrorByItsOwnNameAndText) {
  newFakeDriver();
  const Status failed = loadFakeDriver()->failure(700, "cuStreamSynchronize");
  EXPECT_EQ(failed.error().message,
            "cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)");
}

TEST(Driver, CallsAnErrorWithoutANameByItsNumber) {
  newFakeDriver();
  EXPECT_EQ(loadFakeDriver()->failure(12345, "cuInit").error().message, "cuInit: error 12345");
}

TEST(Driver, StubIsNoDriver) {
  newFakeDriver().failing["cuDriverGetVersion"] = 34;
  const auto driver = Driver::load(HILO_FAKE_DRIVER);
  ASSERT_FALSE(driver.has_value());
  EXPECT_EQ(driver.error().kind, "no-driver");
}

}  // namespace
}  // namespace hilo
