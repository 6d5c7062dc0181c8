#include "core/analysis/neighbourhood.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

// x -> a -> b -> d, x -> c -> d, and e after b by a control dependency.
class Neighbourhood : public testing::Test {
 protected:
  std::unique_ptr<Module> module = std::move(parseModule(R"(HloModule m
ENTRY %main (x: f32[4]) -> f32[4] {
  %x = f32[4] parameter(0)
  %a = f32[4] negate(%x)
  %b = f32[4] abs(%a)
  %c = f32[4] sine(%x)
  %e = f32[4] cosine(%x), control-predecessors={%b}
  ROOT %d = f32[4] add(%b, %c)
})")
                                                 .module);

  const Instruction& at(const char* name) const { return *module->findInstruction(name); }
  static std::string names(const std::vector<const Instruction*>& instructions) {
    std::string names;
    for (const Instruction* instruction : instructions) names += instruction->name();
    return names;
  }
};

TEST_F(Neighbourhood, hopsGoBothWays) {
  EXPECT_EQ(names(instructionsWithin(at("b"), 0, 99)), "b");
  EXPECT_EQ(names(instructionsWithin(at("b"), 1, 99)), "bade");
  EXPECT_EQ(names(instructionsWithin(at("b"), 2, 99)), "badexc");
  EXPECT_EQ(names(instructionsWithin(at("b"), 2, 3)), "bad");
}

TEST_F(Neighbourhood, conesGoOneWay) {
  EXPECT_EQ(names(coneOf(at("e"), ConeDirection::Operands, 99)), "exba");
  EXPECT_EQ(names(coneOf(at("a"), ConeDirection::Users, 99)), "abde");
  EXPECT_EQ(names(coneOf(at("d"), ConeDirection::Users, 99)), "d");
}

TEST_F(Neighbourhood, pathsJoinTwo) {
  EXPECT_EQ(names(pathsBetween(at("x"), at("d"), 99)), "xacbd");
  EXPECT_EQ(names(pathsBetween(at("d"), at("a"), 99)), "abd");
  EXPECT_EQ(names(pathsBetween(at("a"), at("c"), 99)), "");
}

}  // namespace
}  // namespace hilo
