// Amounts as a person reads them, the same in the command line and in every view. Three digits that matter:
// "1.23", "12.3", "123". Bytes are in powers of 1024 (KiB, MiB, GiB), everything else in powers of 1000.
// XLA's own forms in dump files ("397.5KiB") are written by core/hlo/dump.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hilo::amount {

// "12 B", "1.50 KiB", "3.20 GiB"; "unknown" when negative, ">= 8 EiB" when saturated.
std::string bytes(int64_t bytes);
// "12", "1,234,567".
std::string count(int64_t count);
// "1 step", "1,234 steps"; `many` where an s does not do.
std::string countOf(int64_t count, std::string_view one, std::string_view many = {});
// "812 ns", "1.24 µs", "2.50 s"; "unknown" when negative. A part of a nanosecond is shown: "0.25 ns".
std::string duration(double nanoseconds);
// 1.2e9 as "1.20 G".
std::string quantity(double value);
// "12 flops", "1.20 Gflops".
std::string flops(int64_t flops);

}  // namespace hilo::amount
