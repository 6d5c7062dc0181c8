// Products of matrices by wgmma, waited for where they are: LLVM does not know that the registers of the sums
// are still written after it. Source: PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix Instructions".
#include <fmt/format.h>

#include <algorithm>

#include "core/compiler/codegen/warpgroup/matrix_tiles.h"
#include "core/hlo/ir/element_type.h"

namespace hilo::warpgroup {

using llvm::Value;

namespace {

constexpr int64_t kRows = 64, kStepBytes = 32;

struct Factor {
  std::string_view element, ptx;
};
constexpr Factor kFactors[] = {{"f16", "f16"}, {"bf16", "bf16"},     {"f32", "tf32"},   {"tf32", "tf32"},
                               {"i8", "s8"},   {"f8E4M3FN", "e4m3"}, {"f8E5M2", "e5m2"}};

Result<std::string_view> ptxNameOf(const KernelOp& op, const KernelType& type) {
  const auto at = std::ranges::find(kFactors, type.element, &Factor::element);
  if (at != std::end(kFactors)) return at->ptx;
  return refuse(op, fmt::format("factors of {}", type.element));
}

// Elements of one register of 32 bits.
Value* packed(KernelLowering& lowering, ElementType type, std::span<const Scalar> elements) {
  llvm::IRBuilder<>& b = lowering.b();
  const auto bits = static_cast<uint64_t>(8 * elementStorageBytes(type));
  Value* word = b.getInt32(0);
  for (size_t i = 0; i < elements.size(); ++i) {
    Value* one = b.CreateZExt(lowering.scalars().toStorage(type, elements[i]), b.getInt32Ty());
    word = b.CreateOr(word, b.CreateShl(one, i * bits));
  }
  return word;
}

// One product: its sizes, and where its factors come from.
class Product {
 public:
  Product(KernelLowering& lowering, OpId op) : lowering_(lowering), op_(op) {}

  Status read() {
    const KernelOp& one = lowering_.op(op_);
    TRY_STATUS(needs(one, 3, 1));
    TRY(sums_, lowering_.array(op_, 0));
    const KernelDescription& kernel = lowering_.kernel();
    const KernelType &left = kernel.type(one.operands[1]), &right = kernel.type(one.operands[2]);
    TRY(leftName_, ptxNameOf(one, left));
    TRY(rightName_, ptxNameOf(one, right));
    bytes_ = *elementBytesOf(right);
    columns_ = right.shape[1];
    depth_ = right.shape[0];
    if (sums_->map.shape() != Sizes{left.shape[0], columns_} || left.shape[1] != depth_ ||
        left.shape[0] % kRows != 0 || columns_ % 8 != 0 || columns_ > 256)
      return refuse(one, "sizes other than a multiple of 64 rows and of 8 columns, 256 at most");
    if (elementBytesOf(left) != bytes_ || depth_ * bytes_ % kStepBytes != 0)
      return refuse(one, "factors of different sizes, or a sum that is no multiple of 32 bytes");
    TRY_STATUS(checkSums(one));
    TRY(const MemoryView second, lowering_.memory(op_, 2));
    TRY(second_, tilesOf(lowering_, op_, second, 1, {2}));
    if (left.kind == KernelType::Kind::Vector) {
      TRY(inRegisters_, lowering_.array(op_, 1));
      return {};
    }
    TRY(const MemoryView first, lowering_.memory(op_, 1));
    TRY(first_, tilesOf(lowering_, op_, first, 0, {2}));
    return {};
  }

  void lower() {
    lowering_.code().ptx("wgmma.fence.sync.aligned;");
    for (int64_t part = 0; part < sums_->map.shape()[0] / kRows; ++part) multiply(part);
    lowering_.give(lowering_.op(op_).results[0], *std::move(sums_));
  }

 private:
  Status checkSums(const KernelOp& op) {
    const bool areIntegers = leftName_ == "s8";
    const bool isHalf = sums_->type == ElementType::F16;
    const bool fits = areIntegers ? sums_->type == ElementType::S32
                                  : sums_->type == ElementType::F32 ||
                                        (isHalf && leftName_ != "bf16" && leftName_ != "tf32");
    const bool areSame = leftName_ == rightName_ || (bytes_ == 1 && !areIntegers && rightName_ != "s8");
    if (fits && areSame) return {};
    return refuse(op, fmt::format("sums of {} of products of {} and {}", elementTypeName(sums_->type),
                                  leftName_, rightName_));
  }

  bool isHalf() const { return sums_->type == ElementType::F16; }

  // The elements of thread 0 that a register of sums is: rows of 8 columns each, two at a time.
  size_t sumAt(int64_t part, int64_t pair, int64_t slot) const {
    const Sizes index{part * kRows + pair % 2 * 8, pair / 2 * 8 + slot};
    return *elementAt(sums_->map, index, 0);
  }

