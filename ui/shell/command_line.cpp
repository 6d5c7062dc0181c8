#include "ui/shell/command_line.h"

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
struct Input {
  QString file, before;
};
Input inputOf(const Origin& origin, const QString& name) {
  if (origin.passes.isEmpty()) return {shellWord(origin.file), {}};
  return {name, QString("hilo opt --passes=%1 %2 -o %3 && ")
                    .arg(shellWord(origin.passes.join(',')), shellWord(origin.file), name)};
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
  if (!state.query.isEmpty() && state.view == "file") line += " --query " + shellWord(state.query);
  for (const QString& control : state.controls) line += " --set " + shellWord(control);
  if (!state.graph.isEmpty()) line += " --graph " + shellWord(state.graph);
  for (const QString& root : state.sourceRoots) line += " --source-root " + shellWord(root);
  if (state.dark) line += " --theme dark";
  if (state.run) line += " --run";
  return line;
}

QString passesCommand(const Session& session, const SeriesEntry& entry, const ShownState& state) {
  const PassSeries& series = *entry.series;
  ShownState alone = state;  // the command makes this one series
  alone.controls.removeIf([](const QString& control) { return control.startsWith("Pass series="); });
  const QString line = studioOptions(alone);
  const QString step = state.step < 0 ? QString() : QString(" --step %1").arg(state.step);
  if (const Snapshot* over = session.snapshot(entry.origin)) {
    if (!isOfPasses(series)) return {};
    const Input input = inputOf(originOf(session, *over), "before.hlo");
    return input.before + line + " --passes " + shellWord(passesOf(series)) + step + " " + input.file;
  }
  const Document* document = session.document(entry.document);
  const bool isOfDump =
      std::ranges::none_of(series.steps, [](const SeriesStep& s) { return s.path.empty(); });
  if (isOfDump) return document == nullptr ? QString() : line + step + " " + shellWord(document->path);
  const Origin before = originOf(session, series.steps[0]), after = originOf(session, series.steps[1]);
  if (before.file.isEmpty() || after.file.isEmpty()) return {};
  const Input a = inputOf(before, "before.hlo"), b = inputOf(after, "after.hlo");
  return a.before + b.before + line + step + " " + a.file + " " + b.file;
}

QString runCommand(const ShownState& state, const QString& file) {
  QString line = "hilo run";
  if (!state.engine.isEmpty()) line += " --engine " + shellWord(state.engine);
  if (state.arguments.startsWith("seed")) {
    line += " --seed " + state.arguments.mid(4).trimmed();
  } else if (state.arguments != "snapshot") {
    line += " --args " + shellWord(state.arguments);
  }
  line += QString(" --repeat %1").arg(state.repeat);
  if (state.timeLimitSeconds > 0) line += QString(" --time-limit %1").arg(state.timeLimitSeconds);
  if (state.memoryLimitGB > 0) line += QString(" --memory-limit %1").arg(state.memoryLimitGB);
  return line + " " + file;
}

// Two engines on one module; "" where the runs are of different modules or arguments.
QString compareCommand(const Session& session, const QString& file) {
  if (!session.comparedRuns()) return {};
  const auto& [a, b] = *session.comparedRuns();
  if (a.moduleHash != b.moduleHash || a.argumentsDescription != b.argumentsDescription || !a.flags.empty() ||
      !b.flags.empty() || !a.argumentsDescription.starts_with("seed"))
    return {};
  return QString("hilo compare --engines %1,%2 --seed%3 --repeat %4 %5")
      .arg(qs(a.engine), qs(b.engine), qs(a.argumentsDescription).mid(4))
      .arg(std::max<size_t>(1, a.timings.samplesNs.size()))
      .arg(file);
}

}  // namespace

QString shellWord(const QString& word) {
  static const QRegularExpression plain("^[A-Za-z0-9_./:=,@%+-]+$");
  if (plain.match(word).hasMatch()) return word;
  return "'" + QString(word).replace("'", "'\\''") + "'";
}

QString commandLineOf(const Session& session, const ShownState& state) {
  if (const SeriesEntry* series = session.series(state.series); series != nullptr && state.view == "passes")
    return passesCommand(session, *series, state);
  if (const Document* compiled = session.shownCompiled()) {
    const QString file = shellWord(compiled->path);
    ShownState alone = state;  // there is one engine for it
    alone.engine.clear();
    return state.view == "runs" && compiled->program ? runCommand(alone, file)
                                                     : studioOptions(state) + " " + file;
  }
  const Snapshot* snapshot = session.current();
  if (snapshot == nullptr) return {};
  const Document* document = session.document(snapshot->document);
  const Origin origin = originOf(session, *snapshot);
  if (origin.file.isEmpty()) return {};
  // The commands read standard input; the studio needs a file.
  const bool isQuery = state.view == "search" && !state.query.isEmpty();
  if (isQuery || state.view == "runs") {
    const bool piped = !origin.passes.isEmpty();
    const QString file = piped ? QString("-") : shellWord(origin.file);
    const QString before = piped ? QString("hilo opt --passes=%1 %2 -o - | ")
                                       .arg(shellWord(origin.passes.join(',')), shellWord(origin.file))
                                 : QString();
    return before + (isQuery ? QString("hilo query %1 %2").arg(shellWord(state.query), file)
                             : runCommand(state, file));
  }
  Input input = inputOf(origin, "after.hlo");
  if (document != nullptr && document->dump &&
      (state.view == "file" || isFirstShown(*document, snapshot->id)))
    input.file = shellWord(document->path);
  if (state.view == "compare") {
    if (const QString line = compareCommand(session, input.file); !line.isEmpty()) return input.before + line;
  }
  return input.before + studioOptions(state) + " " + input.file;
}

}  // namespace hilo
