#include "ui/models/text_of.h"

namespace hilo {
namespace {

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

QString shapeText(Shape shape, int maxLength) {
  std::string out;
  appendLimited(out, shape, static_cast<size_t>(maxLength));
  QString text = qs(out);
  if (text.size() > maxLength + 4) text = text.left(maxLength) + "...";
  return text;
}

}  // namespace hilo
