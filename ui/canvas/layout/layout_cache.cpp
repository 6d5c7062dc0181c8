#include "ui/canvas/layout/layout_cache.h"

#include <xxhash.h>

#include <chrono>

#include "core/base/check.h"
#include "ui/canvas/layout/layout_files.h"

namespace hilo {
namespace {

size_t bytesOf(const LayoutResult& result) {
  return result.points.size() * sizeof(LayoutPoint) + result.centres.size() * sizeof(LayoutPoint) +
         result.lineStart.size() * sizeof(uint32_t) + result.shortened.size() + 256;
}

}  // namespace

LayoutKey layoutKey(const LayoutInput& input, LayoutEngine engine) {
  XXH3_state_t* state = XXH3_createState();
  CHECK(state != nullptr);
  XXH3_128bits_reset(state);
  const float head[] = {static_cast<float>(engine),
                        static_cast<float>(input.direction),
                        static_cast<float>(2 * input.thorough + input.inRow),
                        input.nodeGap,
                        input.layerGap,
                        static_cast<float>(input.nodes.size())};
  XXH3_128bits_update(state, head, sizeof head);
  // Field by field: padding bytes must not count.
  for (const LayoutNode& node : input.nodes) {
    const float fields[] = {node.width, node.height, static_cast<float>(node.pin)};
    XXH3_128bits_update(state, fields, sizeof fields);
  }
  static_assert(sizeof(LayoutEdge) == 16);
  XXH3_128bits_update(state, input.edges.data(), input.edges.size() * sizeof(LayoutEdge));
  const XXH128_hash_t hash = XXH3_128bits_digest(state);
  XXH3_freeState(state);
  return {hash.low64, hash.high64};
}

std::shared_ptr<const LayoutResult> LayoutCache::find(const LayoutKey& key) {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(key);
  if (found == index_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->second;
}

void LayoutCache::insert(const LayoutKey& key, std::shared_ptr<const LayoutResult> result) {
  const std::lock_guard lock(mutex_);
  if (index_.contains(key)) return;
  bytes_ += bytesOf(*result);
  entries_.emplace_front(key, std::move(result));
  index_[key] = entries_.begin();
  while (bytes_ > capacityBytes_ && entries_.size() > 1) {
    bytes_ -= bytesOf(*entries_.back().second);
    index_.erase(entries_.back().first);
    entries_.pop_back();
  }
}

size_t LayoutCache::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

void LayoutCache::setFiles(std::shared_ptr<const LayoutFiles> files) {
  const std::lock_guard lock(mutex_);
  files_ = std::move(files);
}

std::shared_ptr<const LayoutFiles> LayoutCache::files() const {
  const std::lock_guard lock(mutex_);
  return files_;
}

namespace {

// What is made faster than this, by no program of its own, is not worth a file.
constexpr auto kWorthKeeping = std::chrono::milliseconds(10);
constexpr size_t kLeastKeptNodes = 20;

// Layouts of before, from a file.
std::shared_ptr<const LayoutResult> readKept(LayoutCache& cache, const LayoutKey& key,
                                             const LayoutInput& input) {
  const auto files = cache.files();
  if (files == nullptr || input.nodes.size() < kLeastKeptNodes) return nullptr;
  std::optional<LayoutResult> kept = files->read(key, input);
  if (!kept) return nullptr;
  auto result = std::make_shared<const LayoutResult>(std::move(*kept));
  cache.insert(key, result);
  return result;
}

}  // namespace

Result<std::shared_ptr<const LayoutResult>> layoutCached(LayoutCache& cache, const LayoutInput& input,
                                                         LayoutEngine engine, const CancelToken& cancel) {
  const bool draft = engine == LayoutEngine::kDraft;
  // A draft takes what kAuto made, and where it would be no better is what kAuto would make.
  const LayoutKey key = layoutKey(input, engine);
  const LayoutKey finalKey = draft ? layoutKey(input, LayoutEngine::kAuto) : key;
  if (auto known = cache.find(finalKey)) return known;
  if (auto known = cache.find(key)) return known;
  if (auto kept = engine == LayoutEngine::kLayered ? nullptr : readKept(cache, finalKey, input)) return kept;
  const auto start = std::chrono::steady_clock::now();
  TRY(LayoutResult made, layoutGraph(input, engine, cancel));
  const bool worthKeeping =
      made.engine == LayoutEngine::kDot || std::chrono::steady_clock::now() - start > kWorthKeeping;
  auto result = std::make_shared<const LayoutResult>(std::move(made));
  if (!result->notes.empty()) return result;
  const bool final = !draft || result->refined;
  cache.insert(final ? finalKey : key, result);
  if (const auto files = cache.files(); files != nullptr && final && worthKeeping &&
                                        engine != LayoutEngine::kLayered &&
                                        input.nodes.size() >= kLeastKeptNodes)
    files->write(finalKey, *result);
  return result;
}

}  // namespace hilo
