import type { JSX } from 'preact';
import { useCallback } from 'preact/hooks';
import { PlotView, type Look, type Picture } from './plot';
import { decimal, quoted } from './show';
import type { TokenView } from './token-view';
import { words } from './words';

interface Props {
  readonly view: TokenView;
  readonly vocabSize: number;
  readonly label: (id: number) => string;
  readonly onU: (u: number) => void;
}

/** The shares of the tokens that can be drawn, added up in the order of their ids, and u on its way to the sum it hits. */
export function WalkPlot({ view, vocabSize, label, onU }: Props): JSX.Element {
  const draw = useCallback((look: Look): Picture => pictureOf(view, vocabSize, look), [view, vocabSize]);
  return (
    <PlotView
      height={260}
      summary={words.walkSummary(view.walk.length, decimal(view.u), quoted(label(view.hit)))}
      draw={draw}
      onDrag={onU}
    />
  );
}

function pictureOf({ walk, hit, u }: TokenView, vocabSize: number, { palette, font, paths }: Look): Picture {
  const ids = [-1, ...walk.map(({ id }) => id), vocabSize];
  const sums = [0, ...walk.map(({ to }) => to), 1];
  const axis = { font, labelFont: font, stroke: palette.faint, grid: { stroke: palette.line, width: 1 } };
  const steps = paths.stepped?.({ align: 1 });
  return {
    data: [ids, sums, ids.map((id) => (id <= hit ? u : null)), ids.map((id) => (id === hit ? u : null))],
    options: {
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false, range: [-1, vocabSize] }, y: { range: [0, 1] } },
      axes: [
        {
          ...axis,
          size: 32,
          labelSize: 18,
          label: words.walkAxis.id,
          ticks: { show: false },
          values: (_, splits) => splits.map((id) => (id >= 0 && id < vocabSize ? String(id) : '')),
        },
        { ...axis, size: 44, labelSize: 18, label: words.walkAxis.sum, ticks: { show: false } },
      ],
      series: [
        {},
        {
          stroke: palette.ink,
          fill: palette.kept,
          width: 1.5,
          points: { show: false },
          ...(steps && { paths: steps }),
        },
        { stroke: palette.accent, width: 2, dash: [6, 4], points: { show: false } },
        { stroke: palette.accent, points: { show: true, size: 11, fill: palette.accent } },
      ],
      hooks: {
        draw: [
          // Down from the step that is hit to its token.
          (plot) => {
            const { ctx, bbox } = plot;
            const x = Math.round(plot.valToPos(hit, 'x', true));
            ctx.save();
            ctx.strokeStyle = palette.accent;
            ctx.lineWidth = 2 * devicePixelRatio;
            ctx.beginPath();
            ctx.moveTo(x, plot.valToPos(u, 'y', true));
            ctx.lineTo(x, bbox.top + bbox.height);
            ctx.stroke();
            ctx.restore();
          },
        ],
      },
    },
  };
}
