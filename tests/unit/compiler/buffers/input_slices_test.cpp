// Slices of a concatenation over the operands they were made of.
#include "core/compiler/buffers/input_slices.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

// Whether output `output` may be written over operand 1, where `second` is that output and `body` what
// becomes of the operand.
bool mayWrite(int64_t output, const std::string& second, const std::string& body = "negate(b)") {
  auto module = parseModuleStrictly(R"(HloModule m, is_scheduled=true
fused {
  a = f32[1] parameter(0)
  b = f32[16] parameter(1)
  n = f32[16] )" + body + R"(
  c = f32[17] concatenate(a, n), dimensions={0}
  first = f32[1] slice(c), slice={[0:1]}
  second = )" + second + R"(
  ROOT t = (f32[1], f32[16]) tuple(first, second)
}
ENTRY e {
  x = f32[1] parameter(0)
  y = f32[16] parameter(1)
  ROOT f = (f32[1], f32[16]) fusion(x, y), kind=kInput, calls=fused
})");
  EXPECT_TRUE(module) << (module ? "" : toString(module.error()));
  return module && slicesOwnPart(*(*module)->findInstruction("f"), 1, {output});
}

TEST(InputSlices, AnOutputMayTakeThePlaceOfWhatItWasMadeOf) {
  EXPECT_TRUE(mayWrite(1, "f32[16] slice(c), slice={[1:17]}"));
}

TEST(InputSlices, NothingElseMayBeWrittenThere) {
  EXPECT_FALSE(mayWrite(0, "f32[16] slice(c), slice={[1:17]}"));
  // Each element one place further.
  EXPECT_FALSE(mayWrite(1, "f32[16] slice(c), slice={[0:16]}"));
  EXPECT_FALSE(mayWrite(1, "f32[16] slice(c), slice={[1:17]}", "reverse(b), dimensions={0}"));
}

}  // namespace
}  // namespace hilo
