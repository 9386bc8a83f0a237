import type { JSX, TargetedPointerEvent } from 'preact';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type Plot from 'uplot';
import 'uplot/dist/uPlot.min.css';

/** The page's colours, which a canvas cannot take from the style sheet by itself. */
export interface Palette {
  readonly ink: string;
  readonly faint: string;
  readonly line: string;
  readonly accent: string;
  readonly kept: string;
  readonly topK: string;
  readonly topP: string;
}

/** What a picture is drawn with. */
export interface Look {
  readonly palette: Palette;
  readonly font: string;
  readonly paths: typeof Plot.paths;
}

export interface Picture {
  readonly data: Plot.AlignedData;
  readonly options: Omit<Plot.Options, 'width' | 'height'>;
}

interface Props {
  readonly height: number;
  /** What the picture shows, for those who do not see it. */
  readonly summary: string;
  readonly draw: (look: Look) => Picture;
  /** Of a pointer that drags across the picture: the value on its upright axis. */
  readonly onDrag?: ((value: number) => void) | undefined;
}

/** A plot as wide as its place, in the page's colours. */
export function PlotView({ height, summary, draw, onDrag }: Props): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  const dark = useSignal(matchMedia(darkness).matches);
  const drag = useRef(onDrag);
  drag.current = onDrag;

  useEffect(() => {
    const query = matchMedia(darkness);
    const changed = (): void => {
      dark.value = query.matches;
    };
    query.addEventListener('change', changed);
    const observer = new ResizeObserver(([entry]) => {
      width.value = Math.floor(entry?.contentRect.width ?? 0);
    });
    if (place.current) observer.observe(place.current);
    return () => {
      query.removeEventListener('change', changed);
      observer.disconnect();
    };
  }, [dark, width]);

  const [room, darkNow] = [width.value, dark.value];
  useEffect(() => {
    if (!place.current || room === 0) return undefined;
    const within = place.current;
    let gone = false;
    let plot: Plot | undefined;
    void library.then((library) => {
      if (!library || gone) return;
      const { options, data } = draw({ ...lookOf(within), paths: library.paths });
      plot = new library({ ...options, width: room, height }, data, within);
    });
    return () => {
      gone = true;
      plot?.destroy();
    };
  }, [draw, height, room, darkNow]);

  // On the place, not on the plot, which is made anew while it is dragged.
  const valueAt = ({ currentTarget, clientY }: TargetedPointerEvent<HTMLDivElement>): void => {
    const area = currentTarget.querySelector('.u-over')?.getBoundingClientRect();
    if (area) drag.current?.(1 - (clientY - area.top) / area.height);
  };
  return (
    <div
      ref={place}
      class={onDrag ? 'plot draggable' : 'plot'}
      role="img"
      aria-label={summary}
      onPointerDown={(event) => {
        // A finger scrolls the page.
        if (!onDrag || event.pointerType === 'touch') return;
        event.currentTarget.setPointerCapture(event.pointerId);
        valueAt(event);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) valueAt(event);
      }}
    />
  );
}

/** Undefined where it does not load, as in a system without a language: the tables say what the pictures show. */
const library = import('uplot').then(
  ({ default: library }) => library,
  () => undefined,
);

const darkness = '(prefers-color-scheme: dark)';

function lookOf(element: Element): Omit<Look, 'paths'> {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    palette: {
      ink: colour('ink'),
      faint: colour('faint-ink'),
      line: colour('line'),
      accent: colour('accent'),
      kept: colour('kept'),
      topK: colour('cut-top-k'),
      topP: colour('cut-top-p'),
    },
    font: `12px ${style.fontFamily}`,
  };
}
