// Portable artifacts (VHLO in MLIR bytecode) against the text they were written from: below the folder that
// HILO_VHLO names, each X.mlir.bc has an X.mlir beside it. Every function must become the same HLO both ways,
// and a damaged artifact gives an error or another module, within bounds of time and memory.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "core/hlo/text/print.h"
#include "core/workspace/open/opened.h"
#include "core/workspace/path/open_path.h"

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

// Processor time of this process and of the children it has waited for, which read bytecode.
double cpuSeconds() {
  double seconds = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& part : {usage.ru_utime, usage.ru_stime})
      seconds += static_cast<double>(part.tv_sec) + static_cast<double>(part.tv_usec) * 1e-6;
  }
  return seconds;
}

TEST(PortableArtifacts, SurviveDamage) {
  const char* folder = std::getenv("HILO_VHLO");
  if (folder == nullptr) GTEST_SKIP() << "HILO_VHLO names no folder";
  int damages = 0, opened = 0;
  double slowest = 0;
  for (const char* name : {"vhlo_emit_version_api.1_1_0", "stablehlo_legalize_to_vhlo.0_9_0",
                           "stablehlo_legalize_to_vhlo.1_20_0"}) {
    std::ifstream stream(std::string(folder) + "/" + name + ".mlir.bc", std::ios::binary);
    const std::string whole((std::istreambuf_iterator<char>(stream)), {});
    ASSERT_FALSE(whole.empty()) << name;
    const size_t step = whole.size() < 1000 ? 3 : 101;
    for (size_t at = 4; at < whole.size(); at += step) {
      for (const int mask : {0xff, 0x01}) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ mask);
        const double before = cpuSeconds();
        opened += openBytes(damaged, "damaged.mlir.bc").has_value() ? 1 : 0;
        slowest = std::max(slowest, cpuSeconds() - before);
        ++damages;
      }
    }
  }
  rusage children{};
  getrusage(RUSAGE_CHILDREN, &children);
  std::printf("%d damages, %d opened all the same, slowest %.2f s, at most %ld MB\n", damages, opened,
              slowest, children.ru_maxrss / 1024);
  EXPECT_LT(slowest, 2.0);
  EXPECT_LT(children.ru_maxrss / 1024, 768);  // 512 MB beside what this process has
}

}  // namespace
}  // namespace hilo
