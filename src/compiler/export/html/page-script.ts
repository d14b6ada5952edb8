/** Search, theme and highlighting. The page can be read without it. */
export const PAGE_SCRIPT = `
(() => {
  const root = document.documentElement;
  const search = document.getElementById('search');
  const theme = document.getElementById('theme');
  const found = document.getElementById('found');
  const all = [...document.querySelectorAll('[data-find]')];
  const sections = [...document.querySelectorAll('section.node')];
  const kept = { get: () => { try { return localStorage.getItem('robosmith-theme'); } catch { return null; } },
                 set: (value) => { try { localStorage.setItem('robosmith-theme', value); } catch { /* private window */ } } };
  const themes = ['auto', 'light', 'dark'];
  const show = (name) => {
    if (name === 'auto') delete root.dataset.theme; else root.dataset.theme = name;
    theme.textContent = 'Theme: ' + name;
  };
  let chosen = themes.includes(kept.get()) ? kept.get() : 'auto';
  show(chosen);
  theme.addEventListener('click', () => {
    chosen = themes[(themes.indexOf(chosen) + 1) % themes.length];
    kept.set(chosen);
    show(chosen);
  });
  let place = -1;
  const hits = () => all.filter((item) => item.classList.contains('block') && !item.classList.contains('missed'));
  const look = () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
    place = -1;
    for (const item of all) item.classList.toggle('missed', !words.every((word) => item.dataset.find.includes(word)));
    for (const section of sections) section.classList.toggle('hidden', words.length > 0 && section.querySelector('.block:not(.missed)') === null);
    found.textContent = words.length === 0 ? found.dataset.all : hits().length === 1 ? '1 block found' : hits().length + ' blocks found';
  };
  search.addEventListener('input', look);
  search.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') { search.value = ''; look(); }
    if (event.key !== 'Enter') return;
    const list = hits();
    if (list.length === 0) return;
    place = (place + (event.shiftKey ? list.length - 1 : 1)) % list.length;
    list[Math.max(place, 0)].scrollIntoView({ block: 'center' });
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement !== search) { event.preventDefault(); search.focus(); }
  });
  const light = (item, on) => {
    for (const line of item.ownerSVGElement.querySelectorAll('.arc, .link')) {
      const own = line.dataset.from === item.dataset.key || line.dataset.to === item.dataset.key;
      line.classList.toggle('lit', on && own);
      line.classList.toggle('unlit', on && !own);
    }
  };
  for (const item of document.querySelectorAll('.block, .box')) {
    for (const type of ['mouseenter', 'focusin']) item.addEventListener(type, () => light(item, true));
    for (const type of ['mouseleave', 'focusout']) item.addEventListener(type, () => light(item, false));
  }
})();
`;
