// Numbers as XLA prints them in a literal, and back.
//
// Printing (behaviour of xla/util.cc RoundTripFpToString and xla/literal.cc): floats in %g form; f32 and f64
// with as few as 6 and 15 digits when those read back to the same value, every other case with max_digits10
// digits; `inf`, `-inf`, `nan`, `-nan`; a NaN payload other than the quiet one as `nan(0x...)`; complex as
// `(re, im)`; bool as `true` and `false`. Reading (behaviour of xla/hlo/parser/hlo_parser.cc): a value that
// does not fit its type is an error of kind "literal-out-of-range", text of another form one of kind
// "malformed-number". A decimal float is first read as a double and then narrowed, as XLA does.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/float_formats.h"
#include "core/base/result.h"

namespace hilo {

template <typename T>
inline constexpr bool kIsComplex = false;
template <typename T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

// Adds the text of `value` to `out`. T: bool, an integer of 8 to 64 bits, a FloatElement or std::complex of
// float or double. Sub-byte integers are printed through int8_t or uint8_t.
template <typename T>
void appendNumber(std::string& out, T value);

template <typename T>
std::string numberText(T value) {
  std::string out;
  appendNumber(out, value);
  return out;
}

// A double whose NaN carries a sign and payload, as the text `nan(0x...)` gives; payload 0 means
// the quiet NaN.
double nanWithPayload(bool negative, uint64_t payload);

// Reads a whole text as a double, NaN payload included.
Result<double> parseDouble(std::string_view text);

// Narrows a double read from text to T, checking range and NaN payload. T: a FloatElement.
template <FloatElement T>
Result<T> narrowParsed(double value);

// Reads a whole text as an integer of `bits` (1 to 64) bits. 64-bit types take anything that fits 64 bits,
// signed or unsigned, and keep the bits, as XLA's lexer does.
Result<int64_t> parseInteger(std::string_view text, int bits, bool isSigned);
// The range check alone, for a value already read into 64 bits.
Status checkIntegerRange(int64_t value, int bits, bool isSigned);

// Reads a whole text as T, the inverse of appendNumber. bool also takes integers (0 is false); complex takes
// `(re, im)` or a real number alone.
template <typename T>
Result<T> parseNumber(std::string_view text);

}  // namespace hilo
