#include "core/runtime/libraries/cudnn.h"

namespace hilo {
namespace {

// cudnnDataType_t.
int typeNumber(ElementType type) {
  switch (type) {
    case ElementType::F64:
      return 1;
    case ElementType::F16:
      return 2;
    case ElementType::BF16:
      return 9;
    default:
      return 0;
  }
}
ElementType computeTypeOf(ElementType type) { return type == ElementType::F64 ? type : ElementType::F32; }

std::vector<int> joined(std::initializer_list<int64_t> first, const std::vector<int64_t>& rest) {
  std::vector<int> sizes;
  for (const int64_t size : first) sizes.push_back(static_cast<int>(size));
  for (const int64_t size : rest) sizes.push_back(static_cast<int>(size));
  return sizes;
}

// Of [batch, features, space...], the features fastest or after the batch.
std::vector<int> stridesOf(const std::vector<int>& sizes, bool featuresLast) {
  std::vector<int> strides(sizes.size());
  int stride = 1;
  const auto place = [&](size_t d) {
    strides[d] = stride;
    stride *= sizes[d];
  };
  if (featuresLast) place(1);
  for (size_t d = sizes.size(); d-- > 0;) {
    if (d != 1 || !featuresLast) place(d);
  }
  return strides;
}

}  // namespace

Result<std::unique_ptr<Cudnn>> Cudnn::open(const LibrarySearch& search) {
  TRY(LoadedLibrary library,
      LoadedLibrary::open("Cudnn", "cuDNN", "NVIDIA's cuDNN 9, or the Python package nvidia-cudnn-cu13",
                          search));
  CudnnFunctions functions;
#define LIBRARY_FUNCTION HILO_LIBRARY_FIND
#include "core/runtime/libraries/cudnn_functions.def"
  std::unique_ptr<Cudnn> made(new Cudnn(std::move(library), functions));
  TRY_STATUS(made->library_.call(functions.create, &made->handle_));
  return made;
}

Cudnn::~Cudnn() {
  for (const auto& [call, made] : convolutions_) forget(made);
}

void Cudnn::forget(const Convolution& made) const {
  const auto& f = functions_;
  if (made.input != nullptr) f.forgetTensor.pointer(made.input);
  if (made.output != nullptr) f.forgetTensor.pointer(made.output);
  if (made.filter != nullptr) f.forgetFilter.pointer(made.filter);
  if (made.convolution != nullptr) f.forgetConvolution.pointer(made.convolution);
}

Status Cudnn::describeTensor(const ConvolutionCall& call, int64_t features, const std::vector<int64_t>& space,
                             void** tensor) const {
  const std::vector<int> sizes = joined({call.batch, call.groups * features}, space);
  const std::vector<int> strides = stridesOf(sizes, call.featuresLast);
  TRY_STATUS(library_.call(functions_.createTensor, tensor));
  return library_.call(functions_.setTensor, *tensor, typeNumber(call.type), static_cast<int>(sizes.size()),
                       sizes.data(), strides.data());
}

Status Cudnn::describe(const ConvolutionCall& call, Convolution& made) const {
  constexpr int kCrossCorrelation = 1;
  TRY_STATUS(describeTensor(call, call.inputFeatures, call.inputSizes, &made.input));
  TRY_STATUS(describeTensor(call, call.outputFeatures, call.outputSizes, &made.output));
  const std::vector<int> filter =
      joined({call.groups * call.outputFeatures, call.inputFeatures}, call.filterSizes);
  TRY_STATUS(library_.call(functions_.createFilter, &made.filter));
  TRY_STATUS(library_.call(functions_.setFilter, made.filter, typeNumber(call.type), int{call.featuresLast},
                           static_cast<int>(filter.size()), filter.data()));
  TRY_STATUS(library_.call(functions_.createConvolution, &made.convolution));
  const std::vector<int> paddings = joined({}, call.paddings), strides = joined({}, call.strides),
                         dilations = joined({}, call.dilations);
  TRY_STATUS(library_.call(functions_.setConvolution, made.convolution, static_cast<int>(paddings.size()),
                           paddings.data(), strides.data(), dilations.data(), kCrossCorrelation,
                           typeNumber(computeTypeOf(call.type))));
  return library_.call(functions_.setGroups, made.convolution, static_cast<int>(call.groups));
}

Status Cudnn::choose(Convolution& made) const {
  int found = 0;
  TRY_STATUS(library_.call(functions_.chooseForward, handle_, made.input, made.filter, made.convolution,
                           made.output, 1, &found, &made.chosen));
  if (found > 0 && made.chosen.status == 0) return {};
  return fail("no-algorithm", "cuDNN has no algorithm for this convolution", {},
              {"the flag no-libraries of the engine compiles it as kernels of Hilo's own"});
}

Result<Cudnn::Convolution*> Cudnn::convolutionFor(const ConvolutionCall& call) {
  const auto known = convolutions_.find(&call);
  if (known != convolutions_.end()) return &known->second;
  Convolution made;
  Status described = describe(call, made);
  if (described) described = choose(made);
  if (!described) forget(made);
  TRY_STATUS(described);
  return &convolutions_.emplace(&call, made).first->second;
}

Status Cudnn::convolve(const ConvolutionCall& call, const LibraryArrays& arrays, Stream& stream) {
  const std::scoped_lock lock(mutex_);
  TRY(const Convolution* const made, convolutionFor(call));
  TRY_STATUS(library_.call(functions_.setStream, handle_, stream.native()));
  const size_t bytes = made->chosen.workspaceBytes;
  TRY(const Workspace workspace, Workspace::take(stream, static_cast<int64_t>(bytes)));
  const LibraryScalar one(computeTypeOf(call.type), 1), zero(computeTypeOf(call.type), 0);
  return library_.call(functions_.forward, handle_, one.data(), made->input,
                       static_cast<const void*>(arrays.operand(0)), made->filter,
                       static_cast<const void*>(arrays.operand(1)), made->convolution, made->chosen.algorithm,
                       workspace.address(), bytes, zero.data(), made->output, arrays.result(0));
}

}  // namespace hilo
