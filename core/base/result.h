// Result<T>: a value or the Diagnostic that says why there is none. For input and environment errors;
// our own bugs are CHECKs. No exception crosses a room.
#pragma once

#include <expected>
#include <string>
#include <utility>

#include "core/base/diagnostic.h"

namespace hilo {

template <typename T>
using Result = std::expected<T, Diagnostic>;
using Status = Result<void>;

// The error branch of a Result: `return fail("file-not-found", fmt::format("no file {}", path));`
inline std::unexpected<Diagnostic> fail(std::string kind, std::string message, Place place = {},
                                        std::vector<std::string> notes = {}) {
  return std::unexpected(
      Diagnostic{Severity::kError, std::move(kind), std::move(message), std::move(place), std::move(notes)});
}

}  // namespace hilo

#define HILO_CONCAT_(a, b) a##b
#define HILO_CONCAT(a, b) HILO_CONCAT_(a, b)
// TRY(auto value, expression): the value, or return the expression's Diagnostic from this function.
#define TRY(declaration, expression) HILO_TRY_(HILO_CONCAT(tryResult_, __LINE__), declaration, expression)
#define HILO_TRY_(temporary, declaration, expression)                   \
  auto temporary = (expression);                                        \
  if (!temporary) return std::unexpected(std::move(temporary).error()); \
  declaration = *std::move(temporary)
// TRY_STATUS(expression): go on, or return the expression's Diagnostic.
#define TRY_STATUS(expression) \
  if (auto tryStatus = (expression); !tryStatus) return std::unexpected(std::move(tryStatus).error())
