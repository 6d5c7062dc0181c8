// Every module in a protobuf file below the folder that HILO_CORPUS names is verified: XLA wrote them all, so
// none has an error.
#include <gtest/gtest.h>

#include "core/hlo/proto/gzip.h"
#include "core/hlo/proto/proto_file.h"
#include "core/hlo/verify/verify.h"
#include "tests/conformance/corpus_files.h"

namespace hilo {
namespace {

namespace fs = std::filesystem;

bool isNamedLikeProto(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".pb") || name.ends_with(".pb.gz") || name.ends_with(".pbtxt");
}

// The file, if it is a protobuf that holds a module.
std::optional<ProtoFile> readModuleFile(const fs::path& path) {
  std::string bytes = readCorpusFile(path);
  if (isGzip(bytes)) {
    auto inflated = inflateGzip(bytes);
    EXPECT_TRUE(inflated) << path;
    if (!inflated) return std::nullopt;
    bytes = *std::move(inflated);
  }
  const FileFormat format = detectKind(bytes);
  if (prototypeOf(format.kind) == nullptr) return std::nullopt;
  auto file = readProtoFile(bytes, format, path.string());
  EXPECT_TRUE(file) << path;
  if (!file || file->module == nullptr) return std::nullopt;
  return *std::move(file);
}

TEST(CorpusVerifyProto, HasNoErrors) {
  const auto corpus = corpusPath();
  if (!corpus) GTEST_SKIP() << kNoCorpus;
  size_t modules = 0;
  for (const auto& entry : fs::recursive_directory_iterator(*corpus)) {
    if (!entry.is_regular_file() || !isNamedLikeProto(entry.path())) continue;
    const auto file = readModuleFile(entry.path());
    if (!file) continue;
    ++modules;
    EXPECT_FALSE(hasErrors(file->diagnostics)) << entry.path();
    for (const Diagnostic& diagnostic : verify(*file->module, {.fileName = entry.path().string()})) {
      EXPECT_NE(diagnostic.severity, Severity::kError) << toString(diagnostic);
    }
  }
  fmt::print("{} modules verified\n", modules);
  printRows(modules);
  EXPECT_GT(modules, 0u);
}

}  // namespace
}  // namespace hilo
