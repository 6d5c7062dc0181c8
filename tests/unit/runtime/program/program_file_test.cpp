#include "core/runtime/program/program_file.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

// Copies its argument to a temporary, and that to another, which is the result.
Program copyTwice() {
  const Shape shape = Shape::array(ElementType::F32, {4});
  Program program;
  program.name = "copies";
  program.moduleHash = 7;
  program.target = {"x86_64-pc-linux-gnu", "skylake", {"avx2"}};
  program.parameters = {shape};
  program.parameterNames = {"p"};
  program.result = shape;
  program.resultNames = {"r"};
  program.allocations = {{AllocationKind::Temporary, 128, 0}, {AllocationKind::Parameter, 16, 0}};
  program.resultSlices = {ReadSlice({0, 64, 16})};
  program.sequences = {{{"a", 1, 10, CopyThunk{ReadSlice({1, 0, 16}), WriteSlice({0, 0, 16})}},
                        {"b", 2, 10, CopyThunk{ReadSlice({0, 0, 16}), WriteSlice({0, 64, 16})}}}};
  return program;
}

std::string kindOf(const Result<Program>& result) { return result ? "fine" : result.error().kind; }

TEST(ProgramFile, KeepsEverything) {
  Program program = copyTwice();
  Layout columns;
  columns.minorToMajor = {0, 1};
  const int64_t sizes[] = {2, 3};
  const Shape matrix = Shape::array(ElementType::BF16, sizes, &columns);
  program.parameters.push_back(Shape::tuple(std::vector<Shape>{matrix, Shape::token()}));
  program.parameterNames.push_back("q");
  const std::byte bytes[] = {std::byte{1}, std::byte{2}};
  program.constants = {ConstantBytes(bytes)};
  program.objects = {{{std::byte{9}}}};
  program.kernels = {{"fusion.1", "kernel", 0}};
  const auto back = deserialize(serialize(program));
  ASSERT_TRUE(back.has_value()) << toString(back.error());
  EXPECT_EQ(back->parameters, program.parameters);
  EXPECT_EQ(back->parameterNames, program.parameterNames);
  EXPECT_EQ(back->resultNames, program.resultNames);
  EXPECT_EQ(back->target.features, program.target.features);
  EXPECT_EQ(back->kernels[0].name, "fusion.1");
  EXPECT_EQ(toText(*back), toText(program));
  EXPECT_EQ(toJson(*back), toJson(program));
  EXPECT_EQ(serialize(*back), serialize(program));
}

TEST(ProgramFile, RefusesWhatIsNotWhole) {
  const auto bytes = serialize(copyTwice());
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_NE(kindOf(deserialize(std::span(bytes).first(length))), "fine") << length;
  for (size_t at = 0; at < bytes.size(); ++at) {
    auto damaged = bytes;
    damaged[at] ^= std::byte{0x10};
    EXPECT_NE(kindOf(deserialize(damaged)), "fine") << at;
  }
  auto later = bytes;
  later[8] = std::byte{99};
  EXPECT_EQ(kindOf(deserialize(later)), "wrong-version");
  EXPECT_EQ(kindOf(deserialize({})), "not-a-program");
}

TEST(CheckProgram, RefusesWhatWouldReachOutside) {
  const auto kindAfter = [](auto change) {
    Program program = copyTwice();
    change(program);
    const Status checked = checkProgram(program);
    return checked ? std::string("fine") : checked.error().kind;
  };
  EXPECT_EQ(kindAfter([](Program&) {}), "fine");
  auto copyOf = [](Program& p) -> CopyThunk& { return std::get<CopyThunk>(p.sequences[0][0].body); };
  EXPECT_EQ(kindAfter([&](Program& p) { copyOf(p).destination.offsetBytes = 120; }), "malformed-program");
  EXPECT_EQ(kindAfter([&](Program& p) { copyOf(p).destination.offsetBytes = -8; }), "malformed-program");
  const WriteSlice parameter({1, 0, 16});
  EXPECT_EQ(kindAfter([&](Program& p) { copyOf(p).destination = parameter; }), "malformed-program");
  EXPECT_EQ(kindAfter([&](Program& p) { copyOf(p).source.allocation = 2; }), "malformed-program");
  EXPECT_EQ(kindAfter([](Program& p) { p.allocations[1].sizeBytes = 32; }), "malformed-program");
  EXPECT_EQ(kindAfter([](Program& p) { p.resultSlices.clear(); }), "malformed-program");
  EXPECT_EQ(kindAfter([](Program& p) { p.sequences.clear(); }), "malformed-program");
  const WhileThunk runsItself{ReadSlice({0, 0, 1}), 0, 0};
  EXPECT_EQ(kindAfter([&](Program& p) { p.sequences[0][0].body = runsItself; }), "malformed-program");
}

TEST(CheckMachine, NamesWhatIsLacking) {
  const Status other = checkMachine({"aarch64-unknown-linux-gnu", "neoverse", {}});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, "wrong-machine");
  const Status unknown = checkMachine({"x86_64-pc-linux-gnu", "future", {"sse3", "avx9000"}});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("avx9000"), std::string::npos);
  EXPECT_EQ(unknown.error().message.find("sse3,"), std::string::npos);
}

TEST(ProgramText, NamesThunksAndWhatTheyTouch) {
  const std::string text = toText(copyTwice());
  EXPECT_NE(text.find("  a copy source=r1[0:16], destination=w0[0:16]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("1: 16 bytes, parameter 0"), std::string::npos) << text;
}

}  // namespace
}  // namespace hilo
