#include "core/runtime/device/simulated/print_format.h"

#include <cstdio>
#include <cstring>
#include <string_view>

namespace hilo {
namespace {

constexpr size_t kMostOutput = 1 << 20;  // as much as a device keeps by default
constexpr size_t kMostPiece = 512;

template <typename T>
T take(const std::byte*& arguments) {
  auto at = reinterpret_cast<uintptr_t>(arguments);
  at = (at + sizeof(T) - 1) / sizeof(T) * sizeof(T);
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(at), sizeof(T));
  arguments = reinterpret_cast<const std::byte*>(at + sizeof(T));
  return value;
}

template <typename T>
void put(std::string& output, const std::string& spec, T value) {
  char piece[kMostPiece];
  const int length = std::snprintf(piece, sizeof(piece), spec.c_str(), value);
  if (length > 0) output.append(piece, std::min<size_t>(static_cast<size_t>(length), sizeof(piece) - 1));
}

}  // namespace

uint32_t printAsDevice(std::string& output, const char* format, const std::byte* arguments) {
  uint32_t count = 0;
  while (*format != '\0' && output.size() < kMostOutput) {
    if (*format != '%') {
      output += *format++;
      continue;
    }
    if (format[1] == '%') {
      output += '%';
      format += 2;
      continue;
    }
    std::string spec(1, *format++);
    bool isLong = false;
    while (*format != '\0' && std::strchr("0123456789.+-# hlzt", *format) != nullptr) {
      isLong = isLong || *format == 'l' || *format == 'z' || *format == 't';
      if (std::strchr("hlzt", *format) == nullptr) spec += *format;
      ++format;
    }
    if (*format == '\0') break;
    const char conversion = *format++;
    ++count;
    if (std::strchr("eEfFgGaA", conversion) != nullptr) {
      put(output, spec + conversion, take<double>(arguments));
    } else if (conversion == 's') {
      put(output, spec + "s", take<const char*>(arguments));
    } else if (conversion == 'p') {
      put(output, spec + "p", take<const void*>(arguments));
    } else if (isLong) {
      put(output, spec + "ll" + conversion, take<long long>(arguments));
    } else {
      put(output, spec + conversion, take<int>(arguments));
    }
  }
  return count;
}

}  // namespace hilo
