#include "core/base/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilo {
namespace {

const char* severityName(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  return "error";
}

std::string placeText(const Place& place) {
  std::string text = place.file;
  if (place.line != 0) {
    text += fmt::format("{}{}", text.empty() ? "" : ":", place.line);
    if (place.column != 0) text += fmt::format(":{}", place.column);
  }
  if (!place.instruction.empty()) {
    text += fmt::format("{}%{}", text.empty() ? "" : ": ", place.instruction);
    if (!place.computation.empty()) text += fmt::format(" in %{}", place.computation);
  } else if (!place.computation.empty()) {
    text += fmt::format("{}%{}", text.empty() ? "" : ": ", place.computation);
  }
  return text;
}

}  // namespace

std::string toString(const Diagnostic& diagnostic) {
  std::string text = placeText(diagnostic.place);
  if (!text.empty()) text += ": ";
  text += fmt::format("{}: {}: {}", severityName(diagnostic.severity), diagnostic.kind, diagnostic.message);
  for (const std::string& note : diagnostic.notes) text += "\n  note: " + note;
  return text;
}

bool hasErrors(const Diagnostics& diagnostics) {
  return std::ranges::any_of(diagnostics, [](const Diagnostic& d) { return d.severity == Severity::kError; });
}

}  // namespace hilo
