#include "core/hlo/ir/instruction_line.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

TEST(InstructionLine, InstructionsAreTold) {
  for (const char* line : {"%a = f32[2]{0} add(%x, %y)", "  ROOT a.1 = s32[] constant(3)",
                           "%t = (f32[2]{0}, (s32[])) tuple(%a, %b)", "x = s32 [2] parameter(0)"})
    EXPECT_TRUE(isInstructionLine(line)) << line;
}

TEST(InstructionLine, OtherTextIsNot) {
  for (const char* line :
       {"", "%0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>", "x = y[3]",
        "Here is f32[2]:", "%2 = fadd float %0, %1", "dimensions={1}, to_apply=%add", "a = \"f32[2]\""})
    EXPECT_FALSE(isInstructionLine(line)) << line;
}

}  // namespace
}  // namespace hilo
