import type { JSX } from 'preact';
import { useCallback } from 'preact/hooks';
import type Plot from 'uplot';
import { PlotView, type Look, type Picture } from './plot';
import { percent, quoted, visible } from './show';
import type { Candidate, Fate, TokenView } from './token-view';
import { words } from './words';

interface Props {
  readonly view: TokenView;
  readonly label: (id: number) => string;
}

/** The likeliest tokens as bars: what can be drawn, what each setting cuts, and what is drawn. */
export function CandidatesPlot({ view, label }: Props): JSX.Element {
  const { candidates, hit } = view;
  const draw = useCallback((look: Look): Picture => pictureOf(view, label, look), [view, label]);
  const summary = candidates.map(({ id, probability, fate }) =>
    words.candidate(quoted(label(id)), percent(probability), id === hit ? words.hit : words.fates[fate]),
  );
  return (
    <PlotView
      height={rowsOf(view).length * rowHeight + axisHeight}
      summary={words.candidatesSummary(summary.join('; '))}
      draw={draw}
    />
  );
}

const rowHeight = 22;
const axisHeight = 40;

const [bottom, left] = [2, 3] as unknown as [Plot.Axis.Side, Plot.Axis.Side];

/** A row for each, and an empty one wherever some are left out. */
const rowsOf = ({ candidates }: TokenView): (Candidate | null)[] =>
  candidates.flatMap((candidate, at) => {
    const before = candidates[at - 1];
    return before && before.rank + 1 < candidate.rank ? [null, candidate] : [candidate];
  });

type Kind = Fate | 'hit';

function pictureOf(view: TokenView, label: Props['label'], { palette, font, paths }: Look): Picture {
  const { hit } = view;
  const candidates = rowsOf(view);
  const colours: Record<Kind, string> = {
    hit: palette.accent,
    kept: palette.kept,
    topK: palette.topK,
    topP: palette.topP,
    temperature: palette.topK,
  };
  const kindOf = ({ id, fate }: Candidate): Kind => (id === hit ? 'hit' : fate);
  const kinds = Object.keys(colours) as Kind[];
  const names = candidates.map((candidate) => (candidate ? visible(label(candidate.id)) : '\u22ee'));
  const rows = candidates.map((_, row) => row);
  const most = Math.max(...candidates.map((candidate) => candidate?.probability ?? 0));
  const bars = paths.bars?.({ size: [0.75, 40], align: 0 });
  return {
    data: [
      rows,
      ...kinds.map((kind) =>
        candidates.map((candidate) => (candidate && kindOf(candidate) === kind ? candidate.probability : null)),
      ),
    ],
    options: {
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, ori: 1, dir: -1, range: [-0.5, candidates.length - 0.5] },
        y: { ori: 0, range: [0, most] },
      },
      axes: [
        {
          side: left,
          size: 96,
          font,
          stroke: palette.ink,
          grid: { show: false },
          ticks: { show: false },
          splits: rows,
          values: (_, splits) => splits.map((row) => names[row] ?? ''),
        },
        {
          side: bottom,
          size: axisHeight - 6,
          font,
          stroke: palette.faint,
          space: 60,
          grid: { stroke: palette.line, width: 1 },
          ticks: { show: false },
          values: (_, splits) => splits.map((share) => `${Number((share * 100).toFixed(2))} %`),
        },
      ],
      series: [
        {},
        ...kinds.map((kind) => ({
          label: kind,
          fill: colours[kind],
          stroke: colours[kind],
          width: 0,
          points: { show: false },
          ...(bars && { paths: bars }),
        })),
      ],
    },
  };
}
