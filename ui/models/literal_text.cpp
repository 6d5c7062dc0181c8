#include "ui/models/literal_text.h"

#include "core/base/number_text.h"
#include "ui/models/text_of.h"

namespace hilo {
namespace {

template <typename T>
std::string textAt(const Literal& literal, int64_t index) {
  return numberText(literal.data<T>()[static_cast<size_t>(index)]);
}

std::string integerText(const Literal& literal, int64_t index, bool isSigned) {
  switch (elementStorageBytes(literal.shape().elementType())) {
    case 1:
      return isSigned ? textAt<int8_t>(literal, index) : textAt<uint8_t>(literal, index);
    case 2:
      return isSigned ? textAt<int16_t>(literal, index) : textAt<uint16_t>(literal, index);
    case 4:
      return isSigned ? textAt<int32_t>(literal, index) : textAt<uint32_t>(literal, index);
    default:
      return isSigned ? textAt<int64_t>(literal, index) : textAt<uint64_t>(literal, index);
  }
}

}  // namespace

std::string elementText(const Literal& literal, int64_t index) {
  const ElementType type = literal.shape().elementType();
  const int64_t stored =
      static_cast<int64_t>(literal.bytes().size()) / std::max(1, elementStorageBytes(type));
  if (literal.isElided() || index < 0 || index >= stored) return {};
  switch (type) {
    case ElementType::Pred:
      return literal.data<uint8_t>()[static_cast<size_t>(index)] != 0 ? "true" : "false";
    case ElementType::F32:
      return textAt<float>(literal, index);
    case ElementType::F64:
      return textAt<double>(literal, index);
    case ElementType::C64:
      return textAt<std::complex<float>>(literal, index);
    case ElementType::C128:
      return textAt<std::complex<double>>(literal, index);
    case ElementType::F16:
      return textAt<F16>(literal, index);
    case ElementType::BF16:
      return textAt<BF16>(literal, index);
    case ElementType::F8E5M2:
      return textAt<F8E5M2>(literal, index);
    case ElementType::F8E4M3:
      return textAt<F8E4M3>(literal, index);
    case ElementType::F8E4M3FN:
      return textAt<F8E4M3FN>(literal, index);
    case ElementType::F8E4M3B11FNUZ:
      return textAt<F8E4M3B11FNUZ>(literal, index);
    case ElementType::F8E5M2FNUZ:
      return textAt<F8E5M2FNUZ>(literal, index);
    case ElementType::F8E4M3FNUZ:
      return textAt<F8E4M3FNUZ>(literal, index);
    case ElementType::F8E3M4:
      return textAt<F8E3M4>(literal, index);
    case ElementType::F6E2M3FN:
      return textAt<F6E2M3FN>(literal, index);
    case ElementType::F6E3M2FN:
      return textAt<F6E3M2FN>(literal, index);
    case ElementType::F4E2M1FN:
      return textAt<F4E2M1FN>(literal, index);
    case ElementType::F8E8M0FNU:
      return textAt<F8E8M0FNU>(literal, index);
    default:
      return integerText(literal, index, isSigned(type));
  }
}

QString literalText(const Literal& literal, int maxElements) {
  if (literal.isTuple()) {
    QStringList parts;
    for (const Literal& element : literal.elements()) {
      if (parts.size() == 8) {
        parts << "...";
        break;
      }
      parts << literalText(element, maxElements);
    }
    return "(" + parts.join(", ") + ")";
  }
  if (literal.isElided()) return "{...} (values were not printed in the file)";
  if (!literal.shape().isArray()) return qs(toString(literal.shape()));
  const int64_t count = literal.shape().elementCount();
  if (literal.shape().isScalar()) return qs(elementText(literal, 0));
  QStringList parts;
  for (int64_t i = 0; i < std::min<int64_t>(count, maxElements); ++i) parts << qs(elementText(literal, i));
  const QString more =
      count > maxElements ? QString(", ... %1 more").arg(countText(count - maxElements)) : "";
  return "{" + parts.join(", ") + more + "}";
}

}  // namespace hilo
