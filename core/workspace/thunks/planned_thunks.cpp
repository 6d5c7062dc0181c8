// How a GPU would be given the thunks of a study.
#include "core/runtime/executor/graph_plan.h"
#include "core/workspace/thunks/gpu_timeline.h"
#include "core/workspace/thunks/studied_program.h"

namespace hilo {

// As a device gives them that takes loops, from the length on that engines have.
void markGraphs(ThunkStudy& study) {
  const StudiedProgram& of = *study.program;
  const std::vector<GraphPlan> plans = planGraphs(*of.program, {});
  uint32_t graphs = 0;
  for (uint32_t s = 0; s < of.program->sequences.size(); ++s) {
    const uint32_t first = of.firstOf[s];
    if (first == StudiedThunk::kNone) continue;
    const GraphPlan& plan = plans[s];
    // The thunks of a sequence stand among those that they run.
    std::vector<StudiedThunk*> thunks;
    const uint32_t parent = study.thunks.size() > first ? study.thunks[first].parent : StudiedThunk::kNone;
    for (uint32_t i = first; i < study.thunks.size() && thunks.size() < plan.why.size(); ++i) {
      if (study.thunks[i].parent == parent) thunks.push_back(&study.thunks[i]);
    }
    for (size_t t = 0; t < thunks.size(); ++t) thunks[t]->whyNoGraph = plan.why[t];
    for (const GraphRange& range : plan.graphs) {
      for (uint32_t t = range.begin; t < range.end; ++t) thunks[t]->graph = graphs;
      ++graphs;
    }
  }
  // What a loop in a graph runs is in that graph.
  for (StudiedThunk& thunk : study.thunks) {
    if (thunk.parent == StudiedThunk::kNone || study.thunks[thunk.parent].graph == StudiedThunk::kNone)
      continue;
    thunk.graph = study.thunks[thunk.parent].graph;
    thunk.whyNoGraph.clear();
  }
}

void addPlannedTimeline(ThunkStudy& study) {
  const StudiedProgram& of = *study.program;
  if (of.program->sequences[0].empty()) return;
  // Loops and choices as long as what they run.
  std::vector<int64_t> ns;
  for (size_t t = 0; t < of.program->sequences[0].size(); ++t)
    ns.push_back(study.thunks[of.firstOf[0] + t].estimatedNs);
  study.isPlanned = true;
  for (const PlannedSpan& span : plannedOnStreams(*of.program, ns))
    study.timeline.push_back({of.firstOf[0] + span.thunk, 0, span.stream, span.startNs, span.durationNs});
}

}  // namespace hilo
