// What the graph view asks for and gets: one request in, one picture out, made off the UI thread from the
// module to the indexed scene.
#pragma once

#include <memory>
#include <optional>

#include "core/analysis/grouping/grouping_opening.h"
#include "ui/canvas/scene_index.h"
#include "ui/views/graph/graph_scene.h"

namespace hilo {

enum class FocusKind : uint8_t { Hops, Operands, Users, Paths };

// Only a part of one computation is shown.
struct GraphFocus {
  FocusKind kind = FocusKind::Hops;
  InstructionId centre;
  InstructionId other;  // of Paths: the other end
  uint32_t hops = 1;    // of Hops
};

struct GraphOrder {
  std::shared_ptr<const Module> module;  // not null
  GroupingMode mode = GroupingMode::ByScope;
  OpenGroups open;
  OpenGroups followed;  // of these, those opened only to show a selection
  // What of `open` is known in this module stays open; where that is nothing, the picture is a first look.
  bool start = false;
  std::vector<uint64_t> unfold;  // opened now, and on to the first choice inside
  bool openAll = false;
  InstructionId reveal;  // open the way to it, and close what was followed before
  InstructionId selected;
  std::optional<GraphFocus> focus;
  GraphRequestOptions options;
  std::shared_ptr<const SceneLook> look;  // may be null
  OverlayKind overlay = OverlayKind::None;
  std::shared_ptr<const Overlay> given;  // of OverlayKind::Given: of this module
};

struct GraphPicture {
  std::shared_ptr<const IndexedScene> scene;
  OpenGroups open;
  OpenGroups followed;
  std::vector<const Instruction*> instructions;  // per scene node; null for groups that are not callers
  absl::flat_hash_map<const Instruction*, uint32_t> nodeOf;  // shown as a node, or as a tag on one
  // What closed groups hold, by scene node.
  absl::flat_hash_map<uint32_t, std::vector<std::pair<Opcode, uint32_t>>> opcodes;
  uint32_t selectedNode = kNoIndex;  // that shows or hides the order's selected one
  bool refined = true;               // false: a better drawing of the same follows
  bool hasEntry = true;
  bool allOpened = true;  // false: the order's openAll stopped at a limit
  bool focusCut = false;  // more is in the focus than is shown
  std::optional<OverlayLegend> legend;
  size_t edgeCount = 0;
  Diagnostics notes;
};

// Makes pictures of one module after another; keeps the grouping and the layouts from one to the next. One
// thread at a time.
class PictureMaker {
 public:
  // Where layouts by dot are kept between runs of the program; any thread.
  void setLayoutFolder(const std::string& folder);
  // Lets go of the module; the layouts stay.
  void forget();
  // What a node of the pictures made of `module` stands for: one instruction, or all that a group holds, not
  // what they call. Empty when another module was drawn since.
  std::vector<InstructionId> instructionsOf(const Module& module, uint64_t key) const;
  // Fails with "cancelled" and as layoutGraph does.
  Result<GraphPicture> make(const GraphOrder& order, LayoutEngine engine, const CancelToken& cancel);

 private:
  void prepare(const GraphOrder& order, GraphPicture& picture, const CancelToken& cancel);
  void openWayTo(const Instruction& instruction, GraphPicture& picture, const CancelToken& cancel);
  const Overlay& overlay(const GraphOrder& order);
  GraphRequest request(const GraphOrder& order, GraphPicture& picture);
  void note(const GraphOrder& order, const GraphRequest& request, GraphPicture& picture) const;

  std::unique_ptr<Grouping> grouping_;
  LayoutCache cache_;
  Overlay overlay_;
  OverlayKind overlayKind_ = OverlayKind::None;
  std::shared_ptr<const Module> overlayOf_;
};

}  // namespace hilo
