// Portable artifacts (VHLO in MLIR bytecode) against the text they were written from: below the folder that
// HILO_VHLO names, each X.mlir.bc has an X.mlir beside it. Every function must become the same HLO both ways.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "core/hlo/text/print.h"
#include "core/workspace/opened.h"

namespace hilo {
namespace {

// The modules of a file that were read without errors, in canonical text, by the name of their entry.
std::map<std::string, std::string> modulesOf(const std::string& path) {
  std::map<std::string, std::string> texts;
  const auto file = openFile(path);
  if (!file) {
    ADD_FAILURE() << toString(file.error());
    return texts;
  }
  std::vector<std::shared_ptr<const OpenedFile>> all{*file};
  all.insert(all.end(), (*file)->others.begin(), (*file)->others.end());
  PrintOptions options = PrintOptions::canonical();
  options.largeConstants = true;
  for (const auto& one : all)
    texts[std::string(one->module->entry()->name())] = printModule(*one->module, options);
  return texts;
}

TEST(PortableArtifacts, AreTheirText) {
  const char* folder = std::getenv("HILO_VHLO");
  if (folder == nullptr) GTEST_SKIP() << "HILO_VHLO names no folder";
  int files = 0, functions = 0, differing = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".mlir.bc") || path.find("legalize_to_vhlo") == std::string::npos) continue;
    const auto binary = modulesOf(path), text = modulesOf(path.substr(0, path.size() - 3));
    ++files;
    EXPECT_GT(binary.size(), 150u) << path;
    for (const auto& [name, hlo] : binary) {
      const auto found = text.find(name);
      if (found == text.end()) continue;  // the text spells it in a way only newer parsers read
      ++functions;
      if (hlo == found->second) continue;
      ++differing;
      if (differing < 20) ADD_FAILURE() << path << " " << name << "\n" << hlo << "\n" << found->second;
    }
  }
  std::printf("%d portable artifacts, %d functions compared, %d differ\n", files, functions, differing);
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace hilo
