#include "tests/support/test_files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace hilo {

std::string readTestFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << "cannot read " << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace hilo
