#include "core/compiler/passes/canonicalize/topk_specializer.h"

#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

struct TopKSizes {
  int64_t rows = 0, elements = 0, results = 0;
};

TopKSizes sizesOf(const Instruction& call) {
  const Shape data = call.operand(0)->shape(), values = call.shape().tupleShapes()[0];
  const bool hasRows = data.rank() == 2;
  return {hasRows ? data.dimension(0) : 0, data.dimension(hasRows ? 1 : 0),
          values.dimension(hasRows ? 1 : 0)};
}

// The most results the kernel gives, and from how many elements on.
struct KernelLimits {
  int64_t results = 16, elements = 1024;
};

KernelLimits limitsOf(ElementType type, const TopKSizes& sizes, bool isStable) {
  if (isStable) return {};
  KernelLimits limits{.results = 128, .elements = 1};
  if (type == ElementType::F32) {
    if (sizes.rows >= 64 && sizes.elements >= 16384) limits.results = 256;
  } else {
    if (sizes.rows >= 16 && sizes.elements >= 65536) limits.results = 256;
    if (sizes.rows >= 64 && sizes.rows <= 128 && sizes.elements >= 8192 && sizes.elements <= 32768)
      limits.results = 64;
  }
  return limits;
}

// A "TopK" call says in its configuration when equal elements may come in any order: is_stable = false.
bool isStable(const Instruction& call) {
  std::string config;
  for (const char c : call.get<Attr::BackendConfig>()) {
    if (c != ' ') config += c;
  }
  return config.find("is_stable=false") == std::string::npos;
}

bool suitsKernel(const Instruction& i) {
  if (i.opcode() != Opcode::CustomCall || i.get<Attr::CustomCallTarget>() != "TopK" ||
      i.operandCount() != 1 || !isPlainArray(i.operand(0)->shape()) || !i.shape().isTuple() ||
      i.shape().tupleShapes().size() != 2)
    return false;
  const Shape data = i.operand(0)->shape();
  const ElementType type = data.elementType();
  if ((type != ElementType::F32 && type != ElementType::BF16) || data.rank() < 1 || data.rank() > 2 ||
      i.shape().tupleShapes()[0].rank() != data.rank())
    return false;
  const TopKSizes sizes = sizesOf(i);
  const KernelLimits limits = limitsOf(type, sizes, isStable(i));
  return sizes.elements > 0 &&
         static_cast<double>(sizes.results) < 0.85 * static_cast<double>(sizes.elements) &&
         sizes.results <= limits.results && sizes.elements >= limits.elements;
}

Instruction* specialized(Instruction& call) {
  Instruction* made = call.parent().createLike(call, call.operands(), &call);
  made->set<Attr::CustomCallTarget>("__gpu$TopK");
  made->set<Attr::ApiVersion>(CustomCallApiVersion::TypedFfi);
  return made;
}

}  // namespace

Result<bool> specializeTopK(Module& module, PassContext& context) {
  return rewriteEach(module, context, "specialized", suitsKernel, specialized);
}

}  // namespace hilo
