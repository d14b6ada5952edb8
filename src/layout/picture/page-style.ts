import { DARK, LIGHT, PICTURE_STYLE } from './picture-style.ts';

/**
 * Style sheet of the HTML page. With JavaScript, the picture fills the window and the panel shows one section. Without
 * it, and in print, the picture and all sections follow each other.
 */
export const PAGE_STYLE = `
:root{color-scheme:light dark;${LIGHT}}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${DARK}}}
:root[data-theme=dark]{color-scheme:dark;${DARK}}
:root[data-theme=light]{color-scheme:light}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:13px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,Ubuntu,"Helvetica Neue",sans-serif}
header{display:flex;gap:8px;align-items:center;padding:6px 12px;border-bottom:1px solid var(--hairline)}
h1{margin:0;font-size:14px;font-weight:600;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.found{color:var(--dim);white-space:nowrap;margin-right:auto}
input,button{font:inherit;color:inherit;background:var(--card);border:1px solid var(--border);border-radius:4px;padding:3px 9px}
input{width:180px;min-width:90px}
button{cursor:pointer;white-space:nowrap}
button[aria-pressed=true]{border-color:var(--accent);color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
a{color:var(--accent);text-decoration:none;overflow-wrap:anywhere}
a:hover{text-decoration:underline}
.stage{position:relative}
svg{display:block;max-width:100%;height:auto}
.zoom{display:none}
aside{padding:12px 16px;overflow-wrap:anywhere}
h2{margin:0 0 2px;font-size:14px}
h3,caption{margin:14px 0 4px;font-size:12px;font-weight:600;text-align:left}
caption{margin:0}
.facts{margin:0 0 10px;color:var(--dim)}
ol,ul{margin:0;padding:0;list-style:none}
li{padding:2px 0}
small{color:var(--dim)}
table{width:100%;border-collapse:collapse}
th,td{padding:4px 8px 4px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--hairline)}
th{font-weight:500;width:45%}
.detail{margin-bottom:20px}
#back{margin-bottom:12px}
html:not(.js) header input,html:not(.js) header button,html:not(.js) #back{display:none}
html.js,.js body{height:100%;overflow:hidden}
.js body{display:flex;flex-direction:column}
.js main{flex:1;min-height:0;display:flex}
.js .stage{flex:1;min-width:0;overflow:hidden;touch-action:none;cursor:grab;user-select:none;-webkit-user-select:none}
.js .stage.moving{cursor:grabbing}
.js .stage svg{position:absolute;inset:0;width:100%;height:100%;max-width:none}
.js aside{width:300px;overflow:auto;border-left:1px solid var(--hairline)}
.js .detail{display:none;margin:0}
.js .detail.shown{display:block}
.js .zoom{display:flex;gap:4px;align-items:center;position:absolute;right:12px;bottom:12px;padding:4px;border:1px solid var(--hairline);border-radius:6px;background:var(--lane)}
.zoom output{min-width:42px;text-align:center;color:var(--dim);font-variant-numeric:tabular-nums}
.call{display:none}
.js .calls .call,.js .call.lit{display:inline}
.middle,#names{display:none}
.js .mid .middle{display:inline}
.js .mid .near,.js .far .near{display:none}
.js .mid .title,.js .far .title,.js .far .port,.js .far .head,.js .far .bar{display:none}
.js .mid #names,.js .far #names{display:inline}
.js .far .card{fill:var(--border)}
.js .mid .line,.js .far .line{vector-effect:non-scaling-stroke;stroke-width:1}
.js .mid .lit .line,.js .far .lit .line{stroke-width:2}
.large{font-size:23.5px;font-weight:600}
#names text{font-weight:600}
.js .far #names text{paint-order:stroke;stroke:var(--lane);stroke-width:.3em;stroke-linejoin:round}
.block{cursor:pointer;outline:none}
.block:hover .card{stroke:var(--text)}
.block:focus-visible .card,.block.chosen .card{stroke:var(--accent);stroke-width:2.5}
.node.chosen .lane{stroke:var(--accent);stroke-width:2}
.lit .line{stroke:var(--accent);stroke-width:2.2}
.lit .head{fill:var(--accent)}
.missed{opacity:.18}
${PICTURE_STYLE}
@media (max-width:760px){header{flex-wrap:wrap}h1{max-width:60vw}input{flex:1}.js main{flex-direction:column}.js aside{width:auto;height:34%;border-left:0;border-top:1px solid var(--hairline)}}
@media (pointer:coarse){input,button{padding:6px 11px}}
@media print{header input,header button,.js .zoom{display:none}html.js,.js body{height:auto;overflow:visible;display:block}.js main{display:block}.js .stage svg{position:static;height:auto}.js aside{width:auto;border:0}.js .detail{display:block;break-inside:avoid}}
`;
