// What canonicalization makes of views, by MLIR's own tool with the plug-in loaded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "core/base/files.h"

namespace hilo {
namespace {

using testing::HasSubstr;

// MLIR's tool has no sanitizer's runtime: it cannot load a plug-in that was built with one.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HILO_IS_SANITIZED
#endif
#endif
#ifdef HILO_IS_SANITIZED
constexpr bool kIsLoadable = false;
#else
constexpr bool kIsLoadable = true;
#endif

class Folds : public testing::Test {
 protected:
  void SetUp() override {
    if (!kIsLoadable) GTEST_SKIP() << "mlir-opt cannot load a sanitized plug-in";
  }
};

std::string canonicalized(const std::string& body) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("hilo_folds_" + std::to_string(getpid()) + ".mlir"))
          .string();
  EXPECT_TRUE(writeBytes(path, body));
  const std::string command = std::string(HILO_MLIR_OPT) + " --load-dialect-plugin=" + HILO_MOSAIC_PLUGIN +
                              " --canonicalize " + path + " 2>&1";
  std::string said;
  FILE* pipe = popen(command.c_str(), "r");
  char buffer[4096];
  while (pipe != nullptr) {
    const size_t got = fread(buffer, 1, sizeof buffer, pipe);
    if (got == 0) break;
    said.append(buffer, got);
  }
  if (pipe != nullptr) pclose(pipe);
  std::filesystem::remove(path);
  return said;
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

constexpr char kShared[] = ", #gpu.address_space<workgroup>>";

TEST_F(Folds, CastOfASliceIsASlice) {
  const std::string from = "memref<4x8xbf16" + std::string(kShared);
  const std::string to = "memref<16x2xbf16, strided<[1, 16]>" + std::string(kShared);
  const std::string text =
      canonicalized("func.func @f() -> " + to +
                    " {\n%s = \"mosaic_gpu.slice_smem\"() <{alias_id = 7 : i64, offset = 64 : "
                    "i32}> : () -> " +
                    from + "\n%r = \"mosaic_gpu.reinterpret_cast\"(%s) : (" + from + ") -> " + to +
                    "\nreturn %r : " + to + "\n}\n");
  EXPECT_EQ(count(text, "reinterpret_cast"), 0) << text;
  EXPECT_THAT(text, HasSubstr("<{alias_id = 7 : i64, offset = 64 : i32}> : () -> " + to));
}

TEST_F(Folds, CastOfACastIsOne) {
  const std::string text = canonicalized(R"(func.func @f(%a: memref<4x8xbf16>) -> memref<2x16xbf16> {
  %x = "mosaic_gpu.reinterpret_cast"(%a) : (memref<4x8xbf16>) -> memref<32xbf16>
  %y = "mosaic_gpu.reinterpret_cast"(%x) : (memref<32xbf16>) -> memref<2x16xbf16>
  return %y : memref<2x16xbf16>
})");
  EXPECT_EQ(count(text, "reinterpret_cast"), 1) << text;
  EXPECT_THAT(text, HasSubstr("(memref<4x8xbf16>) -> memref<2x16xbf16>"));
}

TEST_F(Folds, CastToTheSameTypeIsNone) {
  const std::string text = canonicalized(R"(func.func @f(%a: memref<4xbf16>) -> memref<4xbf16> {
  %x = "mosaic_gpu.reinterpret_cast"(%a) : (memref<4xbf16>) -> memref<4xbf16>
  return %x : memref<4xbf16>
})");
  EXPECT_EQ(count(text, "reinterpret_cast"), 0) << text;
}

// `casts` of the argument %x in a warp_map, and what uses them.
std::string warpMap(const std::string& casts) {
  return canonicalized(
      "func.func @f(%a: memref<4xf16>) {\n\"mosaic_gpu.warp_map\"(%a) ({\n^bb0(%x: memref<4xf16>):\n" +
      casts + "}) : (memref<4xf16>) -> ()\nreturn\n}\n");
}
constexpr char kSquare[] = R"(= "mosaic_gpu.reinterpret_cast"(%x) : (memref<4xf16>) -> memref<2x2xf16>
)";
constexpr char kUse[] = R"( = "mosaic_gpu.optimization_barrier"(%c) : (memref<2x2xf16>) -> memref<2x2xf16>
)";

TEST_F(Folds, CastsLeaveWarpMap) {
  const std::string text = warpMap(std::string("%c ") + kSquare + "%u" + kUse);
  EXPECT_EQ(count(text, "reinterpret_cast"), 1) << text;
  EXPECT_LT(text.find("reinterpret_cast"), text.find("warp_map")) << text;
}

TEST_F(Folds, EqualCastsLeaveWarpMapAsOne) {
  const std::string text = warpMap(std::string("%c ") + kSquare + "%d " + kSquare + "%u" + kUse);
  EXPECT_EQ(count(text, "reinterpret_cast"), 1) << text;
  EXPECT_LT(text.find("reinterpret_cast"), text.find("warp_map")) << text;
}

TEST_F(Folds, DifferentCastsStayInWarpMap) {
  const std::string text =
      warpMap(std::string("%c ") + kSquare +
              R"(%d = "mosaic_gpu.reinterpret_cast"(%x) : (memref<4xf16>) -> memref<4x1xf16>
%u:2 = "mosaic_gpu.optimization_barrier"(%c, %d) : (memref<2x2xf16>, memref<4x1xf16>) -> (memref<2x2xf16>, memref<4x1xf16>)
)");
  EXPECT_EQ(count(text, "reinterpret_cast"), 2) << text;
  EXPECT_GT(text.find("reinterpret_cast"), text.find("warp_map")) << text;
}

}  // namespace
}  // namespace hilo
