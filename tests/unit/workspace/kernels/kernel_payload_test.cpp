#include "core/workspace/kernels/kernel_payload.h"

#include <gtest/gtest.h>

#include "core/workspace/kernels/found_kernels.h"
#include "core/workspace/kernels/sha256.h"
#include "core/workspace/open/opened.h"

namespace hilo {
namespace {

std::string digits(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

// FIPS 180-4's examples.
TEST(Sha256, IsThatOfTheStandard) {
  EXPECT_EQ(digits(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digits(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digits(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digits(sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

std::string moduleWith(const std::string& call) {
  return "HloModule m\n\nENTRY %main (x: f32[4]) -> f32[4] {\n  %x = f32[4]{0} parameter(0)\n  ROOT %k = "
         "f32[4]{0} "
         "custom-call(%x), " +
         call + "\n}\n";
}

std::vector<FoundKernel> kernelsIn(const std::string& call) {
  const auto file = openBytes(moduleWith(call), "m.hlo");
  EXPECT_TRUE(file) << toString(file.error());
  return file ? kernelsOf(*(*file)->module) : std::vector<FoundKernel>();
}

TEST(KernelPayload, BytesOfATypedCallAreUnescaped) {
  const auto found = kernelsIn(
      R"(custom_call_target="mosaic_gpu_v2", api_version=API_VERSION_TYPED_FFI, )"
      R"(backend_config={kernel_hash = "\00\FFab", module = "ML\EFR\0D\22\5C\0A", use_custom_barrier = true})");
  ASSERT_EQ(found.size(), 1u);
  ASSERT_TRUE(found[0].payload) << toString(*found[0].unreadable);
  EXPECT_EQ(found[0].bytes, "ML\xefR\r\"\\\n");
  EXPECT_EQ(found[0].payload->hash, "00ff6162");
  EXPECT_FALSE(found[0].payload->hashFits);
  EXPECT_TRUE(found[0].payload->usesCustomBarrier);
}

TEST(KernelPayload, AnOpaqueCallHasAHashBeforeTheModule) {
  const std::string hash(32, 'h');
  const auto found =
      kernelsIn(R"(custom_call_target="mosaic_gpu", backend_config=")" + hash + R"(module {}")");
  ASSERT_EQ(found.size(), 1u);
  ASSERT_TRUE(found[0].payload) << toString(*found[0].unreadable);
  EXPECT_EQ(found[0].bytes, "module {}");
  EXPECT_FALSE(found[0].payload->hashFits);
}

TEST(KernelPayload, WhatIsNoKernelIsSaid) {
  for (
      const char* call :
      {R"(custom_call_target="mosaic_gpu", backend_config="too short")", R"(custom_call_target="mosaic_gpu")",
       R"(custom_call_target="mosaic_gpu_v2", api_version=API_VERSION_TYPED_FFI, backend_config={a = 1 : i64})"}) {
    const auto found = kernelsIn(call);
    ASSERT_EQ(found.size(), 1u);
    ASSERT_TRUE(found[0].unreadable);
    EXPECT_EQ(found[0].unreadable->kind, "no-kernel") << call;
  }
  EXPECT_TRUE(kernelsIn(R"(custom_call_target="other")").empty());
}

}  // namespace
}  // namespace hilo
