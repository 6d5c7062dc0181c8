// A program saved by one process and run by another that has no compiler: the same bits. And one for a
// processor that this is not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>

#include "core/hlo/eval/npy.h"
#include "core/hlo/text/parse.h"
#include "core/runtime/program/program_file.h"
#include "core/workspace/path/open_path.h"
#include "core/workspace/run/runs.h"
#include "core/workspace/run/saved_program.h"
#include "core/workspace/thunks/compile_report.h"

namespace hilo {
namespace {

using testing::HasSubstr;

class SavedProgram : public testing::Test {
 protected:
  SavedProgram() : folder_(std::filesystem::temp_directory_path() / fmt::format("hilo_saved_{}", getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~SavedProgram() override { std::filesystem::remove_all(folder_); }
  std::string in(const char* name) const { return (folder_ / name).string(); }

  // What the loader prints, standard error included, and its exit status.
  static std::pair<std::string, int> load(const std::string& arguments) {
    std::FILE* pipe = popen(fmt::format("{} {} 2>&1", HILO_LOADER, arguments).c_str(), "r");
    std::string output;
    std::array<char, 256> part;
    while (std::fgets(part.data(), part.size(), pipe) != nullptr) output += part.data();
    const int status = pclose(pipe);
    return {output, WEXITSTATUS(status)};
  }

  static std::shared_ptr<const Module> module() {
    auto parsed = parseModuleStrictly(R"(HloModule m, replica_count=2
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b) }
ENTRY e { x = f32[64,32] parameter(0)
  y = f32[32] parameter(1)
  b = f32[64,32] broadcast(y), dimensions={1}
  m = f32[64,32] multiply(x, b)
  t = f32[64,32] tanh(m)
  z = f32[] constant(0)
  s = f32[64] reduce(t, z), dimensions={1}, to_apply=add
  ROOT r = f32[64] all-reduce(s), replica_groups={}, to_apply=add })");
    EXPECT_TRUE(parsed.has_value()) << toString(parsed.error());
    return *std::move(parsed);
  }

