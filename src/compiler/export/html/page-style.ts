const LIGHT = `--paper:#f7f8fa;--card:#fff;--ink:#1c2430;--soft:#5b6676;--line:#d5dbe4;--accent:#2456c7;--accent-soft:#e8effd;--good:#177245;--bad:#b3261e;--warn:#a15c00;--call:#6b3fc4;--fork:#0b7285;--shadow:0 1px 2px rgb(20 30 50/.06),0 4px 14px rgb(20 30 50/.05)`;
const DARK = `--paper:#12161c;--card:#1b212a;--ink:#e6eaf0;--soft:#98a4b5;--line:#343d4a;--accent:#7ea6ff;--accent-soft:#22304d;--good:#5ccf92;--bad:#ff8a80;--warn:#f0b45a;--call:#b79bff;--fork:#5fcfe0;--shadow:none`;

export const PAGE_STYLE = `
:root{color-scheme:light dark;${LIGHT}}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${DARK}}}
:root[data-theme=dark]{color-scheme:dark;${DARK}}
:root[data-theme=light]{color-scheme:light}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:76px}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
header{position:sticky;top:0;z-index:2;display:flex;gap:16px;align-items:center;padding:12px 24px;background:var(--card);border-bottom:1px solid var(--line)}
h1{margin:0;font-size:17px;font-weight:650;overflow-wrap:anywhere}
header .count{color:var(--soft);font-size:13px;white-space:nowrap}
header .grow{flex:1}
input,button{font:inherit;font-size:14px;color:inherit;background:var(--paper);border:1px solid var(--line);border-radius:8px;padding:6px 12px}
input{width:230px}
button{cursor:pointer;white-space:nowrap}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.page{display:grid;grid-template-columns:230px minmax(0,1fr);gap:32px;max-width:1400px;margin:0 auto;padding:24px}
nav{position:sticky;top:84px;align-self:start;max-height:calc(100vh - 108px);overflow:auto}
nav h2,.kicker{margin:0 0 8px;font-size:11px;font-weight:650;letter-spacing:.08em;text-transform:uppercase;color:var(--soft)}
nav ol{list-style:none;margin:0;padding:0}
nav a{display:flex;justify-content:space-between;gap:8px;padding:5px 10px;border-radius:7px;color:inherit;text-decoration:none;overflow-wrap:anywhere}
nav a:hover{background:var(--accent-soft)}
nav small{color:var(--soft)}
section{background:var(--card);border:1px solid var(--line);border-radius:14px;box-shadow:var(--shadow);margin:0 0 24px;padding:20px 22px}
section:target{border-color:var(--accent)}
h2{margin:0;font-size:16px;overflow-wrap:anywhere}
.facts{margin:2px 0 14px;color:var(--soft);font-size:13px}
.scroll{overflow:auto;max-height:82vh}
.legend{display:flex;flex-wrap:wrap;gap:6px 18px;margin:12px 0 0;color:var(--soft);font-size:13px}
.legend span::before{content:"";display:inline-block;width:22px;margin-right:7px;vertical-align:middle;border-top:2px solid currentcolor}
.legend .call{color:var(--call)}.legend .fork{color:var(--fork)}.legend .call::before,.legend .fork::before{border-top-style:dashed}
svg{display:block;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono","DejaVu Sans Mono",monospace}
svg text{fill:var(--ink);font-size:12px}
.card{fill:var(--card);stroke:var(--line);stroke-width:1.2}
.flow .card{fill:var(--paper)}
.first .card{stroke:var(--accent);stroke-width:2}
svg .name{font-size:13px;font-weight:650}
svg .worker{fill:var(--soft);font-size:11px}
svg .badge{fill:var(--accent);font-size:10.5px;font-weight:650}
.rule{stroke:var(--line)}
.row .signal{font-weight:600}
.row.good .signal{fill:var(--good)}.row.warn .signal{fill:var(--warn)}.row.bad text{fill:var(--bad)}
.row .action{fill:var(--soft)}
.row.bad .action{font-weight:650}
svg a{fill:var(--accent);color:var(--accent);text-decoration:none}
svg .action a:hover{text-decoration:underline}
svg .action a:focus-visible{outline:none;text-decoration:underline;text-decoration-thickness:2px}
.block,.box{outline:none}
.block:focus-visible .card,.block:hover .card,.box:hover .card,.box:focus-visible .card{stroke:var(--accent);stroke-width:2}
.block:target .card{stroke:var(--accent);stroke-width:3}
.line{fill:none;stroke:currentcolor;stroke-width:1.5}
.head{fill:currentcolor}
.arc,.link{color:var(--soft)}
.arc.good{color:var(--good)}.arc.warn{color:var(--warn)}.arc.bad{color:var(--bad)}
.arc.dotted .line,.link.call .line,.link.fork .line{stroke-dasharray:5 4}
.dense .link:not(.lit){opacity:.35}
.link.call{color:var(--call)}.link.fork{color:var(--fork)}
.lit .line{stroke-width:3}
.unlit,.missed{opacity:.22}
.hidden{display:none}
details{margin-top:14px;border-top:1px solid var(--line);padding-top:10px}
summary{cursor:pointer;color:var(--soft);font-size:13px}
table{width:100%;border-collapse:collapse;margin-top:10px;font-size:13px}
th,td{padding:7px 10px 7px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line);overflow-wrap:anywhere;white-space:pre-wrap}
th{width:200px;font-weight:600}
footer{padding:8px 24px 32px;text-align:center;color:var(--soft);font-size:13px}
@media (max-width:860px){.page{grid-template-columns:minmax(0,1fr);padding:14px}nav{display:none}header{flex-wrap:wrap;padding:10px 14px}input{width:100%}}
@media print{header,nav,footer button{display:none}.page{display:block}section{break-inside:avoid-page}.scroll{max-height:none;overflow:visible}}
`;
