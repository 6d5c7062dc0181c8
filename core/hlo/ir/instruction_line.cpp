#include "core/hlo/ir/instruction_line.h"

#include "core/hlo/ir/element_type.h"

namespace hilo {
namespace {

bool isNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '-';
}

// Takes the bytes of a name off the front.
std::string_view takeName(std::string_view& text) {
  size_t length = 0;
  while (length < text.size() && isNameByte(text[length])) ++length;
  const std::string_view name = text.substr(0, length);
  text.remove_prefix(length);
  return name;
}

void skipBlanks(std::string_view& text) {
  while (!text.empty() && (text[0] == ' ' || text[0] == '\t')) text.remove_prefix(1);
}

}  // namespace

bool isInstructionLine(std::string_view line) {
  skipBlanks(line);
  if (line.starts_with("ROOT ")) line.remove_prefix(5);
  skipBlanks(line);
  if (line.starts_with('%')) line.remove_prefix(1);
  if (takeName(line).empty()) return false;
  skipBlanks(line);
  if (!line.starts_with('=')) return false;
  line.remove_prefix(1);
  skipBlanks(line);
  while (line.starts_with('(')) line.remove_prefix(1);  // of tuples the first array says it
  const std::string_view type = takeName(line);
  skipBlanks(line);
  return line.starts_with('[') && elementTypeFromName(type).has_value();
}

}  // namespace hilo
