// The bundled samples are written as XLA prints modules, in one of its styles: parsing them and printing them
// as they were read gives the same bytes.

#include <gtest/gtest.h>

#include <filesystem>

#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"
#include "tests/support/test_files.h"

namespace hilo {
namespace {

// Every module under resources/samples; a dump holds other texts beside them.
std::vector<std::string> samples() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("resources/samples")) {
    const std::string path = entry.path().string();
    const bool module =
        path.ends_with(".hlo") || (path.ends_with(".txt") && !path.contains("buffer-assignment"));
    if (module) paths.push_back(path);
  }
  return paths;
}

TEST(Samples, ComeBackByteForByte) {
  const std::vector<std::string> paths = samples();
  EXPECT_EQ(paths.size(), 15u);
  for (const std::string& path : paths) {
    const std::string text = readTestFile(path);
    const ParseResult parsed = parseModule(text);
    for (const Diagnostic& problem : parsed.diagnostics) ADD_FAILURE() << path << ": " << toString(problem);
    ASSERT_NE(parsed.module, nullptr);
    // Not compared as strings: the failure would print half a megabyte.
    EXPECT_TRUE(printModule(*parsed.module, PrintOptions::asRead(*parsed.module)) == text) << path;
  }
}

}  // namespace
}  // namespace hilo
