#include "core/base/number_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace hilo {
namespace {

constexpr int kDoublePayloadBits = 52;
constexpr uint64_t kDoublePayloadMask = (uint64_t{1} << kDoublePayloadBits) - 1;
constexpr uint64_t kDoubleQuietPayload = uint64_t{1} << (kDoublePayloadBits - 1);

// %.<digits>g, independent of the locale.
std::string_view formatGeneral(double value, int digits, std::array<char, 64>& buffer) {
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, digits);
  return {buffer.data(), static_cast<size_t>(end - buffer.data())};
}

template <typename T>
void appendNan(std::string& out, T value) {
  using Traits = FloatTraits<T>;
  out += Traits::signBit(value) ? "-nan" : "nan";
  if constexpr (Traits::nanPayloadBits > 0) {
    const uint64_t payload = Traits::toBits(value) & ((uint64_t{1} << Traits::nanPayloadBits) - 1);
    if (payload != uint64_t{1} << (Traits::nanPayloadBits - 1)) {
      fmt::format_to(std::back_inserter(out), "(0x{:x})", payload);
    }
  }
}

template <typename T>
void appendFloat(std::string& out, T value) {
  if (FloatTraits<T>::isNan(value)) return appendNan(out, value);
  if (!FloatTraits<T>::isFinite(value)) {
    out += FloatTraits<T>::signBit(value) ? "-inf" : "inf";
    return;
  }
  std::array<char, 64> buffer;
  if constexpr (std::is_floating_point_v<T>) {
    const std::string_view text = formatGeneral(value, std::numeric_limits<T>::digits10, buffer);
    T readBack = 0;
    std::from_chars(text.data(), text.data() + text.size(), readBack);
    if (readBack == value) {
      out += text;
      return;
    }
  }
  out += formatGeneral(static_cast<double>(value), maxDecimalDigits<T>(), buffer);
}

std::unexpected<Diagnostic> malformed(std::string_view text, std::string_view expected) {
  return fail("malformed-number", fmt::format("'{}' is not {}", text, expected));
}

// The payload in `(0x...)`; `text` starts behind "nan".
Result<double> parseNan(std::string_view whole, std::string_view text, bool negative) {
  if (text.empty()) return nanWithPayload(negative, 0);
  if (!text.starts_with("(0x") || !text.ends_with(")") || text.size() < 5)
    return malformed(whole, "a number");
  const std::string_view digits = text.substr(3, text.size() - 4);
  uint64_t payload = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), payload, 16);
  if (error != std::errc() || end != digits.data() + digits.size()) return malformed(whole, "a number");
  if (payload == 0 || payload > kDoublePayloadMask) {
    return fail("literal-out-of-range",
                fmt::format("NaN payload of '{}' is outside 0x1 to 0x{:x}", whole, kDoublePayloadMask));
  }
  return nanWithPayload(negative, payload);
}

template <typename T>
Result<T> narrowNan(double value) {
  using Traits = FloatTraits<T>;
  const bool negative = std::signbit(value);
  const uint64_t payload = std::bit_cast<uint64_t>(value) & kDoublePayloadMask;
  if constexpr (std::is_same_v<T, double>) {
    return value;
  } else if constexpr (Traits::nanPayloadBits == 0) {
    if (payload == kDoubleQuietPayload) return T(value);
    return fail("literal-out-of-range",
                fmt::format("NaN payload 0x{:x} for a type whose NaN has none", payload));
  } else {
    constexpr uint64_t kMask = (uint64_t{1} << Traits::nanPayloadBits) - 1;
    const uint64_t narrowed =
        payload == kDoubleQuietPayload ? uint64_t{1} << (Traits::nanPayloadBits - 1) : payload;
    if (narrowed > kMask) {
      return fail("literal-out-of-range", fmt::format("NaN payload 0x{:x} exceeds 0x{:x}", payload, kMask));
    }
    const auto exponent = Traits::toBits(Traits::infinityOrHighest());
    const uint64_t sign = uint64_t{negative} << (sizeof(T) * 8 - 1);
    return Traits::fromBits(static_cast<typename Traits::Bits>(sign | exponent | narrowed));
  }
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

template <typename Complex>
Result<Complex> parseComplexNumber(std::string_view text) {
  using Part = typename Complex::value_type;
  if (!text.starts_with("(")) {
    TRY(const Part real, parseNumber<Part>(text));
    return Complex(real, Part(0));
  }
  const size_t comma = text.find(',');
  if (!text.ends_with(")") || comma == std::string_view::npos)
    return malformed(text, "a complex number (re, im)");
  TRY(const Part real, parseNumber<Part>(trimmed(text.substr(1, comma - 1))));
  TRY(const Part imaginary, parseNumber<Part>(trimmed(text.substr(comma + 1, text.size() - comma - 2))));
  return Complex(real, imaginary);
}

}  // namespace

template <typename T>
void appendNumber(std::string& out, T value) {
  if constexpr (std::is_same_v<T, bool>) {
    out += value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    const fmt::format_int text(value);
    out.append(text.data(), text.size());
  } else if constexpr (kIsComplex<T>) {
    out += '(';
    appendFloat(out, value.real());
    out += ", ";
    appendFloat(out, value.imag());
    out += ')';
  } else {
    appendFloat(out, value);
  }
}

double nanWithPayload(bool negative, uint64_t payload) {
  const uint64_t sign = uint64_t{negative} << 63;
  const uint64_t mantissa = payload == 0 ? kDoubleQuietPayload : payload & kDoublePayloadMask;
  return std::bit_cast<double>(sign | (uint64_t{0x7ff} << kDoublePayloadBits) | mantissa);
}