  std::filesystem::path folder_;
};

TEST_F(SavedProgram, GivesTheSameBitsInAnotherProcess) {
  const auto settled = settleArguments(*module(), {.seed = 5});
  ASSERT_TRUE(settled.has_value());
  const std::vector<NamedLiteral> members = {{"x", settled->given[0]}, {"arg1", settled->given[1]}};
  ASSERT_TRUE(saveNpz(in("arguments.npz"), members).has_value());
  ASSERT_TRUE(compileAndReport({.module = module(), .savePath = in("m.program")}).has_value());

  const auto here = execute({.module = module(), .engine = "cpu", .arguments = *settled}, JobContext());
  ASSERT_TRUE(here.has_value()) << toString(here.error());
  EXPECT_EQ(here->devices, 2);
  const auto [printed, status] = load(fmt::format("{} --args {}", in("m.program"), in("arguments.npz")));
  EXPECT_EQ(status, 0) << printed;
  EXPECT_THAT(printed, HasSubstr(fmt::format("digest   {:016x}", here->outputDigest)));

  ASSERT_TRUE(std::holds_alternative<SavedProgramFile>(*openPath(in("m.program"))));
  const auto program = loadSavedProgram(in("m.program"));
  ASSERT_TRUE(program.has_value()) << toString(program.error());
  const auto again = execute({.program = *program, .arguments = *settled}, JobContext());
  ASSERT_TRUE(again.has_value()) << toString(again.error());
  EXPECT_EQ(again->outputDigest, here->outputDigest);
  EXPECT_EQ(again->moduleHash, here->moduleHash);
  EXPECT_EQ(again->engine, "program");
}

// A convolution, and two products with rows between them.
TEST_F(SavedProgram, WithProductsGivesTheSameBitsInAnotherProcess) {
  auto parsed = parseModuleStrictly(R"(HloModule m
ENTRY e { x = f32[2,12,12,16] parameter(0)
  k = f32[3,3,16,32] parameter(1)
  q = f32[400,24] parameter(2)
  w = f32[24,400] parameter(3)
  c = f32[2,12,12,32] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
  s = f32[400,400] dot(q, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[400,400] tanh(s)
  p = f32[400,24] dot(t, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = (f32[2,12,12,32], f32[400,24]) tuple(c, p) })");
  ASSERT_TRUE(parsed.has_value()) << toString(parsed.error());
  const std::shared_ptr<const Module> products = *std::move(parsed);
  const auto settled = settleArguments(*products, {.seed = 5});
  ASSERT_TRUE(settled.has_value());
  std::vector<NamedLiteral> members;
  for (const char* name : {"x", "k", "q", "w"}) members.push_back({name, settled->given[members.size()]});
  ASSERT_TRUE(saveNpz(in("arguments.npz"), members).has_value());
  ASSERT_TRUE(compileAndReport({.module = products, .savePath = in("m.program")}).has_value());
  const auto program = loadProgram(in("m.program"));
  ASSERT_TRUE(program.has_value());
  EXPECT_THAT(toText(*program),
              testing::AllOf(HasSubstr(" convolution kind=fprop"), HasSubstr(" row-blocks ")));
  const auto here = execute({.module = products, .engine = "cpu", .arguments = *settled}, JobContext());
  ASSERT_TRUE(here.has_value()) << toString(here.error());
  const auto [printed, status] = load(fmt::format("{} --args {}", in("m.program"), in("arguments.npz")));
  EXPECT_EQ(status, 0) << printed;
  EXPECT_THAT(printed, HasSubstr(fmt::format("digest   {:016x}", here->outputDigest)));
}

TEST_F(SavedProgram, IsTheSameFileEveryTimeAndForEveryProcessorNamed) {
  for (const char* name : {"a.program", "b.program"}) {
    ASSERT_TRUE(compileAndReport({.module = module(), .processor = "skylake-avx512", .savePath = in(name)})
                    .has_value());
  }
  const auto a = loadProgram(in("a.program")), b = loadProgram(in("b.program"));
  ASSERT_TRUE(a.has_value() && b.has_value());
  EXPECT_EQ(serialize(*a), serialize(*b));
  EXPECT_EQ(a->target.processor, "skylake-avx512");
  EXPECT_THAT(a->target.features, testing::Contains("avx512f"));
  EXPECT_TRUE(std::ranges::is_sorted(a->target.features));
}

TEST_F(SavedProgram, IsHeldToWhatItShallGive) {
  auto parsed =
      parseModuleStrictly("HloModule m\nENTRY e { x = f32[64] parameter(0)\n  ROOT t = f32[64] tanh(x) }");
  ASSERT_TRUE(parsed.has_value());
  const std::shared_ptr<const Module> curve = *std::move(parsed);
  ASSERT_TRUE(compileAndReport({.module = curve, .savePath = in("m.program")}).has_value());
  const std::string program = in("m.program"), expected = in("expected.npz");
  ASSERT_EQ(load(fmt::format("{} --seed 3 --out {}", program, expected)).second, 0);
  const auto [same, sameStatus] = load(fmt::format("{} --seed 3 --expect {} --json", program, expected));
  EXPECT_EQ(sameStatus, 0);
  EXPECT_THAT(same, HasSubstr("\"agrees\": true"));
  const auto [other, otherStatus] = load(fmt::format("{} --seed 4 --expect {}", program, expected));
  EXPECT_EQ(otherStatus, 1);
  EXPECT_THAT(other, HasSubstr("differs: out0 [0]"));
  EXPECT_EQ(load(fmt::format("{} --seed 4 --expect {} --tolerance 10", program, expected)).second, 0);
  const auto [unknown, unknownStatus] = load(fmt::format("{} --device tpu", program));
  EXPECT_EQ(unknownStatus, 1);
  EXPECT_THAT(unknown, HasSubstr("unknown-device"));
}

TEST_F(SavedProgram, ForAMachineThatThisIsNotSaysWhatItLacks) {
  ASSERT_TRUE(compileAndReport({.module = module(), .savePath = in("m.program")}).has_value());
  auto program = loadProgram(in("m.program"));
  ASSERT_TRUE(program.has_value());
  program->target.features.push_back("avx1024");
  ASSERT_TRUE(saveProgram(*program, in("far.program")).has_value());
  const auto [printed, status] = load(in("far.program"));
  EXPECT_EQ(status, 3);
  EXPECT_THAT(printed, HasSubstr("the program needs avx1024, which this processor lacks"));
  EXPECT_EQ(loadSavedProgram(in("far.program")).error().kind, "wrong-machine");
}

}  // namespace
}  // namespace hilo
