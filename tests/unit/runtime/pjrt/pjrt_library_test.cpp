// Libraries of PJRT as they are loaded and called: ours, function by function against the table of
// docs/pjrt.md, and some that are refused by name.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "core/runtime/pjrt/pjrt_client.h"

namespace hilo {
namespace {

// "| `Client_Create` | done |"
std::map<std::string, std::string> rowsOfPage() {
  std::map<std::string, std::string> rows;
  std::ifstream page(HILO_PJRT_PAGE);
  for (std::string line; std::getline(page, line);) {
    const size_t name = line.find("| `"), end = line.find("` | ", name);
    if (name != 0 || end == std::string::npos) continue;
    const std::string word = line.substr(end + 4);
    rows[line.substr(3, end - 3)] = word.substr(0, word.find_first_of(" :"));
  }
  return rows;
}

// A function that is there refuses arguments that are too small, or needs none; one that is not says so.
std::string answerOf(const PjrtApi& api, PjrtFunction function) {
  PjrtHead nothing{.structBytes = sizeof(PjrtHead)};
  PjrtError* error = api.functions[static_cast<size_t>(function)](&nothing);
  if (error == nullptr) return "done";
  PjrtErrorCode code{};
  code.structBytes = sizeof(code);
  code.error = error;
  (void)api.functions[static_cast<size_t>(PjrtFunction::Error_GetCode)](&code);
  PjrtErrorMessage message{};
  message.structBytes = sizeof(message);
  message.error = error;
  (void)api.functions[static_cast<size_t>(PjrtFunction::Error_Message)](&message);
  const std::string text(message.message.data, message.message.size);
  const bool isRefused = code.code == PjrtCode::Unimplemented;
  EXPECT_EQ(isRefused, text.find(pjrtFunctionName(function)) != std::string::npos) << text;
  PjrtErrorArgs destroyed{};
  destroyed.structBytes = sizeof(destroyed);
  destroyed.error = error;
  (void)api.functions[static_cast<size_t>(PjrtFunction::Error_Destroy)](&destroyed);
  return isRefused ? "refused" : "done";
}

TEST(PjrtLibrary, HasTheFunctionsThatTheTableNames) {
  void* library = dlopen(HILO_PJRT_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto entry = reinterpret_cast<const PjrtApi* (*)()>(dlsym(library, kPjrtEntry));
  ASSERT_NE(entry, nullptr);
  const auto rows = rowsOfPage();
  EXPECT_EQ(rows.size(), kPjrtFunctionCount);
  for (size_t i = 0; i < kPjrtFunctionCount; ++i) {
    const auto function = static_cast<PjrtFunction>(i);
    const auto row = rows.find(pjrtFunctionName(function));
    ASSERT_NE(row, rows.end()) << pjrtFunctionName(function);
    EXPECT_EQ(row->second, answerOf(*entry(), function)) << row->first;
  }
}

TEST(PjrtLibrary, SaysWhatItIs) {
  const auto library = PjrtLibrary::load(HILO_PJRT_LIBRARY);
  ASSERT_TRUE(library.has_value()) << toString(library.error());
  EXPECT_EQ((*library)->versionText(), "0.114");
  const auto attributes = (*library)->attributes();
  ASSERT_TRUE(attributes.has_value());
  EXPECT_EQ(attributes->at(0).first, "xla_version");
  const std::string options[] = {"engine=reference", "devices=3"};
  const auto session = PjrtSession::open(*library, options);
  ASSERT_TRUE(session.has_value()) << toString(session.error());
  EXPECT_EQ((*session)->deviceCount(), 3u);
  EXPECT_TRUE((*session)->platform()->starts_with("hilo, "));
  const auto broken = (*session)->compile("no module", 1);
  ASSERT_FALSE(broken.has_value());
  EXPECT_EQ(broken.error().kind, "pjrt-error");
  EXPECT_EQ((*session)->compile("", 4).error().kind, "no-device");
}

TEST(PjrtLibrary, RefusesOthersByName) {
  const auto kindOf = [](const std::string& fault) {
    const auto library = PjrtLibrary::load(HILO_FAULTY_LIBRARIES + fault + ".so");
    return library ? "none" : library.error().kind;
  };
  EXPECT_EQ(kindOf("newer"), "pjrt-version");
  EXPECT_EQ(kindOf("small"), "not-a-pjrt-library");
  EXPECT_EQ(kindOf("bare"), "pjrt-missing-function");
  EXPECT_EQ(kindOf("missing"), "pjrt-not-loadable");
}

}  // namespace
}  // namespace hilo
