// Short texts shared by models: names, sizes, counts and times as a person reads them.
#pragma once

#include <QString>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/hlo/ir/shape.h"

namespace hilo {

inline QString qs(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}
inline std::string toStd(const QString& text) { return text.toStdString(); }

// In one line, its first note behind the message: "m cannot be run by cpu: no emitter for infeed".
QString lineOf(const Diagnostic& diagnostic);
// "12 B", "1.5 KiB", "3.2 GiB"; "unknown" when negative, ">= 8 EiB" when saturated.
QString bytesText(int64_t bytes);
// "12", "1,234,567".
QString countText(int64_t count);
// "1 step", "1,234 steps"; `many` where an s does not do.
QString countOf(size_t count, const char* one, const char* many = nullptr);
// "812 ns", "1.24 ms", "2.5 s".
QString durationText(int64_t nanoseconds);
// 1.2e9 as "1.2 G".
QString quantityText(double value);
// "12 flops", "1.2 Gflops".
QString flopsText(int64_t flops);
// The element type and dimensions only: "f32[2,3]"; tuples as "(f32[2], ...)" cut at `maxLength` characters.
QString shapeText(Shape shape, int maxLength = 80);

}  // namespace hilo
