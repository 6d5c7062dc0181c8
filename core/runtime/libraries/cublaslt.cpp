#include "core/runtime/libraries/cublaslt.h"

#include <fmt/format.h>

namespace hilo {
namespace {

// Numbers of cublasLt.h.
enum ProductAttribute { kTransposeA = 3, kTransposeB = 4, kEpilogue = 7, kBias = 8 };
enum MatrixAttribute { kBatchCount = 5, kBatchStride = 6 };
constexpr int kMostWorkspace = 1;

int computeTypeOf(ElementType type) {
  constexpr int kCompute32F = 68, kCompute64F = 70;
  return type == ElementType::F64 || type == ElementType::C128 ? kCompute64F : kCompute32F;
}
ElementType scaleTypeOf(ElementType type) { return elementBits(type) < 32 ? ElementType::F32 : type; }

// cublasLtEpilogue_t: bits for bias and function.
uint32_t epilogueOf(const MatrixProductCall& call) {
  constexpr uint32_t kBiasBit = 4, kNone = 1, kRelu = 2, kGelu = 32;
  const uint32_t function = call.activation == Activation::Relu   ? kRelu
                            : call.activation == Activation::Gelu ? kGelu
                                                                  : 0;
  return call.bias >= 0 ? function | kBiasBit : function != 0 ? function : kNone;
}

}  // namespace

Result<std::unique_ptr<CublasLt>> CublasLt::open(const LibrarySearch& search) {
  TRY(LoadedLibrary library,
      LoadedLibrary::open("CublasLt", "cuBLASLt",
                          "the CUDA toolkit (libcublas), or the Python package nvidia-cublas", search));
  CublasLtFunctions functions;
#define LIBRARY_FUNCTION HILO_LIBRARY_FIND
#include "core/runtime/libraries/cublaslt_functions.def"
  std::unique_ptr<CublasLt> made(new CublasLt(std::move(library), functions));
  TRY_STATUS(made->library_.call(functions.create, &made->handle_));
  return made;
}

// The handle stays, as the library does: at the end of a process the driver may be gone before it.
CublasLt::~CublasLt() {
  for (const auto& [call, product] : products_) forget(product);
}

void CublasLt::forget(const Product& product) const {
  for (void* matrix : product.matrices) {
    if (matrix != nullptr) functions_.forgetMatrix.pointer(matrix);
  }
  if (product.product != nullptr) functions_.forgetProduct.pointer(product.product);
}

Status CublasLt::describe(const MatrixProductCall& call, Product& product) const {
  TRY_STATUS(library_.call(functions_.describeProduct, &product.product, computeTypeOf(call.type),
                           dataTypeNumber(scaleTypeOf(call.type))));
  const auto set = [&](int attribute, const auto& value) {
    return library_.call(functions_.setProduct, product.product, attribute, static_cast<const void*>(&value),
                         sizeof(value));
  };
  TRY_STATUS(set(kTransposeA, int32_t{call.transposesA}));
  TRY_STATUS(set(kTransposeB, int32_t{call.transposesB}));
  TRY_STATUS(set(kEpilogue, epilogueOf(call)));
  struct Matrix {
    int64_t rows, columns, leading, stride;
  };
  const auto stored = [](bool isTransposed, Matrix m) {
    if (isTransposed) std::swap(m.rows, m.columns);
    return m;
  };
  const Matrix matrices[] = {
      stored(call.transposesA, {call.rows, call.depth, call.leadingA, call.strideA}),
      stored(call.transposesB, {call.depth, call.columns, call.leadingB, call.strideB}),
      {call.rows, call.columns, call.beta != 0 ? call.leadingC : call.leadingD,
       call.beta != 0 ? call.strideC : call.strideD},
      {call.rows, call.columns, call.leadingD, call.strideD}};
  const auto batch = static_cast<int32_t>(call.batch);
  for (size_t i = 0; i < std::size(matrices); ++i) {
    const Matrix& m = matrices[i];
    TRY_STATUS(library_.call(functions_.describeMatrix, &product.matrices[i], dataTypeNumber(call.type),
                             static_cast<uint64_t>(m.rows), static_cast<uint64_t>(m.columns), m.leading));
    TRY_STATUS(library_.call(functions_.setMatrix, product.matrices[i], int{kBatchCount},
                             static_cast<const void*>(&batch), sizeof(batch)));
    TRY_STATUS(library_.call(functions_.setMatrix, product.matrices[i], int{kBatchStride},
                             static_cast<const void*>(&m.stride), sizeof(m.stride)));
  }
  return {};
}

Status CublasLt::choose(Product& product) const {
  void* preference = nullptr;
  TRY_STATUS(library_.call(functions_.createPreference, &preference));
  const uint64_t most = kMostWorkspaceBytes;
  Status chosen = library_.call(functions_.setPreference, preference, kMostWorkspace,
                                static_cast<const void*>(&most), sizeof(most));
  int found = 0;
  const auto& m = product.matrices;
  if (chosen)
    chosen = library_.call(functions_.chooseAlgorithm, handle_, product.product, m[0], m[1], m[2], m[3],
                           preference, 1, &product.chosen, &found);
  TRY_STATUS(library_.call(functions_.forgetPreference, preference));
  TRY_STATUS(chosen);
  if (found > 0 && product.chosen.state == 0) return {};
  return fail("no-algorithm", "cuBLASLt has no algorithm for this product", {},
              {"the flag no-libraries of the engine compiles it as a kernel of Hilo's own"});
}

Result<CublasLt::Product*> CublasLt::productFor(const MatrixProductCall& call) {
  const auto known = products_.find(&call);
  if (known != products_.end()) return &known->second;
  Product product;
  Status made = describe(call, product);
  if (made) made = choose(product);
  if (!made) forget(product);
  TRY_STATUS(made);
  return &products_.emplace(&call, product).first->second;
}

Status CublasLt::multiply(const MatrixProductCall& call, const LibraryArrays& arrays, Stream& stream) {
  const std::scoped_lock lock(mutex_);
  TRY(Product* const product, productFor(call));
  if (call.bias >= 0) {
    const void* bias = arrays.operand(static_cast<size_t>(call.bias));
    TRY_STATUS(library_.call(functions_.setProduct, product->product, int{kBias},
                             static_cast<const void*>(&bias), sizeof(bias)));
  }
  TRY(const Workspace workspace,
      Workspace::take(stream, static_cast<int64_t>(product->chosen.workspaceBytes)));
  const LibraryScalar alpha(scaleTypeOf(call.type), call.alpha), beta(scaleTypeOf(call.type), call.beta);
  const auto& m = product->matrices;
  const void *a = arrays.operand(static_cast<size_t>(call.a)),
             *b = arrays.operand(static_cast<size_t>(call.b));
  const void* c = call.beta != 0 ? arrays.operand(static_cast<size_t>(call.c)) : arrays.result(0);
  return library_.call(functions_.multiply, handle_, product->product, alpha.data(), a, m[0], b, m[1],
                       beta.data(), c, m[2], arrays.result(0), m[3],
                       static_cast<const void*>(&product->chosen.algorithm), workspace.address(),
                       product->chosen.workspaceBytes, stream.native());
}

}  // namespace hilo
