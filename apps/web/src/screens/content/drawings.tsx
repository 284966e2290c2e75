// The drawings of the content pages, in the colours of the app. They have no text, so that they fit all languages.
import styles from './content.module.css';

const { ink, cloth, knot, paper, faint, signal, dotted } = styles;

/** A tied cloth with files inside. */
function Bundle({ x, y }: { x: number; y: number }) {
  return (
    <g transform={`translate(${x} ${y})`}>
      <path className={cloth} d="M-34 22 Q-38 -8 0 -10 Q38 -8 34 22 Q34 34 0 34 Q-34 34 -34 22Z" />
      <path className={knot} d="M0 -10 Q-20 -32 -26 -18 Q-26 -8 0 -10 Q20 -32 26 -18 Q26 -8 0 -10Z" />
      <path className={ink} d="M-34 22 Q-14 4 0 -10 Q14 4 34 22" />
    </g>
  );
}

function Sheet({ x, y }: { x: number; y: number }) {
  return (
    <g transform={`translate(${x} ${y})`}>
      <path className={paper} d="M-16 -22 H8 L18 -12 V22 H-16Z" />
      <path className={ink} d="M8 -22 V-12 H18 M-9 -4 H10 M-9 4 H10 M-9 12 H4" />
    </g>
  );
}

function Key({ x, y }: { x: number; y: number }) {
  return (
    <g transform={`translate(${x} ${y})`}>
      <circle className={signal} cx="-12" cy="0" r="8" />
      <circle className={paper} cx="-12" cy="0" r="2.5" />
      <path className={signal} d="M-5 -2 H20 V7 H15 V2 H10 V6 H5 V2 H-5Z" />
    </g>
  );
}

function Browser({ x }: { x: number }) {
  return (
    <g transform={`translate(${x} 66)`}>
      <rect className={paper} x="-42" y="-40" width="84" height="66" rx="6" />
      <path className={ink} d="M-42 -26 H42 M-14 40 H14 M0 26 V40" />
    </g>
  );
}

function Server({ x }: { x: number }) {
  return (
    <g transform={`translate(${x} 70)`}>
      <rect className={faint} x="-30" y="-44" width="60" height="84" rx="6" />
      <path className={ink} d="M-30 -16 H30 M-30 12 H30 M-20 -30 H-12 M-20 -2 H-12 M-20 26 H-12" />
    </g>
  );
}

function Arrow({ from, to, y }: { from: number; to: number; y: number }) {
  return <path className={ink} d={`M${from} ${y} H${to} M${to - 8} ${y - 6} L${to} ${y} L${to - 8} ${y + 6}`} />;
}

export const DRAWINGS = {
  choose: () => (
    <>
      <path className={cloth} d="M160 128 L60 92 L160 56 L260 92Z" />
      <path className={ink} d="M160 128 L60 92 L160 56 L260 92Z" />
      <Sheet x={130} y={60} />
      <Sheet x={166} y={46} />
      <Sheet x={200} y={66} />
    </>
  ),
  settle: () => (
    <>
      <rect className={paper} x="56" y="30" width="84" height="80" rx="6" />
      <path className={ink} d="M56 52 H140 M78 22 V38 M118 22 V38" />
      <path className={faint} d="M66 62 H82 V78 H66Z M90 62 H106 V78 H90Z M114 62 H130 V78 H114Z" />
      <path className={signal} d="M66 62 H82 V78 H66Z" />
      <circle className={faint} cx="224" cy="70" r="40" />
      <circle className={ink} cx="224" cy="70" r="40" />
      <path className={ink} d="M224 48 V84 M208 72 L224 88 L240 72 M204 98 H244" />
    </>
  ),
  wrap: () => (
    <>
      <Browser x={70} />
      <Sheet x={70} y={54} />
      <Arrow from={126} to={176} y={66} />
      <Bundle x={230} y={64} />
    </>
  ),
  apart: () => (
    <>
      <Bundle x={58} y={66} />
      <path className={ink} d="M106 54 Q160 10 214 40 M204 32 L214 40 L203 45" />
      <path className={dotted} d="M106 86 Q160 130 214 100" />
      <path className={ink} d="M203 96 L214 100 L205 108" />
      <Sheet x={160} y={30} />
      <Key x={158} y={112} />
      <circle className={faint} cx="256" cy="52" r="16" />
      <path className={faint} d="M226 112 Q226 76 256 76 Q286 76 286 112Z" />
      <path
        className={ink}
        d="M226 112 Q226 76 256 76 Q286 76 286 112Z M240 52 A16 16 0 1 0 272 52 A16 16 0 1 0 240 52"
      />
    </>
  ),
  open: () => (
    <>
      <Bundle x={62} y={66} />
      <Key x={140} y={42} />
      <Arrow from={112} to={176} y={72} />
      <path className={cloth} d="M240 116 L186 94 L240 72 L294 94Z" />
      <path className={ink} d="M240 116 L186 94 L240 72 L294 94Z" />
      <Sheet x={240} y={66} />
    </>
  ),
  vanish: () => (
    <>
      <circle className={paper} cx="84" cy="70" r="44" />
      <circle className={ink} cx="84" cy="70" r="44" />
      <path className={ink} d="M84 40 V70 L104 82" />
      <Arrow from={144} to={184} y={70} />
      <path className={dotted} d="M200 92 Q196 62 234 60 Q272 62 268 92 Q268 104 234 104 Q200 104 200 92Z" />
      <path className={dotted} d="M234 60 Q214 38 208 52 Q208 62 234 60 Q254 38 260 52 Q260 62 234 60Z" />
    </>
  ),
  parts: () => (
    <>
      <Sheet x={48} y={70} />
      <Arrow from={80} to={112} y={70} />
      {[0, 1, 2, 3].map((part) => (
        <g key={part} transform={`translate(${130 + part * 46} 70)`}>
          <rect className={cloth} x="-2" y="-28" width="38" height="56" rx="4" />
          <path className={signal} d="M9 -4 H25 V12 H9Z" />
          <path className={ink} d="M12 -4 V-10 A5 5 0 0 1 22 -10 V-4" />
        </g>
      ))}
    </>
  ),
  'who-knows': () => (
    <>
      <Browser x={54} />
      <Key x={52} y={56} />
      <Arrow from={102} to={124} y={62} />
      <Server x={160} />
      <Bundle x={160} y={66} />
      <Arrow from={196} to={218} y={62} />
      <Browser x={266} />
      <Key x={264} y={56} />
      <path className={dotted} d="M54 118 Q160 150 266 118" />
    </>
  ),
};

export type DrawingName = keyof typeof DRAWINGS;
