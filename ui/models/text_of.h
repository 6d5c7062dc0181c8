// Short texts shared by models: names, amounts and diagnostics as a person reads them.
#pragma once

#include <QStringList>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/amount_text.h"
#include "core/base/diagnostic.h"
#include "core/hlo/ir/shape.h"

namespace hilo {

inline QString qs(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}
inline std::string toStd(const QString& text) { return text.toStdString(); }
inline std::vector<std::string> stdList(const QStringList& texts) {
  std::vector<std::string> list;
  for (const QString& text : texts) list.push_back(toStd(text));
  return list;
}

// In one line, its first note behind the message: "m cannot be run by cpu: no emitter for infeed".
QString lineOf(const Diagnostic& diagnostic);
// Amounts of core/base/amount_text.h as Qt's text.
inline QString bytesText(int64_t bytes) { return qs(amount::bytes(bytes)); }
inline QString countText(int64_t count) { return qs(amount::count(count)); }
inline QString countOf(size_t count, const char* one, const char* many = "") {
  return qs(amount::countOf(static_cast<int64_t>(count), one, many));
}
inline QString durationText(double nanoseconds) { return qs(amount::duration(nanoseconds)); }
inline QString quantityText(double value) { return qs(amount::quantity(value)); }
inline QString flopsText(int64_t flops) { return qs(amount::flops(flops)); }
// The element type and dimensions only: "f32[2,3]"; tuples as "(f32[2], ...)" cut at `maxLength` characters.
QString shapeText(Shape shape, int maxLength = 80);

}  // namespace hilo
