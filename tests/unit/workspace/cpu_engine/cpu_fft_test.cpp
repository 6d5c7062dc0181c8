// Fourier transforms against the evaluator: lines by themselves and eight at once, with a few left over,
// dense and not, of lengths by radices and by convolution, on the stack and past it.
#include "tests/unit/workspace/cpu_engine/expect_evaluated.h"

namespace hilo {
namespace {

void expectFft(std::string_view from, std::string_view to, std::string_view type, std::string_view lengths) {
  expectEvaluated(
      fmt::format("ENTRY e {{ x = {} parameter(0)\n  ROOT r = {} fft(x), fft_type={}, "
                  "fft_length={{{}}} }}",
                  from, to, type, lengths));
}

// Forwards and back of complex numbers, and of real ones to and from the first half of the spectrum.
void expectAll(std::string_view outer, int64_t length, std::string_view lengths) {
  const std::string whole = fmt::format("[{}{}]", outer, length),
                    half = fmt::format("[{}{}]", outer, length / 2 + 1);
  for (const auto& [complex, real] : {std::pair("c64", "f32"), std::pair("c128", "f64")}) {
    for (const char* type : {"FFT", "IFFT"}) expectFft(complex + whole, complex + whole, type, lengths);
    expectFft(real + whole, complex + half, "RFFT", lengths);
    expectFft(complex + half, real + whole, "IRFFT", lengths);
  }
}

TEST(CpuFft, FewLinesAndManyOfEveryLength) {
  for (const char* outer : {"3,", "8,", "21,", "2,1,9,"}) {
    for (const int64_t length : {1, 2, 3, 8, 15, 37, 64}) expectAll(outer, length, std::to_string(length));
  }
}

TEST(CpuFft, SeveralDimensions) {
  expectAll("5,12,", 10, "12,10");
  expectAll("3,4,6,", 7, "4,6,7");
  expectAll("9,1,", 16, "9,1,16");
  expectAll("70,", 6, "70,6");
}

TEST(CpuFft, OtherOrdersOfDimensions) {
  for (const char* order : {"{0,1}", "{1,0}"}) {
    expectFft(fmt::format("c64[12,10]{}", order), "c64[12,10]", "FFT", "10");
    expectFft("c64[12,10]", fmt::format("c64[12,10]{}", order), "IFFT", "12,10");
    expectFft("f32[12,10]", fmt::format("c64[12,6]{}", order), "RFFT", "10");
  }
}

TEST(CpuFft, TooLongForTheStackAtOnce) {
  expectFft("c64[8,6000]", "c64[8,6000]", "FFT", "6000");
  expectFft("f32[40000]", "c64[20001]", "RFFT", "40000");
}

}  // namespace
}  // namespace hilo
