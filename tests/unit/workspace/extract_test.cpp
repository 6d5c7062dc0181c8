#include "core/workspace/text/extract.h"

#include <gtest/gtest.h>

#include "core/workspace/open/opened.h"
#include "core/workspace/open/verify_file.h"

namespace hilo {
namespace {

constexpr const char* kModule = R"(HloModule m, is_scheduled=true, num_partitions=2

add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

other {
  q = f32[] parameter(0)
  ROOT n = f32[] negate(q)
}

ENTRY e {
  a = f32[8]{0} parameter(0)
  b = f32[8]{0} exponential(a)
  c = f32[8]{0} multiply(b, a)
  zero = f32[] constant(0)
  sum = f32[] reduce(c, zero), dimensions={0}, to_apply=add
  last = f32[] call(sum), to_apply=other
  ROOT t = (f32[], f32[8]{0}) tuple(last, c)
}
)";

std::shared_ptr<const OpenedFile> extracted(std::initializer_list<const char*> names) {
  const auto file = *openBytes(kModule, "m.hlo");
  std::vector<InstructionId> wanted;
  for (const char* name : names) wanted.push_back(file->module->findInstruction(name)->id());
  const auto text = extractAsText(*file->module, wanted);
  EXPECT_TRUE(text) << toString(text.error());
  const auto again = openBytes(*text, "snippet.hlo");
  EXPECT_TRUE(again) << *text;
  EXPECT_FALSE(hasErrors(verifyFile(**again))) << *text;
  return *again;
}

TEST(Extract, WhatIsReadFromOutsideBecomesParameters) {
  const auto file = extracted({"c", "zero", "sum"});
  const Module& module = *file->module;
  EXPECT_EQ(module.partitionCount(), 2);
  EXPECT_FALSE(module.isScheduled());
  EXPECT_NE(module.findComputation("add"), nullptr);
  EXPECT_EQ(module.findComputation("other"), nullptr);
  ASSERT_EQ(module.entry()->parameters().size(), 2u);
  EXPECT_EQ(module.entry()->parameters()[0]->name(), "b");
  EXPECT_EQ(module.entry()->parameters()[1]->name(), "a");
  // c and sum are both used outside.
  EXPECT_EQ(toString(module.entry()->root()->shape().withoutLayout()), "(f32[8], f32[])");
  EXPECT_EQ(module.findInstruction("sum")->operand(0)->name(), "c");
}

TEST(Extract, OneResultIsTheRoot) {
  const auto file = extracted({"b"});
  EXPECT_EQ(file->module->entry()->root()->name(), "b");
  EXPECT_EQ(file->module->instructionCount(), 2u);
}

TEST(Extract, ParametersOfTheComputationStayParameters) {
  const auto file = extracted({"a", "b"});
  EXPECT_EQ(file->module->entry()->parameters().size(), 1u);
  EXPECT_EQ(toString(file->module->entry()->root()->shape().withoutLayout()), "(f32[8], f32[8])");
}

TEST(Extract, InstructionsOfSeveralComputationsAreRefused) {
  const auto file = *openBytes(kModule, "m.hlo");
  const InstructionId wanted[] = {file->module->findInstruction("s")->id(),
                                  file->module->findInstruction("b")->id()};
  EXPECT_EQ(extractAsText(*file->module, wanted).error().kind, "several-computations");
  EXPECT_EQ(extractAsText(*file->module, {}).error().kind, "nothing-selected");
}

}  // namespace
}  // namespace hilo
