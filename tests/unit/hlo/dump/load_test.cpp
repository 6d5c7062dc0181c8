#include "core/hlo/dump/load.h"

#include <gtest/gtest.h>

#include "core/hlo/proto/gzip.h"

namespace hilo {
namespace {

constexpr const char* kText =
    "HloModule m, entry_computation_layout={(f32[2]{0})->f32[2]{0}}\n\n"
    "ENTRY %main (p: f32[2]) -> f32[2] {\n"
    "  %p = f32[2]{0} parameter(0)\n"
    "  ROOT %n = f32[2]{0} negate(%p)\n"
    "}\n";

LoadedFile load(std::string bytes, const std::string& name = "m.txt") {
  auto file = loadBytes(std::move(bytes), name);
  EXPECT_TRUE(file) << toString(file.error());
  return file ? *std::move(file) : LoadedFile{};
}

std::string asProto(FileKind kind, Encoding encoding, const Snapshot* snapshot = nullptr) {
  const LoadedFile file = load(kText);
  auto bytes = writeProtoFile(*file.module, {.kind = kind, .encoding = encoding, .snapshot = snapshot});
  EXPECT_TRUE(bytes) << toString(bytes.error());
  return bytes ? *bytes : "";
}

TEST(Load, Text) {
  const LoadedFile file = load(kText);
  ASSERT_NE(file.module, nullptr);
  EXPECT_EQ(file.module->entry()->root()->name(), "n");
  EXPECT_EQ(file.describe(), "HLO text");
  EXPECT_FALSE(file.gzip);
}

TEST(Load, EveryProtoKindWhateverItsName) {
  Snapshot snapshot;
  Literal argument(Shape::array(ElementType::F32, {2}));
  argument.mutableData<float>()[1] = 4;
  snapshot.arguments = {{argument}};
  for (FileKind kind : {FileKind::HloModule, FileKind::HloProto, FileKind::HloSnapshot,
                        FileKind::HloUnoptimizedSnapshot, FileKind::DelimitedUnoptimizedSnapshot}) {
    for (Encoding encoding : {Encoding::Binary, Encoding::Text}) {
      if (kind == FileKind::DelimitedUnoptimizedSnapshot && encoding == Encoding::Text) continue;
      const LoadedFile file = load(asProto(kind, encoding, &snapshot), "file.dat");
      ASSERT_NE(file.module, nullptr) << fileKindName(kind);
      EXPECT_EQ(file.format.kind, kind);
      EXPECT_EQ(file.module->entry()->root()->opcode(), Opcode::Negate);
      const bool isSnapshot = kind != FileKind::HloModule && kind != FileKind::HloProto;
      ASSERT_EQ(file.snapshot.has_value(), isSnapshot) << fileKindName(kind);
      if (isSnapshot) EXPECT_EQ(file.snapshot->arguments, snapshot.arguments) << fileKindName(kind);
    }
  }
}

TEST(Load, Gzip) {
  const LoadedFile file = load(deflateGzip(kText), "m.txt.gz");
  EXPECT_TRUE(file.gzip);
  EXPECT_EQ(file.describe(), "HLO text, gzip");
  ASSERT_NE(load(deflateGzip(asProto(FileKind::HloProto, Encoding::Binary)), "m.pb.gz").module, nullptr);
}

TEST(Load, SeveralModulesInOneText) {
  const LoadedFile file = load(std::string(kText) + "// -----\n" + kText);
  EXPECT_EQ(file.otherModules.size(), 1u);
}

TEST(Load, RefusalsNameWhatTheFileIs) {
  const auto kindOf = [](std::string bytes, const std::string& name) {
    const auto file = loadBytes(std::move(bytes), name);
    return file ? std::string("loaded") : file.error().kind;
  };
  EXPECT_EQ(kindOf("module @m { func.func @main() }", "m.mlir"), "unknown-file-kind");
  EXPECT_EQ(kindOf(std::string("PK\x03\x04", 4), "a.npz"), "unknown-file-kind");
  EXPECT_EQ(kindOf("", "empty.pb"), "unknown-file-kind");
  EXPECT_EQ(kindOf(std::string(100, '\x01'), "x"), "unknown-file-kind");
  EXPECT_EQ(kindOf("xla_gpu_autotune_level: 4\n", "x.debug_options"), "unknown-file-kind");
  EXPECT_NE(kindOf("HloModule m\nENTRY {", "m.txt"), "loaded");
  const auto missing = loadFile("/nonexistent/file.txt");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, "file-not-found");
  const auto folder = loadFile("/");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().kind, "is-a-directory");
}

}  // namespace
}  // namespace hilo
