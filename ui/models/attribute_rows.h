// One attribute decoded by its kind (attributes.def): every kind has a form, so a new attribute of a known
// kind needs nothing here.
#pragma once

#include "ui/models/inspector_rows.h"

namespace hilo {

// `owner` resolves instruction lists and stack frames.
InspectorRow attributeRow(const Attribute& attribute, const Module& owner);
std::vector<InspectorRow> metadataRows(const OpMetadata& metadata, const Module& owner);
// A JSON text as a tree under `row`; anything that is not JSON as one value.
void addConfigRows(InspectorRow& row, std::string_view text);
// A sharding in words, with its devices per tile.
void addShardingRows(InspectorRow& row, const Sharding& sharding);

}  // namespace hilo
