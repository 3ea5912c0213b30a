// What a ballot needs of the browser: answers without a reload, a clock, what was in view, a queue
// of one for a lost connection. Without this script every form works as a form.
(() => {
  'use strict';
  const BEAT = 15000;  // ms between signs of life
  const PATIENCE = 15000;  // ms for an answer to arrive
  const LONGEST_GAP = 5000;  // ms between two looks at the clock: after more, the machine has slept
  const READING = 6000;  // ms that a notice stays at least
  const PAGE = 3;  // votes name it: what counts as seen has changed
  const CELLS = 40;  // places across a drawing and down it, edges included: each is seen or not
  const OBSERVES = 'IntersectionObserver' in window;
  const SIDES = {1: 'left', 2: 'right', 3: 'tie'};
  const find = (what, inside = document) => inside.querySelector(what);
  const every = (what, inside = document) => [...inside.querySelectorAll(what)];
  const live = find('#live'), words = live.dataset;
  const answerForm = () => find('#answer[data-ballot]');
  const wait = (ms) => new Promise(done => { wake = done; setTimeout(done, ms); });
  let wake = () => {};
  let busy = false;

  // --- what a reload keeps; private windows may forbid it ---

  const memory = {};
  const recall = (name) => {
    try { return sessionStorage.getItem(name) || ''; } catch { return memory[name] || ''; }
  };
  const keep = (name, value) => {
    try { sessionStorage.setItem(name, value); } catch { memory[name] = value; }
  };

  // --- the rater's clock: from the first frame with both formulas, while the page is visible ---

  const clock = {token: '', ms: 0, last: 0, runs: false, visible: true};
  const account = () => {
    const now = performance.now(), gap = now - clock.last;
    if (clock.runs && clock.visible && gap > 0 && gap < LONGEST_GAP) clock.ms += gap;
    clock.last = now;
    clock.visible = !document.hidden;
  };
  const keepClock = () => {
    account();
    if (clock.token) keep(`${clock.token} ms`, clock.ms.toFixed(0));
  };
  const startClock = (token) => {
    keepClock();
    Object.assign(clock, {token, ms: +recall(`${token} ms`) || 0, runs: false});
    if (!token) return;
    requestAnimationFrame(() => requestAnimationFrame(() => {
      if (clock.token !== token) return;
      account();
      clock.runs = true;
    }));
  };

  // --- what was in view: which cells of each drawing ---

  const cells = new Map();
  // Both sizes of a formula or a plot stand in one place; the window decides which is drawn.
  const places = (what) => every(`:is(${what}) .narrow`).map(size => size.parentElement);
  const drawings = (place) => every(':scope > * > svg', place);
  const isSeen = (place) => drawings(place).some(each => cells.get(each)?.size === CELLS ** 2);
  const unseenPlaces = () => places('.formula, .drawings').filter(place => !isSeen(place));
  // What a box that scrolls, or a page that is pinched larger, hides is no part of what is shown.
  const pinched = window.visualViewport;
  const shownOf = ({left, top, right, bottom}) => {
    if (!pinched) return {left, top, right, bottom};
    const {offsetLeft: x, offsetTop: y, width, height} = pinched;
    return {left: Math.max(left, x), top: Math.max(top, y),
      right: Math.min(right, x + width), bottom: Math.min(bottom, y + height)};
  };
  const look = (entries) => {
    for (const {target, boundingClientRect: box, intersectionRect} of entries) {
      if (!intersectionRect.width || !intersectionRect.height) continue;
      const shown = shownOf(intersectionRect);
      const seen = cells.get(target) || new Set();
      cells.set(target, seen);
      for (let cell = 0; cell < CELLS ** 2; cell++) {
        const x = box.left + box.width * Math.floor(cell / CELLS) / (CELLS - 1);
        const y = box.top + box.height * (cell % CELLS) / (CELLS - 1);
        if (x > shown.left - 1 && x < shown.right + 1 && y > shown.top - 1 && y < shown.bottom + 1)
          seen.add(cell);
      }
    }
  };
  let observer = null;
  const watch = () => {
    observer?.disconnect();
    const bar = answerForm();
    if (!bar || !OBSERVES) return;
    const covered = getComputedStyle(bar).position === 'sticky' ? bar.offsetHeight : 0;
    observer = new IntersectionObserver(look, {rootMargin: `0px 0px -${covered}px 0px`,
      threshold: [...Array(CELLS + 1).keys()].map(i => i / CELLS)});
    lookAgain();
    // A box that scrolls can be reached by the keyboard; another is no stop on the way.
    for (const box of every('.formula, .drawings'))
      box.scrollWidth > box.clientWidth + 1 ? box.tabIndex = 0 : box.removeAttribute('tabindex');
  };
  // An observer tells how much is shown, not which part: a wide formula shows as much as it moves.
  const lookAgain = () => {
    for (const drawing of places('.formula, .drawings').flatMap(drawings)) {
      observer?.unobserve(drawing);
      observer?.observe(drawing);
    }
  };
  const asked = (unseen) => {
    const names = unseen.map(place => place.dataset.name);
    const what = names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : names[0];
    const boxes = unseen.map(place => place.closest('.formula, .drawings'));
    const sideways = boxes.some(box => box.scrollWidth > box.clientWidth + 1);
    return words.unseen.replace('{what}', what) + (sideways ? ` ${words.sideways}` : '');
  };
  const moveToUnseen = (place) => {
    const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth';
    const seen = cells.get(drawings(place).find(each => each.getBoundingClientRect().width));
    const column = Math.floor([...Array(CELLS ** 2).keys()].find(cell => !seen?.has(cell)) / CELLS);
    place.scrollTo({left: place.scrollWidth * column / CELLS - place.clientWidth / 10, behavior});
    const block = place.offsetHeight > innerHeight / 2 ? 'start' : 'center';
    place.scrollIntoView({block, inline: 'center', behavior});
  };
  const report = (event, by) => {
    account();
    const late = Math.max(0, Math.min(performance.now() - event.timeStamp, 1000));
    const seen = (what) => OBSERVES ? +places(what).every(isSeen) : '?';
    return `ms=${Math.max(0, Math.round(clock.ms - late))};w=${Math.round(window.innerWidth)};` +
      `seen=${seen('.formula')};plot=${seen('.drawings')};page=${PAGE};by=${by}`;
  };

  // --- asking the server ---

  const ask = async (url, body) => {
    const stop = new AbortController(), timer = setTimeout(() => stop.abort(), PATIENCE);
    try {
      const answer = await fetch(url, {method: body ? 'POST' : 'GET', body, cache: 'no-store',
        headers: {'X-Requested-With': 'ballot'}, signal: stop.signal});
      return {kind: answer.headers.get('X-Ballot'), status: answer.status, text: await answer.text()};
    } finally { clearTimeout(timer); }
  };
  // A vote waits for the connection, as long as it takes: the ballot's token makes it count once.
  const deliver = async (url, body, waits) => {
    for (let tries = 0; ; tries++) {
      try {
        const answer = await ask(url, body);
        if (answer.kind) return answer;
        if (answer.status < 502) return {kind: 'note', text: words.lost};
      } catch { /* no connection, or too slow a one */ }
      if (!waits) return {kind: 'note', text: words.unsent};
      say(words.waiting);
      await wait(Math.min(1000 * 2 ** tries, 8000));
      body.set('again', '1');
    }
  };

  let since = 0, asking = '';
  const say = (text) => {
    const notice = find('#notice');
    if (notice && notice.textContent !== text) notice.textContent = text;
    since = performance.now();
  };
  const forget = () => {  // what was asked for is done, and there was time to read it
    if (performance.now() - since > READING && asking && find('#notice')?.textContent === asking &&
        !unseenPlaces().length) say('');
  };
  const pend = (button) => {
    busy = true;
    document.documentElement.dataset.busy = 'yes';
    for (const each of every('main button')) each.setAttribute('aria-disabled', 'true');
    if (!button) return;
    button.dataset.label ||= button.textContent;
    button.classList.add('pending');
    button.textContent = button.dataset.pending || 'One moment…';
  };
  const settle = () => {
    busy = false;
    delete document.documentElement.dataset.busy;
    for (const each of every('main button')) {
      each.removeAttribute('aria-disabled');
      each.classList.remove('pending');
      if (each.dataset.label) each.textContent = each.dataset.label;
    }
  };
  const go = async (form, body, button) => {
    const votes = form === answerForm();
    const url = new URL(form.action);
    pend(button);
    say('');
    if (votes) keep('press', JSON.stringify([form.dataset.ballot, body.toString()]));
    if (form.method === 'get') url.search = body;
    const answer = await deliver(url, form.method === 'get' ? null : body, votes);
    if (votes) keep('press', '');
    settle();
    if (answer.kind === 'main') return swap(answer.text);
    say(answer.text);
    find('#notice')?.scrollIntoView({block: 'nearest'});
  };
  const swap = (html) => {
    const parsed = document.createElement('template');
    parsed.innerHTML = html;
    const main = find('main', parsed.content);
    find('main').replaceWith(main);
    history.replaceState(null, '', main.dataset.address);
    scrollTo({top: 0, behavior: 'instant'});
    const wrong = find('[aria-invalid]', main);
    (wrong || find('h1', main))?.focus({preventScroll: true});
    wrong?.scrollIntoView({block: 'center'});
    begin();
  };

  // --- presses ---

  addEventListener('submit', event => {
    const form = event.target, button = event.submitter;
    if (!form.closest('main')) return;
    event.preventDefault();
    if (busy) return;
    const body = new URLSearchParams(new FormData(form));
    if (button?.name) body.append(button.name, button.value);
    go(form, body, button);
  });
  addEventListener('click', event => {
    const button = event.target.closest?.('#answer button');
    if (!button || busy) return;
    const pointer = event.detail > 0;  // keys and assistive software press without one
    const unseen = pointer && OBSERVES ? unseenPlaces() : [];
    if (unseen.length) {
      event.preventDefault();
      say(asking = asked(unseen));
      moveToUnseen(unseen[0]);
      return;
    }
    answerForm().elements.report.value = report(event, pointer ? 'pointer' : 'keys');
  }, {capture: true});
  addEventListener('click', async event => {
    if (event.target.id !== 'copy') return;
    await navigator.clipboard.writeText(find('#own-link').textContent);
    event.target.textContent = live.textContent = 'Copied';
  });
  const keysSwitch = () => find('#keys');
  addEventListener('keydown', event => {
    const bar = answerForm(), inBar = bar?.contains(document.activeElement);
    if (event.key === 'Escape') document.activeElement.closest?.('.number')?.blur();
    if (event.repeat && inBar && /^([123 ]|Enter)$/.test(event.key)) event.preventDefault();
    const writes = event.target.closest?.('input:not([type=checkbox]), select, textarea');
    if (!bar || writes || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
    const button = SIDES[event.key] && find(`button[value=${SIDES[event.key]}]`, bar);
    if (!button || !(inBar || keysSwitch()?.checked)) return;
    event.preventDefault();
    button.click();
  }, {capture: true});
  addEventListener('input', event => {
    if (event.target.id === 'reason') keep(`${clock.token} why`, event.target.value);
    if (event.target.id === 'keys') keep('keys', event.target.checked ? 'on' : '');
  });

  // --- the undo of five seconds, by the server's clock ---

  let countdown = 0;
  const countDown = () => {
    clearInterval(countdown);
    const form = find('.undo');
    if (!form) return;
    const button = find('button', form), end = performance.now() + 1000 * form.dataset.seconds;
    live.textContent = `${find('span', form).textContent} ${button.textContent} is possible for five seconds.`;
    const tick = () => {
      const left = Math.ceil((end - performance.now()) / 1000);
      if (!button.classList.contains('pending')) button.textContent = `Undo (${Math.max(left, 0)})`;
      if (left > 0 || busy) return;
      clearInterval(countdown);
      if (form.contains(document.activeElement)) find('main h1').focus({preventScroll: true});
      form.remove();
      live.textContent = '';
    };
    tick();
    countdown = setInterval(tick, 200);
  };

  // --- a page has come ---

  const begin = () => {
    const form = answerForm(), copy = find('#copy');
    if (copy && navigator.clipboard) copy.hidden = false;
    live.textContent = '';
    cells.clear();
    startClock(form ? form.dataset.ballot : '');
    watch();
    countDown();
    if (!form) return;
    const reason = find('#reason'), keys = keysSwitch();
    if (reason) reason.value ||= recall(`${clock.token} why`);
    keys.checked = recall('keys') === 'on';
    keys.closest('.keys').hidden = false;
  };
  const resume = () => {
    const form = answerForm(), [ballot, text] = JSON.parse(recall('press') || '[]');
    if (!form || !ballot) return;
    if (form.dataset.ballot !== ballot) return keep('press', '');
    const body = new URLSearchParams(text);
    body.set('again', '1');
    go(form, body, find(`button[value=${body.get('choice')}]`, form));
  };

  const beat = async () => {
    const form = answerForm();
    if (!form || document.hidden || busy) return;
    const sign = new URLSearchParams({t: form.elements.t.value, ballot: form.dataset.ballot});
    try {
      await ask('/rate/beat', sign);
      if (find('#notice').textContent === words.offline) say('');
    } catch { if (!busy) say(words.offline); }
  };
  setInterval(beat, BEAT);
  setInterval(() => { keepClock(); forget(); }, 1000);
  document.addEventListener('visibilitychange', account);
  addEventListener('pagehide', keepClock);
  addEventListener('pageshow', event => { if (event.persisted) location.reload(); });
  addEventListener('online', () => { wake(); beat(); });
  addEventListener('offline', beat);
  addEventListener('resize', watch);
  addEventListener('scroll', lookAgain, {capture: true, passive: true});
  for (const moved of ['scroll', 'resize']) pinched?.addEventListener(moved, lookAgain);
  begin();
  resume();
})();