  std::vector<Value*> sumRegisters(int64_t part) {
    std::vector<Value*> registers;
    for (int64_t pair = 0; pair < columns_ / 4; ++pair) {
      const Scalar two[] = {sums_->elements[sumAt(part, pair, 0)], sums_->elements[sumAt(part, pair, 1)]};
      if (isHalf())
        registers.push_back(packed(lowering_, ElementType::F16, two));
      else
        registers.insert(registers.end(), {two[0].value, two[1].value});
    }
    return registers;
  }

  void setSums(int64_t part, Value* made) {
    llvm::IRBuilder<>& b = lowering_.b();
    for (int64_t pair = 0; pair < columns_ / 4; ++pair)
      for (int64_t slot = 0; slot < 2; ++slot) {
        Scalar& sum = sums_->elements[sumAt(part, pair, slot)];
        if (!isHalf()) {
          sum = {b.CreateExtractValue(made, static_cast<unsigned>(2 * pair + slot))};
          continue;
        }
        Value* word = b.CreateExtractValue(made, static_cast<unsigned>(pair));
        Value* bits = b.CreateTrunc(b.CreateLShr(word, static_cast<uint64_t>(16 * slot)), b.getInt16Ty());
        sum = lowering_.scalars().fromStorage(ElementType::F16, bits);
      }
  }

  // Four registers of 64 rows and 32 bytes of the first factor.
  std::vector<Value*> leftRegisters(int64_t part, int64_t k) {
    const int64_t inWord = 4 / bytes_;
    std::vector<Value*> registers;
    for (int64_t i = 0; i < 4; ++i) {
      std::vector<Scalar> elements;
      for (int64_t e = 0; e < inWord; ++e) {
        const Sizes index{part * kRows + i % 2 * 8, k + i / 2 * (16 / bytes_) + e};
        elements.push_back(inRegisters_->elements[*elementAt(inRegisters_->map, index, 0)]);
      }
      registers.push_back(packed(lowering_, inRegisters_->type, elements));
    }
    return registers;
  }

  std::string modifiers() const {
    if (sums_->type == ElementType::S32) return "";
    if (bytes_ != 2) return ", 1, 1";
    const std::string left = inRegisters_ ? "" : fmt::format(", {:d}", first_.isTurned);
    return fmt::format(", 1, 1{}, {:d}", left, second_.isTurned);
  }

  void multiply(int64_t part) {
    std::vector<Value*> arguments = sumRegisters(part);
    const size_t count = arguments.size();
    const char kind = sums_->type == ElementType::F32 ? 'f' : 'r';
    std::string constraints, sums;
    for (size_t i = 0; i < count; ++i) {
      constraints += fmt::format("{}={}", i == 0 ? "" : ",", kind);
      sums += fmt::format("{}${}", i == 0 ? "" : ", ", i);
    }
    for (size_t i = 0; i < count; ++i) constraints += fmt::format(",{}", i);
    const std::string name =
        fmt::format("wgmma.mma_async.sync.aligned.m64n{}k{}.{}.{}.{}", columns_, kStepBytes / bytes_,
                    elementTypeName(sums_->type), leftName_, rightName_);
    std::string text = "{ .reg .pred adds; setp.ne.b32 adds, 1, 0;\n\twgmma.fence.sync.aligned;\n";
    size_t next = 2 * count;
    for (int64_t k = 0; k < depth_; k += kStepBytes / bytes_) {
      const auto left =
          inRegisters_ ? leftRegisters(part, k) : std::vector{descriptor(lowering_, first_, part * kRows, k)};
      std::string first;
      for (size_t i = 0; i < left.size(); ++i) first += fmt::format("{}${}", i == 0 ? "" : ", ", next++);
      if (inRegisters_) first = "{" + first + "}";
      text += fmt::format("\t{} {{{}}}, {}, ${}, adds{};\n", name, sums, first, next++, modifiers());
      arguments.insert(arguments.end(), left.begin(), left.end());
      arguments.push_back(descriptor(lowering_, second_, 0, k));
      for (size_t i = 0; i < left.size(); ++i) constraints += inRegisters_ ? ",r" : ",l";
      constraints += ",l";
    }
    text += "\twgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0; }";
    const std::vector<llvm::Type*> types(count, arguments[0]->getType());
    setSums(part, lowering_.code().ptx(text, constraints,
                                       llvm::StructType::get(lowering_.b().getContext(), types), arguments));
  }

  KernelLowering& lowering_;
  const OpId op_;
  std::optional<RegisterArray> sums_, inRegisters_;
  std::string_view leftName_, rightName_;
  int64_t bytes_ = 0, columns_ = 0, depth_ = 0;
  MatrixTiles first_, second_;
};

}  // namespace

Status lowerWgmma(KernelLowering& lowering, OpId op) {
  Product product(lowering, op);
  TRY_STATUS(product.read());
  product.lower();
  return {};
}

}  // namespace hilo::warpgroup
