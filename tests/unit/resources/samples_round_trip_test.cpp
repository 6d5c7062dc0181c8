// The bundled samples are written exactly as XLA would print them: parsing and printing gives the same bytes.

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"
#include "tests/support/test_files.h"

namespace hilo {
namespace {

class SampleRoundTrip : public testing::TestWithParam<const char*> {};

TEST_P(SampleRoundTrip, SameBytes) {
  const std::string text = readTestFile(std::string("resources/samples/") + GetParam());
  const ParseResult parsed = parseModule(text);
  for (const Diagnostic& problem : parsed.diagnostics) ADD_FAILURE() << toString(problem);
  ASSERT_NE(parsed.module, nullptr);
  // Not compared as one string: the failure would print half a megabyte.
  EXPECT_TRUE(printModule(*parsed.module) == text);
}

INSTANTIATE_TEST_SUITE_P(All, SampleRoundTrip,
                         testing::Values("softmax.hlo", "transformer_step.hlo",
                                         "transformer_step_small.hlo"));

}  // namespace
}  // namespace hilo
