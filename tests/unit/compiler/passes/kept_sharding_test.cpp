// Simplifiers keep where a value is wanted: an instruction is not replaced by one with another sharding, and
// passes its own on to one that has none.
#include <gtest/gtest.h>

#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/table/pass_list.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"

namespace hilo {
namespace {

// The root of `pass`'s result on an element of a tuple of a parameter, each with a sharding or none.
std::string simplified(std::string_view pass, std::string_view parameterSharding,
                       std::string_view elementSharding) {
  auto module = parseModuleStrictly(fmt::format(R"(HloModule m, num_partitions=4
ENTRY e {{
  p = f32[8,8] parameter(0){}
  t = (f32[8,8]) tuple(p)
  ROOT g = f32[8,8] get-tuple-element(t), index=0{}
}})",
                                                parameterSharding, elementSharding));
  const auto passes = parsePassList(pass);
  EXPECT_TRUE(module && passes);
  const PassRun run = runPasses(std::shared_ptr<const Module>(*std::move(module)), *passes, {});
  EXPECT_TRUE(run.completed());
  const Instruction& root = *run.output()->entry()->root();
  const Sharding* sharding = root.get<Attr::Sharding>();
  std::string text = std::string(root.name()) + " ";
  if (sharding != nullptr) appendSharding(text, *sharding);
  return text;
}

class KeptSharding : public testing::TestWithParam<std::string_view> {};

TEST_P(KeptSharding, AnotherOneIsNotLost) {
  EXPECT_EQ(simplified(GetParam(), ", sharding={devices=[2,2]<=[4]}", ", sharding={replicated}"),
            "g {replicated}");
}

TEST_P(KeptSharding, TheSameIsNoReasonToStay) {
  EXPECT_EQ(simplified(GetParam(), ", sharding={replicated}", ", sharding={replicated}"), "p {replicated}");
}

TEST_P(KeptSharding, GoesToAValueThatHasNone) {
  EXPECT_EQ(simplified(GetParam(), "", ", sharding={devices=[4,1]<=[4]}"), "p {devices=[4,1]<=[4]}");
}

INSTANTIATE_TEST_SUITE_P(Simplifiers, KeptSharding,
                         testing::Values("algebraic-simplifier", "tuple-simplifier"),
                         [](const auto& info) { return info.index == 0 ? "Algebra" : "Tuples"; });

}  // namespace
}  // namespace hilo
