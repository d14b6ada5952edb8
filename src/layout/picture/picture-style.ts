/** Colours of the light and the dark theme. Contrast to the background is at least 4.5:1 for text and 3:1 for lines. */
export const LIGHT =
  '--page:#ffffff;--text:#3b3b3b;--dim:#616161;--lane:#f6f6f6;--card:#ffffff;--hairline:#dcdcdc;--border:#c4c4c4;--edge:#8a8a8a;--accent:#005fb8';
export const DARK =
  '--page:#1f1f1f;--text:#d4d4d4;--dim:#a0a0a0;--lane:#252526;--card:#313131;--hairline:#363636;--border:#505050;--edge:#868686;--accent:#4daafc';

/** Style sheet of the drawing, shared by the HTML page and the SVG file. */
export const PICTURE_STYLE = `
text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,Ubuntu,"Helvetica Neue",sans-serif;fill:var(--text)}
.lane{fill:var(--lane);stroke:var(--hairline)}
.title{font-size:13px;font-weight:600}
.count,.dim{font-size:10.5px;fill:var(--dim)}
.count{font-size:11px;font-weight:400}
.card{fill:var(--card);stroke:var(--border)}
.bar{stroke:var(--accent);stroke-width:3;stroke-linecap:round;fill:none}
.name{font-size:12.5px;font-weight:600}
.badge{font-size:10.5px;fill:var(--accent);text-anchor:end}
.signal,.effect{font-size:10.5px}
.effect{fill:var(--dim);text-anchor:end}
.line{fill:none;stroke:var(--edge);stroke-width:1.3}
.head,.port{fill:var(--edge)}
.crossing .line,.call .line{stroke-dasharray:5 4}
`;
