#include "ui/models/text_of.h"

#include <fmt/format.h>

#include <QLocale>
#include <array>
#include <limits>

namespace hilo {
namespace {

QString scaled(double value, double step, std::span<const char* const> units) {
  size_t unit = 0;
  while (value >= step && unit + 1 < units.size()) {
    value /= step;
    ++unit;
  }
  const int digits = unit == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return QString("%1 %2").arg(QString::number(value, 'f', digits), units[unit]).trimmed();
}

void appendLimited(std::string& out, Shape shape, size_t limit) {
  if (!shape.isTuple()) {
    appendShape(out, shape, false);
    return;
  }
  out += '(';
  bool first = true;
  for (Shape element : shape.tupleShapes()) {
    if (!first) out += ", ";
    first = false;
    if (out.size() > limit) {
      out += "...";
      break;
    }
    appendLimited(out, element, limit);
  }
  out += ')';
}

}  // namespace

QString lineOf(const Diagnostic& diagnostic) {
  QString line = qs(diagnostic.message);
  if (!diagnostic.notes.empty()) line += ": " + qs(diagnostic.notes[0]);
  return line;
}

QString bytesText(int64_t bytes) {
  static constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 0) return "unknown";
  if (bytes == std::numeric_limits<int64_t>::max()) return ">= 8 EiB";
  return scaled(static_cast<double>(bytes), 1024, kUnits);
}

QString countText(int64_t count) {
  QString text = QString::number(count);
  const qsizetype start = count < 0 ? 1 : 0;
  for (qsizetype at = text.size() - 3; at > start; at -= 3) text.insert(at, ',');
  return text;
}

QString countOf(size_t count, const char* one, const char* many) {
  const QString word = count == 1 ? QString(one) : many != nullptr ? QString(many) : QString(one) + "s";
  return countText(static_cast<int64_t>(count)) + " " + word;
}

QString durationText(int64_t nanoseconds) {
  static constexpr std::array kUnits = {"ns", "µs", "ms", "s"};
  if (nanoseconds < 0) return "unknown";
  return scaled(static_cast<double>(nanoseconds), 1000, kUnits);
}

QString quantityText(double value) {
  static constexpr std::array kUnits = {"", "K", "M", "G", "T", "P", "E"};
  return scaled(value, 1000, kUnits);
}

QString flopsText(int64_t flops) {
  const QString amount = quantityText(static_cast<double>(flops));
  return amount + (amount.contains(' ') ? "flops" : " flops");
}

QString shapeText(Shape shape, int maxLength) {
  std::string out;
  appendLimited(out, shape, static_cast<size_t>(maxLength));
  QString text = qs(out);
  if (text.size() > maxLength + 4) text = text.left(maxLength) + "...";
  return text;
}

}  // namespace hilo