Result<double> parseDouble(std::string_view text) {
  const bool negative = text.starts_with("-");
  const std::string_view magnitude = text.substr(negative ? 1 : 0);
  if (magnitude == "inf")
    return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  if (magnitude.starts_with("nan")) return parseNan(text, magnitude.substr(3), negative);
  if (magnitude.empty() || !(magnitude[0] == '.' || (magnitude[0] >= '0' && magnitude[0] <= '9'))) {
    return malformed(text, "a number");
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument)
    return malformed(text, "a number");
  if (error == std::errc::result_out_of_range) {
    // Too small is zero; only too large is an error. The exponent's sign tells them apart.
    const size_t exponent = text.find_first_of("eE");
    const bool tiny = exponent == std::string_view::npos ? magnitude.starts_with("0.") || magnitude[0] == '.'
                                                         : text.substr(exponent + 1).starts_with("-");
    if (tiny) return negative ? -0.0 : 0.0;
    return fail("literal-out-of-range", fmt::format("'{}' does not fit a double", text));
  }
  return value;
}

template <FloatElement T>
Result<T> narrowParsed(double value) {
  if (std::isnan(value)) return narrowNan<T>(value);
  const T narrowed = static_cast<T>(value);
  if (std::isfinite(value) && !FloatTraits<T>::isFinite(narrowed)) {
    return fail("literal-out-of-range",
                fmt::format("{} is outside {} to {}", numberText(value), numberText(FloatTraits<T>::lowest()),
                            numberText(FloatTraits<T>::highest())));
  }
  return narrowed;
}

Status checkIntegerRange(int64_t value, int bits, bool isSigned) {
  if (bits >= 64) return {};
  const int64_t highest = (int64_t{1} << (isSigned ? bits - 1 : bits)) - 1;
  const int64_t lowest = isSigned ? -highest - 1 : 0;
  if (value >= lowest && value <= highest) return {};
  return fail("literal-out-of-range", fmt::format("{} is outside {} to {}", value, lowest, highest));
}

Result<int64_t> parseInteger(std::string_view text, int bits, bool isSigned) {
  const bool negative = text.starts_with("-");
  int64_t value = 0;
  uint64_t unsignedValue = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = negative ? std::from_chars(text.data(), last, value)
                                     : std::from_chars(text.data(), last, unsignedValue);
  if (end != last || error == std::errc::invalid_argument) return malformed(text, "an integer");
  if (error == std::errc::result_out_of_range) {
    return fail("literal-out-of-range", fmt::format("'{}' does not fit 64 bits", text));
  }
  if (!negative) {
    value = static_cast<int64_t>(unsignedValue);
    if (bits < 64 && value < 0)
      return fail("literal-out-of-range", fmt::format("'{}' does not fit {} bits", text, bits));
  }
  TRY_STATUS(checkIntegerRange(value, bits, isSigned));
  return value;
}

template <typename T>
Result<T> parseNumber(std::string_view text) {
  if constexpr (std::is_same_v<T, bool>) {
    if (text == "true") return true;
    if (text == "false") return false;
    TRY(const int64_t value, parseInteger(text, 64, true));
    return value != 0;
  } else if constexpr (std::is_integral_v<T>) {
    TRY(const int64_t value, parseInteger(text, sizeof(T) * 8, std::is_signed_v<T>));
    return static_cast<T>(value);
  } else if constexpr (kIsComplex<T>) {
    return parseComplexNumber<T>(text);
  } else {
    TRY(const double value, parseDouble(text));
    return narrowParsed<T>(value);
  }
}

#define HILO_NUMBER_TEXT(T)                    \
  template void appendNumber(std::string&, T); \
  template Result<T> parseNumber(std::string_view);
#define HILO_FLOAT_TEXT(T) \
  HILO_NUMBER_TEXT(T)      \
  template Result<T> narrowParsed(double);

HILO_NUMBER_TEXT(bool)
HILO_NUMBER_TEXT(int8_t)
HILO_NUMBER_TEXT(int16_t)
HILO_NUMBER_TEXT(int32_t)
HILO_NUMBER_TEXT(int64_t)
HILO_NUMBER_TEXT(uint8_t)
HILO_NUMBER_TEXT(uint16_t)
HILO_NUMBER_TEXT(uint32_t)
HILO_NUMBER_TEXT(uint64_t)
HILO_NUMBER_TEXT(std::complex<float>)
HILO_NUMBER_TEXT(std::complex<double>)
HILO_FLOAT_TEXT(float)
HILO_FLOAT_TEXT(double)
HILO_FLOAT_TEXT(F16)
HILO_FLOAT_TEXT(BF16)
HILO_FLOAT_TEXT(F8E5M2)
HILO_FLOAT_TEXT(F8E4M3)
HILO_FLOAT_TEXT(F8E3M4)
HILO_FLOAT_TEXT(F8E4M3FN)
HILO_FLOAT_TEXT(F8E4M3B11FNUZ)
HILO_FLOAT_TEXT(F8E5M2FNUZ)
HILO_FLOAT_TEXT(F8E4M3FNUZ)
HILO_FLOAT_TEXT(F8E8M0FNU)
HILO_FLOAT_TEXT(F6E2M3FN)
HILO_FLOAT_TEXT(F6E3M2FN)
HILO_FLOAT_TEXT(F4E2M1FN)
#undef HILO_FLOAT_TEXT
#undef HILO_NUMBER_TEXT

}  // namespace hilo
