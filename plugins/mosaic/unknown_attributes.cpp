#include "plugins/mosaic/unknown_attributes.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <mlir/IR/OperationSupport.h>

namespace hilo::mosaic {
namespace {

// Sizes of the parts of operands and results, in both of their spellings.
constexpr llvm::StringLiteral kSegments[] = {"operandSegmentSizes", "operand_segment_sizes",
                                             "resultSegmentSizes", "result_segment_sizes"};

constexpr size_t kMost = 100;

class Scan {
 public:
  Scan(llvm::StringRef text, mlir::MLIRContext& context) : text_(text), context_(context) {}

  std::vector<UnknownAttribute> run() {
    while (at_ < text_.size() && found_.size() < kMost) {
      if (skipComment()) continue;
      const char c = text_[at_];
      if (c == '"') {
        operation_ = string();
        continue;
      }
      // Behind operands or successors; behind a name it would be a parameter's.
      const bool opensProperties = (last_ == ')' || last_ == ']') && text_.substr(at_).starts_with("<{");
      if (!llvm::isSpace(c)) last_ = c;
      at_ += opensProperties ? 2 : 1;
      if (opensProperties) readNames();
    }
    return std::move(found_);
  }

 private:
  bool skipComment() {
    if (!text_.substr(at_).starts_with("//")) return false;
    at_ = std::min(text_.find('\n', at_), text_.size());
    return true;
  }

  // What stands between quotes; the place is behind them.
  llvm::StringRef string() {
    const size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    const llvm::StringRef inside = text_.slice(begin, std::min(at_, text_.size()));
    at_ = std::min(at_ + 1, text_.size());
    last_ = '"';
    return inside;
  }

  // To the brace that closes; a name stands first and behind each comma that no other bracket encloses.
  void readNames() {
    bool isName = true;
    for (int depth = 0; at_ < text_.size();) {
      if (skipComment()) continue;
      const char c = text_[at_];
      if (isName && depth == 0 && (llvm::isAlpha(c) || c == '_' || c == '"')) {
        const size_t begin = at_;
        check(c == '"' ? string() : word(), begin);
        isName = false;
        continue;
      }
      if (c == '"') {
        string();
        continue;
      }
      if (depth == 0 && c == '}') return;
      const bool isArrow = c == '>' && text_[at_ - 1] == '-';
      if (llvm::StringRef("([{<").contains(c)) ++depth;
      if (llvm::StringRef(")]}>").contains(c) && !isArrow) --depth;
      if (depth == 0 && c == ',') isName = true;
      ++at_;
    }
  }

  llvm::StringRef word() {
    const size_t begin = at_;
    while (at_ < text_.size() && (llvm::isAlnum(text_[at_]) || llvm::StringRef("_$.").contains(text_[at_])))
      ++at_;
    return text_.slice(begin, at_);
  }

  void check(llvm::StringRef name, size_t begin) {
    const auto known = mlir::RegisteredOperationName::lookup(operation_, &context_);
    if (!known || llvm::is_contained(kSegments, name) ||
        llvm::any_of(known->getAttributeNames(),
                     [&](mlir::StringAttr one) { return one.getValue() == name; }))
      return;
    const llvm::StringRef before = text_.take_front(begin);
    found_.push_back({.operation = operation_.str(),
                      .name = name.str(),
                      .line = static_cast<uint32_t>(before.count('\n') + 1),
                      .column = static_cast<uint32_t>(begin - (before.rfind('\n') + 1) + 1)});
  }

  llvm::StringRef text_;
  mlir::MLIRContext& context_;
  size_t at_ = 0;
  char last_ = 0;  // before it, space left out
  llvm::StringRef operation_;
  std::vector<UnknownAttribute> found_;
};

}  // namespace

std::vector<UnknownAttribute> unknownAttributes(llvm::StringRef text, mlir::MLIRContext& context) {
  return Scan(text, context).run();
}

}  // namespace hilo::mosaic
