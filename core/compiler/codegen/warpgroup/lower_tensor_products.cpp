// Products of matrices by tcgen05.mma, which the first thread of a warpgroup gives: sums in tensor memory,
// factors in shared memory, the first also in tensor memory. Source: PTX ISA 9.0, "tcgen05.mma" and
// "Instruction Descriptor".
#include <fmt/format.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/NVVMIntrinsicUtils.h>

#include <algorithm>

#include "core/compiler/codegen/warpgroup/matrix_tiles.h"
#include "core/hlo/ir/element_type.h"

namespace hilo::warpgroup {

using llvm::Value;
using Kind = llvm::nvvm::Tcgen05MMAKind;

namespace {

constexpr int64_t kStepBytes = 32, kMostColumns = 256;
constexpr uint64_t kDescriptorMark = uint64_t{1} << 46;  // which those of wgmma do not have

struct Factor {
  std::string_view element;
  Kind kind;
  uint32_t number;  // in the instruction descriptor
};
constexpr Factor kFactors[] = {
    {"f16", Kind::F16, 0},   {"bf16", Kind::F16, 1},        {"f32", Kind::TF32, 2},
    {"tf32", Kind::TF32, 2}, {"f8E4M3FN", Kind::F8F6F4, 0}, {"f8E5M2", Kind::F8F6F4, 1},
    {"i8", Kind::I8, 1}};

Result<Factor> factorOf(const KernelOp& op, const KernelType& type) {
  const auto at = std::ranges::find(kFactors, type.element, &Factor::element);
  if (at != std::end(kFactors)) return *at;
  return refuse(op, fmt::format("factors of {}", type.element));
}

class Product {
 public:
  Product(KernelLowering& lowering, OpId op) : lowering_(lowering), op_(op), one_(lowering.op(op)) {}

  Status read() {
    TRY_STATUS(needs(one_, 4, 0));
    TRY_STATUS(checkPlain());
    TRY(sums_, lowering_.tensor(op_, 0));
    TRY(accumulates_, lowering_.scalar(op_, 3));
    const KernelType &left = typeOf(1), &right = typeOf(2);
    TRY(left_, factorOf(one_, left));
    TRY(right_, factorOf(one_, right));
    depth_ = right.shape[0];
    columns_ = right.shape[1];
    TRY_STATUS(checkTypes());
    TRY_STATUS(checkSizes(left));
    TRY(const MemoryView second, lowering_.memory(op_, 2));
    TRY(second_, tilesOf(lowering_, op_, second, 1, {1, 2}));
    if (left.space == inference::MemorySpace::Tensor) {
      TRY(inTensor_, lowering_.tensor(op_, 1));
      if (rows_ != 128) return refuse(one_, "a first factor in tensor memory of other than 128 rows");
      return {};
    }
    TRY(const MemoryView first, lowering_.memory(op_, 1));
    TRY(first_, tilesOf(lowering_, op_, first, 0, {1, 2}));
    return {};
  }

  void lower() {
    lowering_.code().once([&] {
      const int64_t group = groupColumns(), inLanes = columns_ / laneGroups();
      for (int64_t column = 0; column < columns_; column += group)
        for (int64_t k = 0; k < depth_; k += stepElements())
          multiply(column / inLanes * kHalfLanes, column % inLanes, column, k);
    });
  }

 private:
  static constexpr int64_t kHalfLanes = 16;  // of a warp's, where the second half of the columns is

  const KernelType& typeOf(size_t operand) const { return lowering_.kernel().type(one_.operands[operand]); }
  int64_t bytes() const { return *elementBytesOf(typeOf(2)); }
  int64_t stepElements() const { return kStepBytes / bytes(); }
  int64_t laneGroups() const { return rows_ == 64 ? 2 : 1; }
  int64_t groupColumns() const { return std::min(columns_ / laneGroups(), kMostColumns); }

  Status checkPlain() const {
    if (one_.flag("collective")) return refuse(one_, "products of two blocks together");
    const auto* segments = one_.attribute<Sizes>("operandSegmentSizes");
    if (one_.operands.size() > 4 ||
        (segments && std::ranges::any_of(segments->begin() + std::min<ptrdiff_t>(4, std::ssize(*segments)),
                                         segments->end(), [](int64_t size) { return size != 0; })))
      return refuse(one_, "scales, and matrices half of whose elements are left out");
    return {};
  }

  Status checkTypes() const {
    const ElementType sum = sums_->element;
    const bool areFloats = sum == ElementType::F32 ||
                           (sum == ElementType::F16 && left_.kind != Kind::TF32 && left_.element != "bf16");
    const bool fits = left_.kind == Kind::I8 ? sum == ElementType::S32 : areFloats;
    const bool areSame =
        left_.kind == right_.kind && (left_.kind == Kind::F8F6F4 || left_.number == right_.number);
    if (fits && areSame) return {};
    return refuse(one_, fmt::format("sums of {} of products of {} and {}", elementTypeName(sum),
                                    left_.element, right_.element));
  }

