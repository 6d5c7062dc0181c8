// What the readers of a value save is asked of each once, and again of those that changed.
#include "core/compiler/passes/fusion/kernel_readers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hilo {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

class KernelReadersTest : public testing::Test {
 protected:
  std::optional<double> saved() {
    asked_.clear();
    return readers_.savedNs(0, [&](uint32_t reader) {
      asked_.push_back(reader);
      return ns_.at(reader);
    });
  }

  KernelReaders readers_;
  std::map<uint32_t, double> ns_{{1, 10}, {2, 20.5}, {3, -4}};
  std::vector<uint32_t> asked_;
};

TEST_F(KernelReadersTest, OnlyOneThatChangedIsAskedAgain) {
  for (const uint32_t reader : {1, 2, 3}) readers_.insert(reader);
  EXPECT_EQ(saved(), 26.5);
  EXPECT_THAT(asked_, UnorderedElementsAre(1, 2, 3));
  EXPECT_EQ(saved(), 26.5);
  EXPECT_THAT(asked_, IsEmpty());
  readers_.erase(2);
  EXPECT_EQ(saved(), 6);
  ns_[2] = 100;
  readers_.insert(2);
  EXPECT_EQ(saved(), 106);
  EXPECT_THAT(asked_, UnorderedElementsAre(2));
  readers_.askAgain();
  EXPECT_EQ(saved(), 106);
  EXPECT_THAT(asked_, UnorderedElementsAre(1, 2, 3));
}

TEST_F(KernelReadersTest, OneThatCannotHoldsForAllUntilItGoesOrChanges) {
  for (const uint32_t reader : {1, 2}) readers_.insert(reader);
  ns_[2] = KernelReaders::kNever;
  EXPECT_EQ(saved(), std::nullopt);
  EXPECT_EQ(saved(), std::nullopt);
  EXPECT_THAT(asked_, IsEmpty());
  readers_.erase(2);
  EXPECT_EQ(saved(), 10);
  readers_.insert(2);
  EXPECT_EQ(saved(), std::nullopt);
  ns_[2] = 1;
  readers_.erase(2);
  readers_.insert(2);
  EXPECT_EQ(saved(), 11);
}

}  // namespace
}  // namespace hilo
