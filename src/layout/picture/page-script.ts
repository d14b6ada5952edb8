import { PAGE_VIEW_SCRIPT } from './page-view-script.ts';

/**
 * Script of the HTML page: search, theme, selection and highlighting. The page shows its content without JavaScript as
 * well.
 */
export const PAGE_SCRIPT = `
(() => {
  const root = document.documentElement;
  root.classList.add('js');
  const part = (id) => document.getElementById(id);
  const picture = part('picture');
  const all = [...picture.querySelectorAll('.block')];
  const edges = [...picture.querySelectorAll('.edge')];
  const boxOf = (item) => item.dataset.box.split(' ').map(Number);
${PAGE_VIEW_SCRIPT}
  const kept = { get: () => { try { return localStorage.getItem('robosmith-theme'); } catch { return null; } },
                 set: (value) => { try { localStorage.setItem('robosmith-theme', value); } catch { /* private window */ } } };
  const themes = ['auto', 'light', 'dark'];
  const useTheme = (name) => {
    if (name === 'auto') delete root.dataset.theme; else root.dataset.theme = name;
    part('theme').textContent = 'Theme: ' + name;
  };
  let theme = themes.includes(kept.get()) ? kept.get() : 'auto';
  useTheme(theme);
  part('theme').addEventListener('click', () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    kept.set(theme);
    useTheme(theme);
  });
  part('calls').addEventListener('click', () => {
    const on = picture.classList.toggle('calls');
    part('calls').setAttribute('aria-pressed', String(on));
  });

  let chosen = null;
  const light = (key) => {
    for (const edge of edges) edge.classList.toggle('lit', key !== null && (edge.dataset.from === key || edge.dataset.to === key));
  };
  const select = (key) => {
    chosen?.classList.remove('chosen');
    chosen = key === null ? null : part(key);
    chosen?.classList.add('chosen');
    for (const shown of document.querySelectorAll('.detail.shown')) shown.classList.remove('shown');
    (part('d-' + key) ?? part('contents')).classList.add('shown');
    part('back').hidden = chosen === null;
    part('panel').scrollTop = 0;
    light(chosen === null ? null : key);
    if (chosen?.classList.contains('block')) {
      for (const block of all) block.tabIndex = -1;
      chosen.tabIndex = 0;
    }
  };
  const go = (key) => {
    const item = /^n\\d+(b\\d+)?$/.test(key) ? part(key) : null;
    if (item === null) return;
    select(key);
    const box = boxOf(item);
    if (item.classList.contains('node')) fitBox(box); else bringIn(box);
  };
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link === null) return;
    event.preventDefault();
    history.replaceState(null, '', link.getAttribute('href'));
    go(link.getAttribute('href').slice(1));
  });
  part('back').addEventListener('click', () => select(null));
  addEventListener('hashchange', () => go(location.hash.slice(1)));
  picture.addEventListener('click', (event) => {
    if (wasDragged()) return;
    const block = event.target.closest('.block');
    select(block === null ? event.target.closest('.node')?.id ?? null : block.id);
  });
  for (const type of ['mouseover', 'focusin']) picture.addEventListener(type, (event) => {
    const item = event.target.closest('.block');
    if (item !== null) light(item.id);
  });
  for (const type of ['mouseout', 'focusout']) picture.addEventListener(type, () => light(chosen === null ? null : chosen.id));

  const search = part('search');
  const found = part('found');
  let place = -1;
  const hits = () => all.filter((item) => !item.classList.contains('missed'));
  const look = () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
    place = -1;
    for (const item of all) item.classList.toggle('missed', !words.every((word) => item.dataset.find.includes(word)));
    const count = hits().length;
    found.textContent = words.length === 0 ? found.dataset.all : count === 1 ? '1 block found' : count + ' blocks found';
  };
  search.addEventListener('input', look);
  search.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') { search.value = ''; look(); }
    const list = hits();
    if (event.key !== 'Enter' || list.length === 0) return;
    place = (place + (event.shiftKey ? list.length - 1 : 1) + list.length) % list.length;
    go(list[place].id);
  });

  const ways = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
  const middle = (item) => { const [x, y, width, height] = boxOf(item); return [x + width / 2, y + height / 2]; };
  const nearest = (from, [right, down]) => {
    const [x, y] = middle(from);
    let best = null;
    let least = Infinity;
    for (const item of all) {
      const [dx, dy] = [middle(item)[0] - x, middle(item)[1] - y];
      const along = dx * right + dy * down;
      const cost = along + 2 * Math.abs(dx * down) + 2 * Math.abs(dy * right);
      if (along > 1 && cost < least) [best, least] = [item, cost];
    }
    return best;
  };
  document.addEventListener('keydown', (event) => {
    if (event.target === search || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = event.target.closest?.('.block') ?? null;
    if (event.key === '/') { event.preventDefault(); search.focus(); }
    else if (event.key === '+' || event.key === '=') zoomBy(1.25);
    else if (event.key === '-') zoomBy(0.8);
    else if (event.key === '0') fitAll();
    else if (event.key === 'Escape') select(null);
    else if (at !== null && (event.key === 'Enter' || event.key === ' ')) { event.preventDefault(); go(at.id); }
    else if (at !== null && event.key in ways) {
      event.preventDefault();
      const next = nearest(at, ways[event.key]);
      if (next !== null) { go(next.id); next.focus(); }
    }
  });
  if (all.length > 0) all[0].tabIndex = 0;
  fitAll();
  go(location.hash.slice(1));
})();
`;