  // Columns of one instruction: a multiple of 8 of 64 rows, of 16 of 128 rows; of integers beyond 32 of 16.
  Status checkSizes(const KernelType& left) {
    rows_ = left.shape[0];
    if (sums_->map.shape() != Sizes{rows_, columns_} || left.shape[1] != depth_)
      return refuse(one_, fmt::format("sums of {} of products of {} and {}", toString(typeOf(0)),
                                      toString(left), toString(typeOf(2))));
    if (rows_ != 64 && rows_ != 128) return refuse(one_, fmt::format("{} rows: they are 64 or 128", rows_));
    const int64_t group = groupColumns();
    const int64_t multiple = rows_ == 128 || (left_.kind == Kind::I8 && group > 32) ? 16 : 8;
    if (columns_ % laneGroups() != 0 || group == 0 || group % multiple != 0 ||
        columns_ / laneGroups() % group != 0 || columns_ > kTensorColumns)
      return refuse(one_, fmt::format("{} columns of {} rows: a multiple of {} up to 256, or 512", columns_,
                                      rows_, multiple * laneGroups()));
    if (depth_ == 0 || depth_ * bytes() % kStepBytes != 0)
      return refuse(one_, fmt::format("a sum of {} elements: it is a multiple of 32 bytes", depth_));
    return {};
  }

  uint32_t instructionDescriptor() const {
    const uint32_t sum = sums_->element == ElementType::F16 ? 0 : sums_->element == ElementType::F32 ? 1 : 2;
    return sum << 4 | left_.number << 7 | right_.number << 10 |
           uint32_t{!inTensor_ && first_.isTurned} << 15 | uint32_t{second_.isTurned} << 16 |
           static_cast<uint32_t>(groupColumns() / 8) << 17 | static_cast<uint32_t>(rows_ / 16) << 24;
  }

  Value* marked(Value* descriptor) {
    return lowering_.b().CreateOr(descriptor, lowering_.b().getInt64(kDescriptorMark));
  }

  void multiply(int64_t lane, int64_t sumColumn, int64_t column, int64_t k) {
    llvm::IRBuilder<>& b = lowering_.b();
    ThreadCode& code = lowering_.code();
    Value* first = inTensor_ ? tensorPointer(code, inTensor_->address, 0, k * bytes() / 4)
                             : marked(descriptor(lowering_, first_, 0, k));
    Value* second = marked(descriptor(lowering_, second_, column, k));
    b.CreateIntrinsic(
        inTensor_ ? llvm::Intrinsic::nvvm_tcgen05_mma_tensor : llvm::Intrinsic::nvvm_tcgen05_mma_shared, {},
        {tensorPointer(code, sums_->address, lane, sumColumn), first, second,
         b.getInt32(instructionDescriptor()), k == 0 ? accumulates_ : b.getTrue(),
         b.getInt32(static_cast<uint32_t>(left_.kind)),
         b.getInt32(static_cast<uint32_t>(llvm::nvvm::CTAGroupKind::CG_1)),
         b.getInt32(static_cast<uint32_t>(llvm::nvvm::Tcgen05CollectorUsageOp::DISCARD))});
  }

  KernelLowering& lowering_;
  const OpId op_;
  const KernelOp& one_;
  std::optional<TensorView> sums_, inTensor_;
  Value* accumulates_ = nullptr;
  Factor left_ = kFactors[0], right_ = kFactors[0];
  int64_t rows_ = 0, columns_ = 0, depth_ = 0;
  MatrixTiles first_, second_;
};

}  // namespace

Status lowerTensorProduct(KernelLowering& lowering, OpId op) {
  Product product(lowering, op);
  TRY_STATUS(product.read());
  product.lower();
  return {};
}

// Arrives, once, when all that the thread gave before is done.
Status lowerTensorCommit(KernelLowering& lowering, OpId op) {
  const KernelOp& one = lowering.op(op);
  TRY_STATUS(needs(one, 1, 0));
  if (one.flag("collective")) return refuse(one, "products of two blocks together");
  TRY(const MemoryView slot, lowering.memory(op, 0));
  const std::vector<Value*> first(slot.rank(), lowering.code().int64(0));
  Value* barrier = addressOf(lowering.code(), slot, first);
  lowering.code().once(
      [&] { lowering.b().CreateIntrinsic(llvm::Intrinsic::nvvm_tcgen05_commit_shared_cg1, {}, {barrier}); });
  return {};
}

}  // namespace hilo::warpgroup
