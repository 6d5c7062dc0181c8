#include "core/hlo/eval/npy.h"

#include <filesystem>

#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

std::vector<std::byte> bytesOf(const std::string& text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

// A file as NumPy writes it: version 1.0, header padded by us as we like.
std::vector<std::byte> npy(const std::string& header, const std::string& data) {
  std::string file = "\x93NUMPY";
  file += std::string("\x01\x00", 2);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  return bytesOf(file + header + data);
}

std::string kindOf(const Result<Literal>& result) { return result ? "no error" : result.error().kind; }

TEST(Npy, EveryTypeReadsBack) {
  for (const std::string text :
       {"f32[2,3] {{1,2,3},{4,5,6}}", "f64[] 2.5", "s8[2] {-1,2}", "u64[1] {18446744073709551615}",
        "pred[2] {1,0}", "c64[1] {(1,2)}", "bf16[2] {1,-2}", "f16[1] {0.5}", "f8e4m3fn[2] {448,nan}",
        "s4[2] {-8,7}", "u2[2] {3,0}", "f4e2m1fn[2] {6,-0.5}", "f32[0,2] {}"}) {
    const Literal literal = literalOf(text);
    const auto file = writeNpy(literal);
    ASSERT_TRUE(file.has_value()) << text;
    EXPECT_EQ((file->size() - literal.bytes().size()) % 64, 0u);
    const auto again = readNpy(*file, literal.shape());
    ASSERT_TRUE(again.has_value()) << text << toString(again.error());
    EXPECT_TRUE(*again == literal) << text;
  }
}

TEST(Npy, ReadsWhatNumPyWrites) {
  const std::string one("\x00\x00\x80\x3f\x00\x00\x00\x40", 8);
  EXPECT_TRUE(readNpy(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", one)).value() ==
              literalOf("f32[2] {1,2}"));
  const std::string swapped("\x00\x01\x00\x02\x00\x03\x00\x04", 8);
  EXPECT_TRUE(readNpy(npy("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 2), }", swapped)).value() ==
              literalOf("s16[2,2] {{1,3},{2,4}}"));
  EXPECT_TRUE(readNpy(npy("{\"descr\": \"bfloat16\", \"fortran_order\": False, \"shape\": ()}",
                          std::string("\x80\x3f", 2)))
                  .value() == literalOf("bf16[] 1"));
  EXPECT_TRUE(
      readNpy(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", std::string("\x00\x07", 2)))
          .value() == literalOf("pred[2] {0,1}"));
}

TEST(Npy, HostileFilesAreRefused) {
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  EXPECT_EQ(kindOf(readNpy(bytesOf(""))), "malformed-npy");
  EXPECT_EQ(kindOf(readNpy(bytesOf("\x93NUMPY\x01"))), "malformed-npy");
  EXPECT_EQ(kindOf(readNpy(npy(header, "1234567"))), "malformed-npy");
  EXPECT_EQ(kindOf(readNpy(
                npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", ""))),
            "malformed-npy");
  EXPECT_EQ(kindOf(readNpy(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", ""))),
            "malformed-npy");
  EXPECT_EQ(kindOf(readNpy(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1", ""))),
            "malformed-npy");
  EXPECT_EQ(kindOf(readNpy(npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "12345678"))),
            "unsupported-type");
  EXPECT_EQ(
      kindOf(readNpy(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234"))),
      "unsupported-type");
  EXPECT_EQ(kindOf(readNpy(npy(header, "12345678"), Shape::array(ElementType::F32, {3}))), "wrong-argument");
  EXPECT_EQ(kindOf(readNpy(npy(header, "12345678"), Shape::array(ElementType::S32, {2}))), "wrong-argument");
  EXPECT_EQ(kindOf(readNpy(npy("{'descr': '|i1', 'fortran_order': False, 'shape': (1,), }", "\x09"),
                           Shape::array(ElementType::S4, {1}))),
            "wrong-argument");
}

TEST(Npz, FewerElementsThanBoundsBecomeRealSizes) {
  const auto path = (std::filesystem::temp_directory_path() / "hilo_npy_bounds.npz").string();
  auto module = parseModuleStrictly(R"(HloModule m
add { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y) }
ENTRY e { p = f32[2,<=4] parameter(0)
  zero = f32[] constant(0)
  n = s32[] get-dimension-size(p), dimensions={1}
  q = f32[2,<=4] add(p, p)
  s = f32[] reduce(q, zero), dimensions={0,1}, to_apply=add
  ROOT t = (s32[], f32[]) tuple(n, s) })");
  ASSERT_TRUE(module.has_value()) << toString(module.error());
  const auto runOn = [&](const std::string& given) {
    const std::vector<NamedLiteral> members = {{"p", literalOf(given)}};
    EXPECT_TRUE(saveNpz(path, members).has_value());
    auto arguments = loadArguments(path, *(*module)->entry());
    return arguments ? evaluate(**module, *arguments) : std::unexpected(arguments.error());
  };
  const auto three = runOn("f32[2,3] {{1,2,3},{4,5,6}}"), whole = runOn("f32[2,4] {{1,2,3,4},{5,6,7,8}}");
  ASSERT_TRUE(three.has_value() && whole.has_value());
  EXPECT_EQ(literalText(*three), "(s32[] 3, f32[] 42)");
  EXPECT_EQ(literalText(*whole), "(s32[] 4, f32[] 72)");
  EXPECT_EQ(runOn("f32[2,5] {{1,2,3,4,5},{6,7,8,9,10}}").error().kind, "wrong-argument");
  EXPECT_EQ(runOn("f32[1,3] {{1,2,3}}").error().kind, "wrong-argument");
  std::filesystem::remove(path);
}

TEST(Npz, MembersBecomeArguments) {
  const auto path = (std::filesystem::temp_directory_path() / "hilo_npy_test.npz").string();
  const std::vector<NamedLiteral> members = {
      {"b", literalOf("bf16[2] {1,2}")}, {"arg0", literalOf("s32[] 7")}, {"more", literalOf("f32[] 1")}};
  ASSERT_TRUE(saveNpz(path, members).has_value());
  auto module = parseModuleStrictly(
      "HloModule m\nENTRY e {\na = s32[] parameter(0)\nb = bf16[2] parameter(1)\nROOT r = (s32[], bf16[2]) "
      "tuple(a, b)\n}\n");
  ASSERT_TRUE(module.has_value());
  const auto arguments = loadArguments(path, *(*module)->entry());
  ASSERT_TRUE(arguments.has_value()) << toString(arguments.error());
  EXPECT_TRUE((*arguments)[0] == members[1].literal);
  EXPECT_TRUE((*arguments)[1] == members[0].literal);
  ASSERT_TRUE(saveNpz(path, std::span(members).first(1)).has_value());
  EXPECT_EQ(loadArguments(path, *(*module)->entry()).error().kind, "wrong-argument");
  std::filesystem::resize_file(path, 40);
  EXPECT_EQ(loadNpz(path).error().kind, "malformed-npz");
  std::filesystem::remove(path);
  EXPECT_EQ(loadNpz(path).error().kind, "file-not-found");
}

}  // namespace
}  // namespace hilo
