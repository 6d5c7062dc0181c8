// The structured attribute values as text, one function each: windows, paddings, dimension labels, slices,
// metadata, frontend attributes, aliasing and the like. Each reads from where the value starts (after '=')
// and leaves what it read in the reader's arena. Grammar matched: XLA's hlo_parser.cc, the function named
// in each comment.
#pragma once

#include "core/hlo/ir/payloads.h"
#include "core/hlo/text/reader.h"

namespace hilo {

// "{size=2x2 stride=1x2 pad=0_1x0_0 lhs_dilate=.. rhs_dilate=.. rhs_reversal=0x1}": ParseWindow.
bool readWindow(Reader& reader, Window& window);
// "b01f_01io->b01f", '?' for a dimension without a role: ParseConvolutionDimensionNumbers.
bool readDimLabels(Reader& reader, ConvolutionDimensionNumbers& numbers);
// "0_1x2_3_4": ParsePaddingConfig.
bool readPadding(Reader& reader, std::span<const PaddingDimension>& padding);
// "{[0:4], [1:8:2]}": ParseSliceRanges.
bool readSliceRanges(Reader& reader, std::span<const SliceRange>& ranges);
// "{op_name="..." stack_frame_id=3}": ParseMetadata. A field Hilo does not know is an error.
bool readMetadata(Reader& reader, OpMetadata& metadata);
// "{a="x",b={"json":1}}": ParseFrontendAttributes.
bool readFrontendAttributes(Reader& reader, std::span<const FrontendAttribute>& attributes);
// "{visualizing_index=0,name=1.5}": ParseStatisticsViz.
bool readStatistics(Reader& reader, StatisticsViz& statistics);
// "{ {0}: (1, {}, may-alias) }" of a module, or without a kind: ParseAliasing. An old form without the
// parameter's index, "{0}: 1", is read too.
bool readAliasing(Reader& reader, std::span<const AliasEntry>& entries);
// "{ (0, {}), (1, {2}) }": ParseBufferDonor.
bool readBufferDonors(Reader& reader, std::span<const BufferDonor>& donors);
// "{mode=highest}" or "{tolerance={atol=0,rtol=0.5,ulps=2}}": ParseResultAccuracy.
bool readResultAccuracy(Reader& reader, ResultAccuracy& accuracy);
// "{lhs={sparsity=2x4 dimension=1 stride=1}}": ParseSparsityConfig.
bool readSparsityConfig(Reader& reader, SparsityConfig& config);
// "true", "{true,false}", "{}": ParseBooleanListOrSingleBoolean.
bool readBoolList(Reader& reader, std::span<const bool>& values);
// "{highest,default}": ParsePrecisionList.
bool readPrecisionList(Reader& reader, std::span<const Precision>& values);

}  // namespace hilo
