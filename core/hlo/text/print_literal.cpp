// Literals on one line, in the form of XLA's literal.cc.

#include "core/base/number_text.h"
#include "core/hlo/text/element_types.h"
#include "core/hlo/text/print.h"

namespace hilo {
namespace {

template <typename T>
void appendElement(std::string& out, T value, bool predAsDigit) {
  if constexpr (std::is_same_v<T, bool>) {
    if (predAsDigit) {
      out += value ? '1' : '0';
      return;
    }
  }
  appendNumber(out, value);
}

// Prints the real part of an array (its dynamic sizes), row-major.
template <typename T>
class ArrayPrinter {
 public:
  ArrayPrinter(std::string& out, const Literal& literal) : out_(out), values_(literal.data<T>()) {
    const Shape shape = literal.shape();
    bounds_ = shape.dimensions();
    sizes_ = literal.dynamicSizes().empty() ? bounds_ : literal.dynamicSizes();
  }

  void print() { printDimension(0, 0, 0); }

 private:
  void printDimension(size_t dimension, int64_t offset, int64_t indexAbove) {
    const size_t rank = sizes_.size();
    if (dimension == rank) {
      appendElement(out_, values_[static_cast<size_t>(offset)], rank > 0);
      return;
    }
    const bool innermost = dimension + 1 == rank;
    const int64_t size = sizes_[dimension];
    open(dimension, innermost, size, indexAbove);
    for (int64_t i = 0; i < size; ++i) {
      if (i != 0) out_ += ", ";
      printDimension(dimension + 1, offset * bounds_[dimension] + i, i);
    }
    if (rank > 1) {
      if (!innermost || size > 1) out_ += ' ';
    }
    out_ += '}';
  }

  // A matrix's inner braces have spaces unless they hold one element; from four dimensions on the outer ones
  // say which index they are.
  void open(size_t dimension, bool innermost, int64_t size, int64_t indexAbove) {
    out_ += '{';
    const size_t rank = sizes_.size();
    if (rank == 1) return;
    if (innermost) {
      if (size > 1) out_ += ' ';
      return;
    }
    if (rank > 3 && dimension > 0) {
      fmt::format_to(std::back_inserter(out_), " /*i{}={}*/{}", dimension - 1, indexAbove,
                     size > 0 ? " " : "");
      return;
    }
    out_ += ' ';
  }

  std::string& out_;
  std::span<const T> values_;
  std::span<const int64_t> bounds_;
  std::span<const int64_t> sizes_;
};

void appendArray(std::string& out, const Literal& literal) {
  withStorageType(literal.shape().elementType(),
                  [&]<typename T>() { ArrayPrinter<T>(out, literal).print(); });
}

void appendValue(std::string& out, const Literal& literal, bool withShapes) {
  const Shape shape = literal.shape();
  if (shape.isTuple() && !(literal.isElided() && literal.elements().empty())) {
    out += "( ";
    for (size_t i = 0; i < literal.elements().size(); ++i) {
      if (i != 0) out += ", ";
      appendValue(out, literal.elements()[i], withShapes);
    }
    out += " )";
    return;
  }
  if (shape.isToken()) {
    out += "token";
    return;
  }
  if (withShapes) {
    appendShape(out, shape, true);
    if (!literal.dynamicSizes().empty()) {
      out += '(';
      for (size_t i = 0; i < literal.dynamicSizes().size(); ++i) {
        fmt::format_to(std::back_inserter(out), "{}{}", i == 0 ? "" : ",", literal.dynamicSizes()[i]);
      }
      out += ')';
    }
    out += ' ';
  }
  if (literal.isElided()) {
    out += "{...}";
  } else {
    appendArray(out, literal);
  }
}

// All elements equal to `value`, which is 0 or 1.
bool isAll(const Literal& literal, int value) {
  if (!literal.shape().isArray() || literal.isElided()) return false;
  return withStorageType(literal.shape().elementType(), [&]<typename T>() {
    for (const T& element : literal.data<T>()) {
      bool same = false;
      if constexpr (kIsComplex<T>) {
        same = element == T(static_cast<typename T::value_type>(value));
      } else if constexpr (FloatElement<T>) {
        same = static_cast<double>(element) == value;
      } else {
        same = element == static_cast<T>(value);
      }
      if (!same) return false;
    }
    return true;
  });
}

constexpr int64_t kLargeConstant = 10;
constexpr int64_t kLargestEssentialConstant = 500'000;

bool allIntegers(Shape shape) {
  if (!shape.isTuple()) return isIntegral(shape.elementType());
  return std::ranges::all_of(shape.tupleShapes(), allIntegers);
}

}  // namespace

void appendLiteral(std::string& out, const Literal& literal, const PrintOptions& options) {
  const Shape shape = literal.shape();
  const int64_t count = shape.isArray() ? shape.elementCount() : 1;
  if (options.essentialConstants) {
    if (isAll(literal, 0)) {
      out += '0';
    } else if (isAll(literal, 1)) {
      out += '1';
    } else if (allIntegers(shape) && count <= kLargestEssentialConstant && !literal.isElided()) {
      appendValue(out, literal, false);
    } else {
      out += "{...}";
    }
    return;
  }
  if (options.largeConstants || (shape.isArray() && count <= kLargeConstant)) {
    appendValue(out, literal, false);
  } else {
    out += "{...}";
  }
}

void appendShapedLiteral(std::string& out, const Literal& literal) { appendValue(out, literal, true); }

}  // namespace hilo
