#include "ui/models/command_line.h"

#include <QRegularExpression>
#include <algorithm>
#include <ranges>

#include "core/workspace/passes/optimize.h"
#include "ui/models/text_of.h"

namespace hilo {
namespace {

// The file the module was read from, and the passes that were run over it since.
struct Origin {
  QString file;
  QStringList passes;
};

QStringList passesUpTo(const PassSeries& series, size_t step) {
  QStringList passes;
  for (size_t n = 1; n <= step && n < series.steps.size(); ++n) {
    const SeriesStep& pass = series.steps[n];
    if (!pass.skipped() && !pass.isLowering()) passes << qs(passText(pass.name, pass.settings));
  }
  return passes;
}

// What makes a series again: its passes, or the pipeline where it goes on to lowering.
QString passesOf(const PassSeries& series) {
  const QStringList passes = passesUpTo(series, series.steps.size() - 1);
  if (!series.steps.back().isLowering()) return passes.join(',');
  for (const Pipeline& pipeline : listPipelines()) {
    const auto same = [](const QString& pass, const ConfiguredPass& configured) {
      return pass == qs(passText(configured));
    };
    if (pipeline.isLowered && std::ranges::equal(passes, pipeline.passes, same)) return qs(pipeline.name);
  }
  return passes.join(',');
}

// What passes alone made, which commands make again: tuning may choose otherwise another time.
bool isOfPasses(const PassSeries& series) {
  const auto passes = listPasses();
  return std::ranges::all_of(series.steps | std::views::drop(1), [&](const SeriesStep& step) {
    return step.isLowering() || std::ranges::find(passes, step.name, &Pass::name) != passes.end();
  });
}

Origin originOf(const Session& session, const Snapshot& snapshot) {
  if (snapshot.file) return {qs(snapshot.file->path), {}};
  for (const SeriesEntry& entry : session.series()) {
    const Snapshot* before = isOfPasses(*entry.series) ? session.snapshot(entry.origin) : nullptr;
    for (size_t step = 1; step < entry.series->steps.size() && before != nullptr; ++step) {
      if (entry.series->steps[step].moduleIfLoaded() != snapshot.module) continue;
      Origin origin = originOf(session, *before);
      origin.passes << passesUpTo(*entry.series, step);
      return origin;
    }
  }
  return {};
}

Origin originOf(const Session& session, const SeriesStep& step) {
  const auto module = step.moduleIfLoaded();
  const SnapshotId known = module == nullptr ? SnapshotId{} : session.find(*module);
  if (const Snapshot* snapshot = session.snapshot(known)) return originOf(session, *snapshot);
  return {qs(step.path), {}};
}

// A file that holds what passes made of another, and the command that writes it ("" when it is there).
ModuleInput inputOf(const Origin& origin, const QString& name) {
  if (origin.passes.isEmpty()) return {{}, shellWord(origin.file)};
  return {QString("hilo opt --passes=%1 %2 -o %3 && ")
              .arg(shellWord(origin.passes.join(',')), shellWord(origin.file), name),
          name};
}

// What opening the dump shows: the last stage of its first module that has one.
bool isFirstShown(const Document& document, SnapshotId snapshot) {
  for (const auto& stages : document.stages) {
    if (!stages.empty()) return stages.back() == snapshot;
  }
  return false;
}

QString studioOptions(const ShownState& state) {
  QString line = QString("hilo-studio --render %1 -o %1.png").arg(state.view);
  if (!state.size.isEmpty())
    line += QString(" --size %1x%2").arg(state.size.width()).arg(state.size.height());
  if (!state.selected.isEmpty()) line += " --select " + shellWord(state.selected);
  for (const QString& control : state.controls) line += " --set " + shellWord(control);
  if (!state.options.isEmpty()) line += " " + state.options;
  for (const QString& root : state.sourceRoots) line += " --source-root " + shellWord(root);
  if (state.dark) line += " --theme dark";
  return line;
}

}  // namespace

QString shellWord(const QString& word) {
  static const QRegularExpression plain("^[A-Za-z0-9_./:=,@%+-]+$");
  if (plain.match(word).hasMatch()) return word;
  return "'" + QString(word).replace("'", "'\\''") + "'";
}

QString seriesCommand(const Session& session, const SeriesEntry& entry, int step, const ShownState& state) {
  const PassSeries& series = *entry.series;
  const QString line = studioOptions(state), number = step < 0 ? QString() : QString(" --step %1").arg(step);
  if (const Snapshot* over = session.snapshot(entry.origin)) {
    if (!isOfPasses(series)) return {};
    const ModuleInput input = inputOf(originOf(session, *over), "before.hlo");
    return input.before + line + " --passes " + shellWord(passesOf(series)) + number + " " + input.file;
  }
  const Document* document = session.document(entry.document);
  const bool isOfDump =
      std::ranges::none_of(series.steps, [](const SeriesStep& s) { return s.path.empty(); });
  if (isOfDump) return document == nullptr ? QString() : line + number + " " + shellWord(qs(document->path));
  const Origin before = originOf(session, series.steps[0]), after = originOf(session, series.steps[1]);
  if (before.file.isEmpty() || after.file.isEmpty()) return {};
  const ModuleInput a = inputOf(before, "before.hlo"), b = inputOf(after, "after.hlo");
  return a.before + b.before + line + number + " " + a.file + " " + b.file;
}

ModuleInput pipedModule(const Session& session) {
  const Snapshot* snapshot = session.current();
  const Origin origin = snapshot == nullptr ? Origin() : originOf(session, *snapshot);
  if (origin.passes.isEmpty()) return {{}, origin.file.isEmpty() ? QString() : shellWord(origin.file)};
  return {QString("hilo opt --passes=%1 %2 -o - | ")
              .arg(shellWord(origin.passes.join(',')), shellWord(origin.file)),
          "-"};
}

ModuleInput writtenModule(const Session& session, bool wholeDump) {
  const Snapshot* snapshot = session.current();
  const Origin origin = snapshot == nullptr ? Origin() : originOf(session, *snapshot);
  if (origin.file.isEmpty()) return {};
  ModuleInput input = inputOf(origin, "after.hlo");
  const Document* document = session.document(snapshot->document);
  if (document != nullptr && document->dump && (wholeDump || isFirstShown(*document, snapshot->id)))
    input.file = shellWord(qs(document->path));
  return input;
}

QString pictureCommand(const Session& session, const ShownState& state) {
  if (const Document* compiled = session.shownCompiled())
    return studioOptions(state) + " " + shellWord(qs(compiled->path));
  const ModuleInput input = writtenModule(session, state.wholeDump);
  return input.file.isEmpty() ? QString() : input.before + studioOptions(state) + " " + input.file;
}

}  // namespace hilo
