// Checks for our own bugs. Never used on anything that comes from outside (files, flags, devices):
// those give a Diagnostic. A failed check prints where and what, then aborts.
#pragma once

#include <string_view>

namespace hilo {

[[noreturn]] void checkFailed(const char* file, int line, const char* condition,
                              std::string_view detail = {});

}  // namespace hilo

#define HILO_CHECK_1(condition) \
  (static_cast<bool>(condition) ? void(0) : ::hilo::checkFailed(__FILE__, __LINE__, #condition, {}))
#define HILO_CHECK_2(condition, detail) \
  (static_cast<bool>(condition) ? void(0) : ::hilo::checkFailed(__FILE__, __LINE__, #condition, (detail)))
#define HILO_CHECK_PICK(_1, _2, NAME, ...) NAME
// CHECK(condition) or CHECK(condition, text): text is evaluated only on failure.
#define CHECK(...) HILO_CHECK_PICK(__VA_ARGS__, HILO_CHECK_2, HILO_CHECK_1)(__VA_ARGS__)
