// Our declarations lie in memory as those of XLA's header do: sizes and places of xla/ffi/api/c_api.h,
// version 0.4, on x86-64.
#include <gtest/gtest.h>

#include "core/runtime/ffi/ffi_api.h"
#include "core/runtime/ffi/ffi_functions.h"

namespace hilo {
namespace {

template <typename T, typename Field>
size_t placeOf(Field T::* field) {
  static const T it{};
  return static_cast<size_t>(reinterpret_cast<const char*>(&(it.*field)) -
                             reinterpret_cast<const char*>(&it));
}

TEST(FfiApi, StructsHaveTheSizesOfTheHeader) {
  EXPECT_EQ(sizeof(FfiCallFrame), 176u);
  EXPECT_EQ(sizeof(FfiBuffers), 40u);
  EXPECT_EQ(sizeof(FfiAttributes), 48u);
  EXPECT_EQ(sizeof(FfiBuffer), 48u);
  EXPECT_EQ(sizeof(FfiByteSpan), 16u);
  EXPECT_EQ(sizeof(FfiScalar), 16u);
  EXPECT_EQ(sizeof(FfiArray), 24u);
  EXPECT_EQ(sizeof(FfiTypeInfo), 24u);
  EXPECT_EQ(sizeof(FfiBundle), 40u);
  EXPECT_EQ(sizeof(FfiExtension), 24u);
  EXPECT_EQ(sizeof(FfiVersion), 24u);
  EXPECT_EQ(sizeof(FfiMetadata), 48u);
  EXPECT_EQ(sizeof(FfiMetadataExtension), 32u);
  EXPECT_EQ(sizeof(FfiRegister), 96u);
  EXPECT_EQ(sizeof(FfiTypeRegister), 48u);
  EXPECT_EQ(sizeof(FfiErrorCreate), 32u);
  EXPECT_EQ(sizeof(FfiErrorDetails), 40u);
  EXPECT_EQ(sizeof(FfiErrorDestroy), 24u);
  EXPECT_EQ(sizeof(FfiStreamGet), 32u);
  EXPECT_EQ(sizeof(FfiAllocate), 48u);
  EXPECT_EQ(sizeof(FfiFree), 40u);
  EXPECT_EQ(sizeof(FfiStateArgs), 48u);
  EXPECT_EQ(sizeof(FfiContextGet), 40u);
  EXPECT_EQ(sizeof(FfiFindExtension), 40u);
  EXPECT_EQ(sizeof(FfiSchedule), 40u);
  EXPECT_EQ(sizeof(FfiThreadCount), 32u);
  EXPECT_EQ(sizeof(FfiFutureCreate), 24u);
  EXPECT_EQ(sizeof(FfiFutureSet), 24u);
  EXPECT_EQ(sizeof(FfiFutureFail), 32u);
  EXPECT_EQ(sizeof(FfiRunId), 32u);
  EXPECT_EQ(sizeof(FfiDeviceOrdinal), 32u);
  EXPECT_EQ(sizeof(FfiApi), 200u);
}

TEST(FfiApi, FieldsLieWhereTheHeaderHasThem) {
  EXPECT_EQ(placeOf(&FfiCallFrame::stage), 32u);
  EXPECT_EQ(placeOf(&FfiCallFrame::arguments), 40u);
  EXPECT_EQ(placeOf(&FfiCallFrame::results), 80u);
  EXPECT_EQ(placeOf(&FfiCallFrame::attributes), 120u);
  EXPECT_EQ(placeOf(&FfiCallFrame::future), kFfiCallFrameBytes);
  EXPECT_EQ(placeOf(&FfiBuffer::data), 24u);
  EXPECT_EQ(placeOf(&FfiBuffer::dimensions), 40u);
  EXPECT_EQ(placeOf(&FfiAttributes::names), 32u);
  EXPECT_EQ(placeOf(&FfiMetadata::traits), 32u);
  EXPECT_EQ(placeOf(&FfiRegister::bundle), 48u);
  EXPECT_EQ(placeOf(&FfiApi::errorCreate), 48u);
  EXPECT_EQ(placeOf(&FfiApi::streamGet), 80u);
  EXPECT_EQ(placeOf(&FfiApi::memoryAllocate), 120u);
  EXPECT_EQ(placeOf(&FfiApi::findExtension), 192u);
}

TEST(FfiApi, EveryFunctionIsThere) {
  const auto* table = reinterpret_cast<void* const*>(&ffiApi().errorCreate);
  for (size_t i = 0; i < (kFfiApiBytes - 48) / sizeof(void*); ++i) EXPECT_NE(table[i], nullptr) << i;
  EXPECT_EQ(ffiApi().structBytes, 200u);
  EXPECT_EQ(ffiApi().version.minor, 4);
}

}  // namespace
}  // namespace hilo
