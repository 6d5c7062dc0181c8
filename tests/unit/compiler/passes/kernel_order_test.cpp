// The order kept while kernels are merged tells the same ways as a walk over the whole computation does.
#include "core/compiler/passes/fusion/kernel_order.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "core/compiler/passes/fusion/merge_fusions.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

std::unique_ptr<Module> randomSums(std::mt19937& random, int count) {
  std::string text = "HloModule m\nENTRY e {\n  v0 = f32[8] parameter(0)\n";
  for (int i = 1; i < count; ++i) {
    const auto earlier = [&] {
      return std::uniform_int_distribution<int>(std::max(0, i - 12), i - 1)(random);
    };
    text += fmt::format("  v{} = f32[8] add(v{}, v{})\n", i, earlier(), earlier());
  }
  text += fmt::format("  ROOT r = f32[8] negate(v{})\n}}\n", count - 1);
  return std::move(*parseModuleStrictly(text));
}

// Plainly: everything computed from it is walked.
bool isComputedFrom(const Instruction& from, const Instruction& to) {
  std::vector<const Instruction*> work{&from};
  absl::flat_hash_set<const Instruction*> seen;
  while (!work.empty()) {
    const Instruction* i = work.back();
    work.pop_back();
    for (const Instruction* user : i->users()) {
      if (user == &to) return true;
      if (seen.insert(user).second) work.push_back(user);
    }
  }
  return false;
}

// Over another than elements of its tuple.
bool isComputedOverOthers(const Instruction& from, const Instruction& to) {
  return std::ranges::any_of(from.users(), [&](const Instruction* user) {
    const bool isElement = user->opcode() == Opcode::GetTupleElement;
    if (isElement && user != &to) return isComputedOverOthers(*user, to);
    return user != &to && isComputedFrom(*user, to);
  });
}

void expectSameWays(KernelOrder& order, const Computation& computation) {
  for (const Instruction* a : computation.instructions()) {
    for (const Instruction* b : computation.instructions()) {
      if (a == b || a->opcode() == Opcode::GetTupleElement) continue;
      ASSERT_EQ(order.leadsTo(*a, *b), isComputedFrom(*a, *b)) << a->name() << " to " << b->name();
      ASSERT_EQ(order.reaches(*a, *b, /*directly=*/false), isComputedOverOthers(*a, *b))
          << a->name() << " to " << b->name();
    }
    for (const Instruction* user : a->users()) ASSERT_LE(order.placeOf(*a), order.placeOf(*user));
  }
}

bool isKernel(const Instruction& i) {
  return i.opcode() == Opcode::Add || (i.opcode() == Opcode::Fusion && !i.users().empty());
}

TEST(KernelOrder, TellsTheWaysAfterMergesOfRandomKernels) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    const auto module = randomSums(random, 50);
    Computation& entry = *module->entry();
    KernelOrder order(entry);
    int merges = 0;
    for (int attempt = 0; attempt < 200; ++attempt) {
      std::vector<Instruction*> kernels;
      for (Instruction* i : entry.instructions()) {
        if (isKernel(*i) && !i->users().empty()) kernels.push_back(i);
      }
      std::uniform_int_distribution<size_t> any(0, kernels.size() - 1);
      Instruction *one = kernels[any(random)], *other = kernels[any(random)];
      if (one == other || order.leadsTo(*one, *other) || order.leadsTo(*other, *one)) continue;
      const int64_t a = order.placeOf(*one), b = order.placeOf(*other);
      order.forget(*one);
      order.forget(*other);
      order.merge(a, b, *mergeFusions(std::vector<Instruction*>{one, other}));
      if (++merges % 4 == 1) expectSameWays(order, entry);
      if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_GT(merges, 5) << "seed " << seed;
  }
}

TEST(KernelOrder, AWayThroughOthersIsNotADirectOne) {
  const auto module = *parseModuleStrictly(R"(HloModule m
ENTRY e {
  p = f32[8] parameter(0)
  a = f32[8] negate(p)
  b = f32[8] abs(a)
  ROOT c = f32[8] add(a, b)
})");
  const KernelOrder order(*module->entry());
  const auto at = [&](std::string_view name) -> const Instruction& { return *module->entry()->find(name); };
  EXPECT_TRUE(order.reaches(at("a"), at("b"), /*directly=*/true));
  EXPECT_FALSE(order.reaches(at("a"), at("b"), /*directly=*/false));
  EXPECT_TRUE(order.reaches(at("a"), at("c"), /*directly=*/false));
  EXPECT_FALSE(order.reaches(at("b"), at("a"), /*directly=*/true));
}

}  // namespace
}  // namespace hilo
