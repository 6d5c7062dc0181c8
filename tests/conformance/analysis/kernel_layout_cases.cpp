#include "tests/conformance/analysis/kernel_layout_cases.h"

#include <fstream>
#include <sstream>
#include <utility>

namespace hilo {
namespace {

KernelLayoutCase caseOf(const std::string& paragraph) {
  KernelLayoutCase made;
  std::istringstream text(paragraph);
  text >> made.file >> made.test >> std::ws;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("> "))
      made.checks.push_back(line.substr(2));
    else
      made.kernel += line + "\n";
  }
  return made;
}

}  // namespace

std::vector<KernelLayoutCase> readKernelLayoutCases(const std::string& path) {
  std::ifstream file(path);
  std::vector<KernelLayoutCase> cases;
  std::string paragraph, line;
  for (bool isOpen = true; isOpen;) {
    isOpen = static_cast<bool>(std::getline(file, line));
    if (isOpen && !line.empty()) {
      paragraph += line + "\n";
      continue;
    }
    const std::string whole = std::exchange(paragraph, {});
    if (!whole.empty() && !whole.starts_with('#')) cases.push_back(caseOf(whole));
  }
  return cases;
}

}  // namespace hilo
