// Arrays made in pieces on threads, and by vectors, hold what one element after the other gives.
#include "core/hlo/eval/seeded_elements.h"

#include <gtest/gtest.h>

#include "core/hlo/eval/kernel.h"
#include "core/hlo/eval/normal_elements.h"

namespace hilo {
namespace {

constexpr uint64_t kSeed = 20;

Status goOn(int64_t) { return {}; }

std::vector<std::byte> oneByOne(ElementType type, const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * static_cast<size_t>(elementStorageBytes(type)));
  convertElements(bytes.data(), type, values.data(), ElementType::F64, static_cast<int64_t>(values.size()));
  return bytes;
}

std::vector<double> normals(int64_t count, double spread) {
  SeededNumbers numbers(kSeed);
  std::vector<double> values(static_cast<size_t>(count));
  for (double& value : values) value = numbers.normal() * spread;
  return values;
}

Literal filled(Shape shape, const ValueHint& hint = {}) {
  Literal array(shape);
  SeededNumbers numbers(kSeed);
  EXPECT_TRUE(fillSeeded(array, hint, numbers, goOn));
  return array;
}

void expectBytes(const Literal& array, const std::vector<std::byte>& expected) {
  EXPECT_TRUE(std::ranges::equal(array.bytes(), expected)) << toString(array.shape());
}

TEST(SeededElements, NormalsOfEveryTypeHaveTheBitsOfTheDefinition) {
  constexpr int64_t kCount = 50'001;
  for (const double spread : {1.0, 1 / std::sqrt(3.0), 1e-4}) {
    const std::vector<double> values = normals(kCount, spread);
    for (const ElementType type :
         {ElementType::F64, ElementType::F32, ElementType::BF16, ElementType::F16, ElementType::F8E5M2,
          ElementType::F8E4M3FN, ElementType::F8E4M3B11FNUZ, ElementType::F4E2M1FN}) {
      const std::vector<std::byte> expected = oneByOne(type, values);
      std::vector<std::byte> out(expected.size());
      SeededNumbers numbers(kSeed);
      fillNormals(out.data(), type, kCount, spread, numbers);
      EXPECT_TRUE(out == expected) << elementTypeName(type) << " " << spread;
      EXPECT_EQ(numbers.bits(), SeededNumbers(kSeed).after(2 * kCount).bits());
    }
  }
}

// Enough for several threads, and for some f32 to lie too near where rounding changes.
TEST(SeededElements, LargeFloatsAreMadeInPieces) {
  constexpr int64_t kCount = 3'000'001;
  const std::vector<double> values = normals(kCount, 1);
  expectBytes(filled(Shape::array(ElementType::F32, {kCount})), oneByOne(ElementType::F32, values));
  SeededNumbers numbers(kSeed);
  std::vector<double> positive(kCount);
  for (double& value : positive) value = 0.5 + numbers.fraction();
  expectBytes(filled(Shape::array(ElementType::BF16, {kCount}), {.positive = true}),
              oneByOne(ElementType::BF16, positive));
}

TEST(SeededElements, PartsOfComplexNumbersAreElements) {
  expectBytes(filled(Shape::array(ElementType::C64, {3, 100'000})),
              oneByOne(ElementType::F32, normals(600'000, 1 / std::sqrt(3.0))));
}

TEST(SeededElements, LargeIntegersAndPredicatesAreMadeInPieces) {
  constexpr int64_t kCount = 2'000'003;
  SeededNumbers numbers(kSeed), bits(kSeed);
  std::vector<double> integers(kCount);
  std::vector<std::byte> predicates(kCount);
  for (double& value : integers) value = static_cast<double>(3 + numbers.below(97));
  for (std::byte& value : predicates) value = std::byte(bits.bits() >> 63);
  expectBytes(filled(Shape::array(ElementType::S32, {kCount}), {.limit = 100, .lowest = 3}),
              oneByOne(ElementType::S32, integers));
  expectBytes(filled(Shape::array(ElementType::Pred, {kCount})), predicates);
}

TEST(SeededElements, WhatComesNextDrawsOn) {
  for (const ValueHint& hint : {ValueHint{.positive = true}, ValueHint{}}) {
    Literal array(Shape::array(ElementType::F32, {40'000}));
    SeededNumbers numbers(kSeed);
    ASSERT_TRUE(fillSeeded(array, hint, numbers, goOn));
    EXPECT_EQ(numbers.bits(), SeededNumbers(kSeed).after(hint.positive ? 40'000 : 80'000).bits());
  }
}

TEST(SeededElements, APollEndsIt) {
  Literal array(Shape::array(ElementType::F32, {1'000'000}));
  SeededNumbers numbers(kSeed);
  const auto stop = [](int64_t bytes) -> Status {
    return bytes > 0 ? Status(fail("cancelled", "enough")) : Status();
  };
  const Status ended = fillSeeded(array, {}, numbers, stop);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().kind, "cancelled");
  EXPECT_EQ(numbers.bits(), SeededNumbers(kSeed).bits());
}

}  // namespace
}  // namespace hilo
