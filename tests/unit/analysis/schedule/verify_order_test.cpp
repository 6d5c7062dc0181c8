// Wrong orders are told by XLA's messages.
#include "core/analysis/schedule/verify_order.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

class VerifyOrder : public testing::Test {
 protected:
  void SetUp() override {
    auto parsed = parseModuleStrictly(R"(HloModule m
ENTRY main {
  p = f32[8]{0} parameter(0)
  a = f32[8]{0} negate(p)
  b = f32[8]{0} sine(p), control-predecessors={a}
  ROOT c = f32[8]{0} add(a, b)
}
)");
    ASSERT_TRUE(parsed) << toString(parsed.error());
    module_ = std::move(*parsed);
    for (const Instruction* i : module_->entry()->instructions()) order_.push_back(i);
  }
  std::string message() const {
    const Status valid = verifyOrder(*module_->entry(), order_);
    if (valid) return "";
    EXPECT_EQ(valid.error().kind, "bad-schedule");
    return valid.error().message;
  }
  std::unique_ptr<Module> module_;
  std::vector<const Instruction*> order_;
};

TEST_F(VerifyOrder, AcceptsTheOrderItHas) { EXPECT_EQ(message(), ""); }

TEST_F(VerifyOrder, OperandsComeFirst) {
  std::swap(order_[0], order_[1]);
  EXPECT_EQ(message(), "Instruction a is not scheduled after its operand p");
}

TEST_F(VerifyOrder, ControlPredecessorsComeFirst) {
  std::swap(order_[1], order_[2]);
  EXPECT_EQ(message(), "Instruction b is not scheduled after its control predecessor a");
}

TEST_F(VerifyOrder, EachStandsOnce) {
  order_[2] = order_[1];
  EXPECT_EQ(message(), "Instruction a appears more than once in the schedule");
}

TEST_F(VerifyOrder, NoneIsMissing) {
  order_.erase(order_.begin() + 1);
  EXPECT_EQ(message(), "Schedule for computation main has 3 instructions, expected 4");
}

TEST_F(VerifyOrder, NoneIsOfElsewhere) {
  const auto other = module_->clone();
  order_[1] = other->findInstruction("a");
  EXPECT_EQ(message(), "Instruction a is not in schedule");
}

TEST_F(VerifyOrder, PostOrderIsValid) {
  const auto order = postOrder(*module_->entry());
  order_.assign(order.begin(), order.end());
  EXPECT_EQ(message(), "");
}

}  // namespace
}  // namespace hilo
