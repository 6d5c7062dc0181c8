// Reads every protobuf file below the folder that the environment variable HILO_CORPUS names, and writes it
// again: nothing may be lost.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/hlo/proto/gzip.h"
#include "core/hlo/proto/message_io.h"
#include "core/hlo/proto/module_proto.h"
#include "core/hlo/proto/proto_file.h"
#include "core/hlo/proto/schema/executable.pb.h"
#include "tests/conformance/corpus_files.h"
#include "tests/conformance/proto/proto_canonical.h"
#include "tests/support/test_files.h"

namespace hilo {
namespace {

const pb::HloModuleProto* moduleIn(const google::protobuf::Message& message, FileKind kind) {
  switch (kind) {
    case FileKind::HloModule:
      return &static_cast<const pb::HloModuleProto&>(message);
    case FileKind::HloProto:
      return &static_cast<const pb::HloProto&>(message).hlo_module();
    case FileKind::HloSnapshot:
      return &static_cast<const pb::HloSnapshot&>(message).hlo().hlo_module();
    case FileKind::HloUnoptimizedSnapshot:
      return &static_cast<const pb::HloUnoptimizedSnapshot&>(message).hlo_module();
    case FileKind::GpuExecutable:
      return &static_cast<const pb::GpuExecutableProto&>(message).hlo_module_with_config().hlo_module();
    case FileKind::GpuExecutableWithOptions:
      return &static_cast<const pb::ReadableGpuExecutableProto&>(message)
                  .gpu_executable()
                  .hlo_module_with_config()
                  .hlo_module();
    default:
      return nullptr;
  }
}

struct Counts {
  int modules = 0;
  int faithful = 0;
};

void checkFile(const std::string& path, Counts& counts) {
  SCOPED_TRACE(path);
  std::string bytes = readTestFile(path);
  if (isGzip(bytes)) {
    auto inflated = inflateGzip(bytes);
    ASSERT_TRUE(inflated) << toString(inflated.error());
    bytes = *std::move(inflated);
  }
  const FileFormat format = detectKind(bytes);
  if (prototypeOf(format.kind) == nullptr) {
    const bool isProto = path.ends_with(".pb") || path.ends_with(".pb.gz");
    EXPECT_FALSE(isProto) << "told to be " << fileKindName(format.kind);
    return;
  }
  const auto file = readProtoFile(bytes, format, path);
  ASSERT_TRUE(file) << toString(file.error());
  for (const Diagnostic& diagnostic : file->diagnostics) {
    EXPECT_NE(diagnostic.severity, Severity::kError) << toString(diagnostic);
  }
  if (file->module == nullptr) return;
  ++counts.modules;
  Diagnostics warnings;
  const auto message = parseMessage(bytes, format, warnings);
  ASSERT_TRUE(message);
  pb::HloModuleProto original = *moduleIn(**message, format.kind);
  pb::HloModuleProto written;
  writeModule(*file->module, written);
  canonicalize(original);
  canonicalize(written);
  const std::string difference = differences(original, written);
  EXPECT_EQ(difference, "");
  counts.faithful += difference.empty();
}

TEST(CorpusProto, EveryFileReadsAndWritesBack) {
  const auto corpus = corpusPath();
  if (!corpus) GTEST_SKIP() << kNoCorpus;
  Counts counts;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*corpus)) {
    const std::string path = entry.path().string();
    const bool isCandidate = path.ends_with(".pb") || path.ends_with(".pb.gz") || path.ends_with("pbtxt") ||
                             path.ends_with(".textproto") || path.ends_with(".txtpb") ||
                             (path.find("small_protos") != std::string::npos && entry.is_regular_file());
    if (entry.is_regular_file() && isCandidate) checkFile(path, counts);
  }
  fmt::print("protobuf files with a module: {}, written back as they were: {}\n", counts.modules,
             counts.faithful);
  printRows(static_cast<size_t>(counts.modules));
  EXPECT_GT(counts.modules, 0);
}

}  // namespace
}  // namespace hilo
