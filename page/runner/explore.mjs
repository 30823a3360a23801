// Sliders of lab.explore: the function itself runs in Python, whenever one is moved.

const PLAY_MS = 200;

/** Puts the sliders of one exploration above its picture and keeps the two together. */
export function bring(session, element) {
  const picture = element.querySelector('.rush-explore-picture');
  const sliders = JSON.parse(element.dataset.rushSliders);
  const values = Object.fromEntries(sliders.map(slider => [slider.name, slider.value]));
  let asking = false, again = false;

  async function redraw() {
    if (asking) return void (again = true);
    asking = true;
    const html = await session.explore(element.dataset.rushExplore, values);
    asking = false;
    if (html === null) element.classList.add('asleep'); // stopped or restarted: run the cell again
    else picture.innerHTML = html;
    if (again && html !== null) {
      again = false;
      redraw();
    }
  }

  const rows = sliders.map(slider => {
    const row = document.createElement('label');
    row.className = 'rush-slider';
    const name = Object.assign(document.createElement('span'), { textContent: slider.name.replaceAll('_', ' ') });
    const input = Object.assign(document.createElement('input'), { type: 'range', min: slider.low, max: slider.high, step: slider.step });
    input.value = slider.value;
    const shown = Object.assign(document.createElement('output'), { textContent: slider.value });
    const set = value => {
      values[slider.name] = Number((input.value = value));
      shown.textContent = input.value;
      redraw();
    };
    input.addEventListener('input', () => set(input.value));
    row.append(name, input, shown);
    if (!slider.play) return row;
    const group = document.createElement('div');
    group.className = 'rush-played';
    group.append(row, player(slider, () => values[slider.name], set));
    return group;
  });
  picture.before(...rows);
}

function player(slider, now, set) {
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Play' });
  button.setAttribute('aria-label', `Play ${slider.name.replaceAll('_', ' ')}`);
  let timer = null;
  const stop = () => {
    clearInterval(timer);
    timer = null;
    button.textContent = 'Play';
  };
  button.addEventListener('click', () => {
    if (timer) return stop();
    if (now() >= slider.high) set(slider.low);
    button.textContent = 'Pause';
    timer = setInterval(() => {
      if (!button.isConnected || now() + slider.step > slider.high) return stop();
      set(now() + slider.step);
    }, PLAY_MS);
  });
  return button;
}
