#include "core/workspace/bisect/search.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

struct Looks {
  int count = 0;
  std::function<Result<Sight>(int64_t)> look(std::function<Sight(int64_t)> sight) {
    return [this, sight = std::move(sight)](int64_t place) -> Result<Sight> {
      ++count;
      return sight(place);
    };
  }
};

TEST(FindTurn, TakesTheLogarithmOfThePlacesInLooks) {
  Looks looks;
  const auto turn =
      findTurn(0, 1 << 20, looks.look([](int64_t p) { return p < 777'777 ? Sight::Good : Sight::Bad; }));
  ASSERT_TRUE(turn);
  EXPECT_EQ(turn->good, 777'776);
  EXPECT_EQ(turn->bad, 777'777);
  EXPECT_LE(looks.count, 21);
}

TEST(FindTurn, GoesAroundPlacesThatCannotBeTold) {
  Looks looks;
  const auto turn = findTurn(0, 100, looks.look([](int64_t p) {
    if (p == 50 || p == 25 || p == 75) return Sight::Unknown;
    return p < 60 ? Sight::Good : Sight::Bad;
  }));
  ASSERT_TRUE(turn);
  EXPECT_EQ(turn->good, 59);
  EXPECT_EQ(turn->bad, 60);
}

TEST(FindTurn, GivesTheStretchWhereNoneCanBeTold) {
  Looks looks;
  const auto turn = findTurn(0, 10, looks.look([](int64_t p) {
    if (p > 2 && p < 8) return Sight::Unknown;
    return p < 5 ? Sight::Good : Sight::Bad;
  }));
  ASSERT_TRUE(turn);
  EXPECT_EQ(turn->good, 2);
  EXPECT_EQ(turn->bad, 8);
  EXPECT_FALSE(turn->isExact());
}

TEST(FindTurn, GivesUpOnALongStretchInTime) {
  Looks looks;
  const auto turn = findTurn(0, 1'000'000, looks.look([](int64_t) { return Sight::Unknown; }));
  ASSERT_TRUE(turn);
  EXPECT_EQ(turn->good, 0);
  EXPECT_EQ(turn->bad, 1'000'000);
  EXPECT_EQ(looks.count, kMostUnknown);
}

TEST(FindTurn, EndsWithTheErrorOfALook) {
  const auto turn = findTurn(0, 10, [](int64_t) -> Result<Sight> { return fail("cancelled", "cancelled"); });
  ASSERT_FALSE(turn);
  EXPECT_EQ(turn.error().kind, "cancelled");
}

}  // namespace
}  // namespace hilo
