/** The part of the HTML page's script that zooms and pans the picture. */
export const PAGE_VIEW_SCRIPT = `
  const stage = part('stage');
  const world = part('world');
  const names = part('names');
  const [left, top, wide, high] = picture.getAttribute('viewBox').split(' ').map(Number);
  const whole = [left, top, wide, high];
  picture.removeAttribute('viewBox');
  let [x, y, zoom] = [0, 0, 1];
  let fitted = true;
  for (const node of picture.querySelectorAll('.node')) {
    const name = node.querySelector('.title').cloneNode(true);
    name.removeAttribute('class');
    name.querySelector('.count').remove();
    const [nodeX, nodeY] = boxOf(node);
    name.setAttribute('x', nodeX + 18);
    name.setAttribute('y', nodeY);
    name.setAttribute('dy', '1.2em');
    names.append(name);
  }
  const least = () => Math.min(stage.clientWidth / wide, stage.clientHeight / high, 1) * 0.8;
  let frame = 0;
  const paint = () => {
    frame = 0;
    world.setAttribute('transform', 'translate(' + x + ' ' + y + ') scale(' + zoom + ')');
    picture.classList.toggle('far', zoom < 0.24);
    picture.classList.toggle('mid', zoom >= 0.24 && zoom < 0.62);
    names.setAttribute('font-size', zoom < 0.24 ? 12 / zoom : Math.min(12 / zoom, 26));
    part('percent').textContent = Math.round(zoom * 100) + '%';
  };
  const draw = () => { if (frame === 0) frame = requestAnimationFrame(paint); };
  const zoomAt = (by, atX, atY) => {
    const next = Math.min(3, Math.max(least(), zoom * by));
    x = atX - (atX - x) * next / zoom;
    y = atY - (atY - y) * next / zoom;
    zoom = next;
    fitted = false;
    draw();
  };
  const zoomBy = (by) => zoomAt(by, stage.clientWidth / 2, stage.clientHeight / 2);
  const show = ([boxX, boxY, width, height], most) => {
    const [stageWidth, stageHeight] = [stage.clientWidth, stage.clientHeight];
    zoom = Math.min(most, stageWidth / width, stageHeight / height);
    x = (stageWidth - width * zoom) / 2 - boxX * zoom;
    y = (stageHeight - height * zoom) / 2 - boxY * zoom;
    draw();
  };
  const fitAll = () => { show(whole, 1); fitted = true; };
  const fitBox = ([boxX, boxY, width, height]) => { fitted = false; show([boxX - 24, boxY - 24, width + 48, height + 48], 1.2); };
  const bringIn = ([boxX, boxY, width, height]) => {
    const [midX, midY] = [boxX + width / 2, boxY + height / 2];
    const isIn = boxX * zoom + x >= 0 && boxY * zoom + y >= 0
      && (boxX + width) * zoom + x <= stage.clientWidth && (boxY + height) * zoom + y <= stage.clientHeight;
    if (isIn && zoom >= 0.24) return;
    if (zoom < 0.62) zoom = 0.8;
    x = stage.clientWidth / 2 - midX * zoom;
    y = stage.clientHeight / 2 - midY * zoom;
    fitted = false;
    draw();
  };
  stage.addEventListener('wheel', (event) => {
    event.preventDefault();
    const box = stage.getBoundingClientRect();
    const lines = event.deltaMode === 1 ? 16 : 1;
    if (event.shiftKey) { x -= event.deltaY * lines; fitted = false; draw(); }
    else zoomAt(Math.exp(-event.deltaY * lines * 0.0016), event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });

  const fingers = new Map();
  let travelled = 0;
  const wasDragged = () => travelled > 4;
  const spread = () => {
    const [a, b] = [...fingers.values()];
    return b === undefined ? null : { size: Math.hypot(a[0] - b[0], a[1] - b[1]), x: (a[0] + b[0]) / 2, y: (a[1] + b[1]) / 2 };
  };
  stage.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || event.target.closest('.zoom') !== null) return;
    if (fingers.size === 0) travelled = 0;
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
  });
  addEventListener('pointermove', (event) => {
    const from = fingers.get(event.pointerId);
    if (from === undefined) return;
    const before = spread();
    const [dx, dy] = [event.clientX - from[0], event.clientY - from[1]];
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    travelled += Math.abs(dx) + Math.abs(dy);
    if (!wasDragged()) return;
    stage.classList.add('moving');
    const after = spread();
    const box = stage.getBoundingClientRect();
    if (before !== null && after !== null) zoomAt(after.size / Math.max(before.size, 1), after.x - box.left, after.y - box.top);
    x += dx / fingers.size;
    y += dy / fingers.size;
    fitted = false;
    draw();
  });
  for (const type of ['pointerup', 'pointercancel']) addEventListener(type, (event) => {
    fingers.delete(event.pointerId);
    if (fingers.size === 0) stage.classList.remove('moving');
  });
  part('in').addEventListener('click', () => zoomBy(1.25));
  part('out').addEventListener('click', () => zoomBy(0.8));
  part('fit').addEventListener('click', () => fitAll());
  addEventListener('resize', () => { if (fitted) fitAll(); });
`;
