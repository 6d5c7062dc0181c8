// What a message quotes of its input, kept to a length a person reads.
#pragma once

#include <cstddef>
#include <string>

namespace hilo {

inline constexpr size_t kMaxMessageBytes = 2000;

// `text`, or its beginning and how much more there is. Cuts no UTF-8 character in two.
inline std::string boundedText(std::string text, size_t maxBytes = kMaxMessageBytes) {
  if (text.size() <= maxBytes) return text;
  const size_t whole = text.size();
  size_t end = maxBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  text.resize(end);
  text += "... (" + std::to_string(whole - end) + " bytes more)";
  text.shrink_to_fit();
  return text;
}

}  // namespace hilo
