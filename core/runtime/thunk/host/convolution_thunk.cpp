#include <absl/container/node_hash_map.h>
#include <fmt/format.h>

#include <array>
#include <span>

#include "core/runtime/thunk/host/library.h"
#include "core/runtime/thunk/host/thunk.h"
#include "core/runtime/thunk/host/widened.h"

namespace hilo {
namespace {

using Dims = dnnl::memory::dims;
using dnnl::memory;

Dims joined(std::initializer_list<int64_t> first, const std::vector<int64_t>& rest) {
  Dims all(first);
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

// [batch, features, space...] as oneDNN counts, with the features densest in memory.
memory::desc channelsLast(ElementType type, int64_t batch, int64_t features,
                          const std::vector<int64_t>& space) {
  const Dims sizes = joined({batch, features}, space);
  Dims strides(sizes.size());
  strides[1] = 1;
  int64_t stride = features;
  for (size_t d = sizes.size(); d-- > 2;) {
    strides[d] = stride;
    stride *= sizes[d];
  }
  strides[0] = stride;
  return stridedArray(type, sizes, strides);
}

Dims filterSizes(const ConvolutionThunk& c) {
  return c.groups == 1 ? joined({c.outputFeatures, c.inputFeatures}, c.filterSizes)
                       : joined({c.groups, c.outputFeatures, c.inputFeatures}, c.filterSizes);
}

// The filter as the program has it.
memory::desc filterOf(const ConvolutionThunk& c, ElementType type) {
  const auto first = c.filterStrides.begin() + (c.groups == 1 ? 1 : 0);
  return stridedArray(type, filterSizes(c), Dims(first, c.filterStrides.end()));
}
// The filter in whatever order oneDNN likes best.
memory::desc anyFilter(const ConvolutionThunk& c, ElementType type) {
  return {filterSizes(c), libraryType(type), memory::format_tag::any};
}

// Rows [first, last) of the output of images [firstImage, lastImage), with the rows of input they read.
struct Part {
  int64_t firstImage, lastImage, firstRow, lastRow;
};

struct Paddings {
  Dims front, behind;
};
Paddings paddingsOf(const ConvolutionThunk& c) {
  Paddings paddings;
  for (size_t i = 0; i < c.strides.size(); ++i) {
    paddings.front.push_back(c.paddings[i]);
    paddings.behind.push_back((c.outputSizes[i] - 1) * c.strides[i] +
                              (c.filterSizes[i] - 1) * c.dilations[i] + 1 - c.inputSizes[i] - c.paddings[i]);
  }
  return paddings;
}

Dims libraryDilations(const ConvolutionThunk& c) {
  Dims dilations;
  for (const int64_t dilation : c.dilations) dilations.push_back(dilation - 1);
  return dilations;
}

// The smaller convolution that makes the part, and where its input starts.
ConvolutionThunk cutTo(const ConvolutionThunk& c, const Part& part, int64_t& inputRow) {
  ConvolutionThunk cut = c;
  cut.batch = part.lastImage - part.firstImage;
  inputRow = 0;
  // Whole images lie one after the other.
  if (part.lastRow - part.firstRow == c.outputSizes[0]) return cut;
  cut.outputSizes[0] = part.lastRow - part.firstRow;
  const int64_t from = part.firstRow * c.strides[0] - c.paddings[0];
  const int64_t to =
      (part.lastRow - 1) * c.strides[0] - c.paddings[0] + (c.filterSizes[0] - 1) * c.dilations[0] + 1;
  inputRow = std::max<int64_t>(0, from);
  cut.paddings[0] = inputRow - from;
  cut.inputSizes[0] = std::min(c.inputSizes[0], to) - inputRow;
  return cut;
}

int64_t bytesOfRow(const std::vector<int64_t>& space, int64_t features, ElementType type) {
  int64_t bytes = features * elementStorageBytes(type);
  for (size_t i = 1; i < space.size(); ++i) bytes *= space[i];
  return bytes;
}

using Forward = dnnl::convolution_forward;

Forward::primitive_desc describeForward(const ConvolutionThunk& c, const memory::desc& filter) {
  const Paddings paddings = paddingsOf(c);
  const Forward::desc description(
      dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
      channelsLast(c.type, c.batch, c.groups * c.inputFeatures, c.inputSizes), filter,
      channelsLast(c.resultType, c.batch, c.groups * c.outputFeatures, c.outputSizes), Dims(c.strides),
      libraryDilations(c), paddings.front, paddings.behind);
  return {description, libraryEngine()};
}

// A forward convolution, to be run by one thread.
struct Prepared {
  Forward::primitive_desc description;
  Forward run;
};

void append(std::string& key, std::span<const int64_t> numbers) {
  key.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}
void append(std::string& key, const memory::desc& array) {
  key.append(reinterpret_cast<const char*>(&array.data), sizeof(array.data));
}

// oneDNN describes a convolution anew each time it is asked, which takes as long as a small one.
const Prepared& prepared(const ConvolutionThunk& c, const memory::desc& filter) {
  constexpr size_t kMostKept = 512;
  thread_local absl::node_hash_map<std::string, Prepared> kept;
  std::string key;
  append(key, std::array<int64_t, 7>{static_cast<int64_t>(c.type), static_cast<int64_t>(c.resultType),
                                     c.batch, c.groups, c.inputFeatures, c.outputFeatures, libraryThreads()});
  for (const auto* list :
       {&c.inputSizes, &c.outputSizes, &c.filterSizes, &c.strides, &c.dilations, &c.paddings})
    append(key, *list);
  append(key, filter);
  const auto found = kept.find(key);
  if (found != kept.end()) return found->second;
  if (kept.size() == kMostKept) kept.clear();
  const auto description = describeForward(c, filter);
  return kept.try_emplace(std::move(key), Prepared{description, Forward(description)}).first->second;
}

// Parts of equal size, enough for all threads; one when the rows do not share out well.
std::vector<Part> partsOf(const ConvolutionThunk& c, int64_t threads) {
  const int64_t rows = c.outputSizes[0];
  const auto evenly = [&](int64_t count) { return count % threads == 0 || count >= 8 * threads; };
  std::vector<Part> parts;
  if (threads > 1 && evenly(c.batch)) {
    for (int64_t i = 0; i < threads; ++i)
      parts.push_back({pieceStart(c.batch, threads, 1, i), pieceStart(c.batch, threads, 1, i + 1), 0, rows});
  } else if (threads > 1 && c.batch == 1 && evenly(rows)) {
    for (int64_t i = 0; i < threads; ++i)
      parts.push_back({0, 1, pieceStart(rows, threads, 1, i), pieceStart(rows, threads, 1, i + 1)});
    int64_t from = 0;
    const auto readsInput = [&](const Part& part) { return cutTo(c, part, from).inputSizes[0] > 0; };
    if (!std::ranges::all_of(parts, readsInput)) parts.clear();
  }
  if (parts.empty()) parts.push_back({0, c.batch, 0, rows});
  return parts;
}

// The same of a move between orders.
const dnnl::reorder& preparedOrder(const memory& from, const memory& to) {
  constexpr size_t kMostKept = 512;
  thread_local absl::node_hash_map<std::string, dnnl::reorder> kept;
  std::string key;
  append(key, from.get_desc());
  append(key, to.get_desc());
  const auto found = kept.find(key);
  if (found != kept.end()) return found->second;
  if (kept.size() == kMostKept) kept.clear();
  return kept.try_emplace(std::move(key), dnnl::reorder(from, to)).first->second;
}

// How many output features lie together in an order of oneDNN's; 0 where it is of another sort.
int64_t featureBlock(const memory::desc& filter) {
  if (filter.data.format_kind != dnnl_blocked) return 0;
  const auto& blocks = filter.data.format_desc.blocking;
  int64_t block = 1;
  for (int i = 0; i < blocks.inner_nblks; ++i) block *= blocks.inner_idxs[i] == 0 ? blocks.inner_blks[i] : 1;
  return block;
}

void order(const memory& from, const memory& to) {
  runLibrary(preparedOrder(from, to), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

// The filter in the order that `wanted` says, on all threads.
memory orderFilter(const ConvolutionThunk& c, const memory::desc& wanted, void* filter, ThreadPool& threads) {
  const memory given(filterOf(c, c.type), libraryEngine(), filter);
  if (given.get_desc() == wanted) return given;
  const memory ordered(wanted, libraryEngine(), libraryScratch(wanted.get_size()));
  const int64_t block = c.groups == 1 ? featureBlock(wanted) : 0;
  constexpr size_t kLeastBytes = 1 << 18;
  const int64_t pieces = block > 0 && wanted.get_size() > kLeastBytes
                             ? std::min<int64_t>(c.outputFeatures / block, threads.threads())
                             : 1;
  if (pieces <= 1) {
    order(given, ordered);
    return ordered;
  }
  inPieces(threads, pieces, [&](int64_t i) {
    Dims sizes = filterSizes(c), offsets(sizes.size(), 0);
    offsets[0] = pieceStart(c.outputFeatures, pieces, block, i);
    sizes[0] = pieceStart(c.outputFeatures, pieces, block, i + 1) - offsets[0];
    const auto part = [&](const memory& whole) {
      return memory(whole.get_desc().submemory_desc(sizes, offsets), libraryEngine(),
                    whole.get_data_handle());
    };
    order(part(given), part(ordered));
  });
  return ordered;
}

int64_t elementsOf(const std::vector<int64_t>& sizes) {
  return std::reduce(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

// In how many pieces the output features are shared out: one, but where the filter, which has to be brought
// into order, is larger than what is made.
int64_t featurePieces(const ConvolutionThunk& c, int64_t threads) {
  constexpr int64_t kLeastFeatures = 64;
  const int64_t made = c.batch * elementsOf(c.outputSizes),
                weights = c.inputFeatures * elementsOf(c.filterSizes);
  if (c.groups > 1 || weights < 2 * made) return 1;
  return std::clamp<int64_t>(c.outputFeatures / kLeastFeatures, 1, threads);
}

// Each piece brings its own features' part of the filter into order, and what it makes lies by itself before
// it is moved to its place, as oneDNN writes no part of the features.
void forwardByFeatures(const ConvolutionThunk& c, int64_t pieces, const ThunkContext& context) {
  constexpr int64_t kUnit = 16;
  const int64_t bytes = elementStorageBytes(c.resultType), places = c.batch * elementsOf(c.outputSizes);
  inPieces(context.threads, pieces, [&](int64_t i) {
    const int64_t first = pieceStart(c.outputFeatures, pieces, kUnit, i),
                  last = pieceStart(c.outputFeatures, pieces, kUnit, i + 1);
    ConvolutionThunk cut = c;
    cut.outputFeatures = last - first;
    const auto& [primitive, run] = prepared(cut, anyFilter(cut, c.type));
    const size_t room = (primitive.weights_desc().get_size() + 63) / 64 * 64;
    auto* ordered = static_cast<std::byte*>(libraryScratch(room + primitive.dst_desc().get_size()));
    std::byte* made = ordered + room;
    const memory filter(primitive.weights_desc(), libraryEngine(), ordered);
    order(memory(filterOf(cut, c.type), libraryEngine(),
                 context.at(c.rhs) + first * c.filterStrides[1] * elementStorageBytes(c.type)),
          filter);
    runLibrary(run, {{DNNL_ARG_SRC, memory(primitive.src_desc(), libraryEngine(), context.at(c.lhs))},
                     {DNNL_ARG_WEIGHTS, filter},
                     {DNNL_ARG_DST, memory(primitive.dst_desc(), libraryEngine(), made)}});
    std::byte* result = context.at(c.result) + first * bytes;
    const int64_t line = (last - first) * bytes;
    for (int64_t place = 0; place < places; ++place)
      std::memcpy(result + place * c.outputFeatures * bytes, made + place * line, static_cast<size_t>(line));
  });
}

void forward(const ConvolutionThunk& c, const ThunkContext& context) {
  const auto parts = partsOf(c, context.threads.threads());
  if (parts.size() == 1) {
    const int64_t pieces = featurePieces(c, context.threads.threads());
    if (pieces > 1) return forwardByFeatures(c, pieces, context);
  }
  setLibraryThreads(parts.size() > 1 ? 1 : context.threads.threads());
  int64_t row = 0;
  const memory::desc wanted =
      prepared(cutTo(c, parts[0], row), anyFilter(c, c.type)).description.weights_desc();
  const memory filter = orderFilter(c, wanted, context.at(c.rhs), context.threads);
  inPieces(context.threads, static_cast<int64_t>(parts.size()), [&](int64_t i) {
    const Part& part = parts[static_cast<size_t>(i)];
    int64_t inputRow = 0;
    const auto& [primitive, run] = prepared(cutTo(c, part, inputRow), filter.get_desc());
    const int64_t inputBytes = bytesOfRow(c.inputSizes, c.groups * c.inputFeatures, c.type),
                  outputBytes = bytesOfRow(c.outputSizes, c.groups * c.outputFeatures, c.resultType);
    const memory input(primitive.src_desc(), libraryEngine(),
                       context.at(c.lhs) + (part.firstImage * c.inputSizes[0] + inputRow) * inputBytes);
    const memory output(
        primitive.dst_desc(), libraryEngine(),
        context.at(c.result) + (part.firstImage * c.outputSizes[0] + part.firstRow) * outputBytes);
    runLibrary(run, {{DNNL_ARG_SRC, input}, {DNNL_ARG_WEIGHTS, filter}, {DNNL_ARG_DST, output}});
  });
}

// oneDNN wants the forward primitive's word before it describes a gradient.
Forward::primitive_desc hintFor(const ConvolutionThunk& c, ElementType input, ElementType filter,
                                ElementType output) {
  const Paddings paddings = paddingsOf(c);
  return {Forward::desc(dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct,
                        channelsLast(input, c.batch, c.groups * c.inputFeatures, c.inputSizes),
                        anyFilter(c, filter),
                        channelsLast(output, c.batch, c.groups * c.outputFeatures, c.outputSizes),
                        Dims(c.strides), libraryDilations(c), paddings.front, paddings.behind),
          libraryEngine()};
}

void inputGradient(const ConvolutionThunk& c, const ThunkContext& context) {
  using Backward = dnnl::convolution_backward_data;
  const Paddings paddings = paddingsOf(c);
  const Backward::desc description(
      dnnl::algorithm::convolution_direct,
      channelsLast(c.resultType, c.batch, c.groups * c.inputFeatures, c.inputSizes), anyFilter(c, c.type),
      channelsLast(c.type, c.batch, c.groups * c.outputFeatures, c.outputSizes), Dims(c.strides),
      libraryDilations(c), paddings.front, paddings.behind);
  setLibraryThreads(context.threads.threads());
  const Backward::primitive_desc primitive(description, libraryEngine(), hintFor(c, c.type, c.type, c.type));
  const memory filter = orderFilter(c, primitive.weights_desc(), context.at(c.rhs), context.threads);
  inPieces(context.threads, 1, [&](int64_t) {
    runLibrary(
        Backward(primitive),
        {{DNNL_ARG_DIFF_DST, memory(primitive.diff_dst_desc(), libraryEngine(), context.at(c.lhs))},
         {DNNL_ARG_WEIGHTS, filter},
         {DNNL_ARG_DIFF_SRC, memory(primitive.diff_src_desc(), libraryEngine(), context.at(c.result))}});
  });
}

void filterGradient(const ConvolutionThunk& c, const ThunkContext& context) {
  using Backward = dnnl::convolution_backward_weights;
  const Paddings paddings = paddingsOf(c);
  const Backward::desc description(dnnl::algorithm::convolution_direct,
                                   channelsLast(c.type, c.batch, c.groups * c.inputFeatures, c.inputSizes),
                                   anyFilter(c, c.resultType),
                                   channelsLast(c.type, c.batch, c.groups * c.outputFeatures, c.outputSizes),
                                   Dims(c.strides), libraryDilations(c), paddings.front, paddings.behind);
  inPieces(context.threads, 1, [&](int64_t) {
    const Backward::primitive_desc primitive(description, libraryEngine(),
                                             hintFor(c, c.type, c.type, c.type));
    const memory::desc wanted = primitive.diff_weights_desc();
    const memory result(filterOf(c, c.resultType), libraryEngine(), context.at(c.result));
    const bool isDirect = wanted == result.get_desc();
    memory made = isDirect ? result : memory(wanted, libraryEngine(), libraryScratch(wanted.get_size()));
    runLibrary(Backward(primitive),
               {{DNNL_ARG_SRC, memory(primitive.src_desc(), libraryEngine(), context.at(c.lhs))},
                {DNNL_ARG_DIFF_DST, memory(primitive.diff_dst_desc(), libraryEngine(), context.at(c.rhs))},
                {DNNL_ARG_DIFF_WEIGHTS, made}});
    if (!isDirect) runLibrary(dnnl::reorder(made, result), {{DNNL_ARG_FROM, made}, {DNNL_ARG_TO, result}});
  });
}

}  // namespace

static void convolve(const ConvolutionThunk& thunk, const ThunkContext& context) {
  switch (thunk.kind) {
    case ConvolutionKind::Dgrad:
      return inputGradient(thunk, context);
    case ConvolutionKind::Wgrad:
      return filterGradient(thunk, context);
    default:
      return forward(thunk, context);
  }
}

Status execute(const ConvolutionThunk& thunk, const ThunkContext& context) {
  return guardLibrary(fmt::format("do the convolution {}", context.thunk->name), [&] {
    if (!libraryHas(thunk.type)) return inF32(thunk, context, convolve);
    convolve(thunk, context);
  });
}

}  // namespace hilo
