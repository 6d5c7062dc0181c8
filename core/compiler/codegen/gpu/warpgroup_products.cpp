// wgmma, of sm_90a: two groups of four warps, each of which multiplies 64 rows by all its columns at once,
// out of shared memory. In a large square they lie above each other, in a small one side by side.
//
// Sums of 8-bit floats: the tensor cores of sm_90 keep fewer digits of these than f32 has. So those of a
// stage are taken by themselves and added in f32.
#include <fmt/format.h>
#include <llvm/IR/InlineAsm.h>

#include "core/base/check.h"
#include "core/compiler/codegen/gpu/tile_products.h"
#include "core/compiler/codegen/gpu/warpgroup_tile.h"

namespace hilo::gpu {

using llvm::Value;

namespace {

constexpr int64_t kGroupThreads = 128, kGroupRows = 64;

const char* ptxNameOf(ElementType type) {
  switch (type) {
    case ElementType::F16:
      return "f16";
    case ElementType::BF16:
      return "bf16";
    case ElementType::F32:
      return "tf32";
    case ElementType::F8E4M3FN:
      return "e4m3";
    case ElementType::F8E5M2:
      return "e5m2";
    case ElementType::S8:
      return "s8";
    case ElementType::U8:
      return "u8";
    default:
      CHECK(false, "no type of wgmma");
  }
}

class WarpgroupProducts final : public TileProducts {
 public:
  WarpgroupProducts(ElementEmitter& elements, Block& block, const DotForm& form, const TensorType& type,
                    const TensorPlan& plan)
      : k_(elements.kernel()),
        b_(k_.b()),
        type_(type),
        columns_(plan.rows == kLargeSquares.rows ? plan.columns : plan.columns / 2),
        left_(elements, block, form.left, plan.rows),
        right_(elements, block, form.right, plan.columns) {
    Value* group = b_.CreateUDiv(block.thread(), k_.int64(kGroupThreads));
    const bool isAbove = plan.rows > kGroupRows;
    row_ = b_.CreateMul(group, k_.int64(isAbove ? kGroupRows : 0));
    column_ = b_.CreateMul(group, k_.int64(isAbove ? 0 : columns_));
    thread_ = b_.CreateURem(block.thread(), k_.int64(kGroupThreads));
  }

  TensorTile& left() override { return left_; }
  TensorTile& right() override { return right_; }
  int64_t stages() const override { return WarpgroupTile::kStages; }

  void begin() override {
    for (int64_t i = 0; i < kGroupRows * columns_ / kGroupThreads; ++i)
      sums_.push_back(k_.variable(k_.scalars().zero(type_.sum)));
  }

  // wgmma reads as copies of the asynchronous proxy do.
  void publish() override { call("fence.proxy.async.shared::cta;", "~{memory}", b_.getVoidTy(), {}); }

  void multiply(Value* stage) override {
    std::vector<Value*> arguments;
    const bool addsAfter = elementStorageBytes(type_.left) == 1 && type_.sum == ElementType::F32;
    for (const auto& sum : sums_)
      arguments.push_back(addsAfter ? k_.scalars().zero(type_.sum).value : k_.get(sum).value);
    for (int64_t step = 0; step < kTileBytes / kStepBytes; ++step) {
      arguments.push_back(left_.descriptor(stage, row_, step));
      arguments.push_back(right_.descriptor(stage, column_, step));
    }
    const std::vector<llvm::Type*> types(sums_.size(), k_.scalars().valueType(type_.sum));
    Value* made =
        call(text(), constraints(), llvm::StructType::get(b_.getContext(), types), std::move(arguments));
    for (unsigned i = 0; i < sums_.size(); ++i) {
      Value* sum = b_.CreateExtractValue(made, i);
      k_.set(sums_[i], {addsAfter ? b_.CreateFAdd(k_.get(sums_[i]).value, sum) : sum});
    }
  }

  // Each warp has 16 rows; a thread two elements of a row and two of the eighth after, of every 8 columns.
  void give(const Take& take) override {
    Value* warp = b_.CreateUDiv(thread_, k_.int64(kWarpThreads));
    Value* lane = b_.CreateURem(thread_, k_.int64(kWarpThreads));
    Value* row =
        b_.CreateAdd(b_.CreateAdd(row_, b_.CreateMul(warp, k_.int64(16))), b_.CreateUDiv(lane, k_.int64(4)));
    Value* column = b_.CreateAdd(column_, b_.CreateMul(b_.CreateURem(lane, k_.int64(4)), k_.int64(2)));
    for (size_t i = 0; i < sums_.size(); ++i) {
      const auto part = static_cast<int64_t>(i % 4), tile = static_cast<int64_t>(i / 4);
      take(b_.CreateAdd(row, k_.int64(part / 2 * 8)), b_.CreateAdd(column, k_.int64(tile * 8 + part % 2)),
           k_.get(sums_[i]));
    }
  }

 private:
  // The products of a stage and the wait for them, before which nobody may touch the registers of sums.
  std::string text() const {
    const size_t count = sums_.size();
    std::string registers;
    for (size_t i = 0; i < count; ++i) registers += fmt::format("{}${}", i == 0 ? "" : ", ", i);
    const std::string name = fmt::format("wgmma.mma_async.sync.aligned.m{}n{}k{}.{}.{}.{}", kGroupRows,
                                         columns_, kStepBytes / elementStorageBytes(type_.left),
                                         type_.sum == ElementType::S32 ? "s32" : "f32", ptxNameOf(type_.left),
                                         ptxNameOf(type_.right));
    std::string text = "{ .reg .pred adds; setp.ne.b32 adds, 1, 0;\n\twgmma.fence.sync.aligned;\n";
    for (size_t step = 0; step < kTileBytes / kStepBytes; ++step) {
      text += fmt::format("\t{} {{{}}}, ${}, ${}, adds{};\n", name, registers, 2 * count + 2 * step,
                          2 * count + 2 * step + 1, modifiers());
    }
    return text + "\twgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0; }";
  }

  // Scales of floats, and whether 16-bit operands are turned.
  std::string modifiers() const {
    if (type_.sum == ElementType::S32) return "";
    if (elementStorageBytes(type_.left) != 2) return ", 1, 1";
    return fmt::format(", 1, 1, {:d}, {:d}", left_.turns(), right_.turns());
  }

  std::string constraints() const {
    std::string out;
    for (size_t i = 0; i < sums_.size(); ++i) out += type_.sum == ElementType::S32 ? "=r," : "=f,";
    for (size_t i = 0; i < sums_.size(); ++i) out += fmt::format("{},", i);
    for (int64_t i = 0; i < 2 * kTileBytes / kStepBytes; ++i) out += "l,";
    return out + "~{memory}";
  }

  Value* call(const std::string& asmText, const std::string& wants, llvm::Type* result,
              std::vector<Value*> arguments) {
    std::vector<llvm::Type*> types;
    for (Value* argument : arguments) types.push_back(argument->getType());
    auto* function = llvm::FunctionType::get(result, types, false);
    auto* made =
        b_.CreateCall(llvm::InlineAsm::get(function, asmText, wants, /*hasSideEffects=*/true), arguments);
    made->setConvergent();
    return made;
  }

  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  const TensorType& type_;
  const int64_t columns_;  // of a group
  WarpgroupTile left_, right_;
  std::vector<KernelBuilder::Variable> sums_;
  Value *row_ = nullptr, *column_ = nullptr;  // of the group, in the square
  Value* thread_ = nullptr;                   // of the group
};

}  // namespace

std::unique_ptr<TileProducts> warpgroupProducts(ElementEmitter& elements, Block& block, const DotForm& form,
                                                const TensorType& type, const TensorPlan& plan) {
  return std::make_unique<WarpgroupProducts>(elements, block, form, type, plan);
}

}  // namespace hilo::gpu
