// What a ballot needs of the browser: formulas that fit, a clock, and what was in view.
// Times are from the first frame with both formulas to the press, while the page is visible.
(() => {
  if (window.rateBallot) return window.rateBallot();
  const LONGEST_GAP = 5000;  // ms between two looks: after more, the machine has slept
  const LONGEST_WAIT = 10000;
  const STILL = 1500;  // ms without a run of the page after which it has said what it has to say
  const SILENCE = 4000, PATIENCE = 15000;  // ms without an answer: ask whether the server is there
  const SMALLEST = 0.3, BESIDE = 900, OBSERVES = 'IntersectionObserver' in window;
  const find = (what, inside = document) => [...inside.querySelectorAll(what)];
  const clock = {token: '', ms: 0, last: 0, runs: false, visible: true};
  const told = document.documentElement.dataset;
  let sent = null, asking = 0;
  let seen = new Set(), observer = null, fitted = '', waiting = false;

  const store = (name, value) => {
    try {
      if (value === undefined) return sessionStorage.getItem(name) || '';
      sessionStorage.setItem(name, value);
    } catch { /* private windows may forbid it: a reload then begins anew */ }
    return '';
  };
  const keyed = (prefix) => {
    for (const box of find(`[class*="st-key-${prefix}"]`))
      for (const name of box.classList)
        if (name.startsWith(`st-key-${prefix}`)) return name.slice(`st-key-${prefix}`.length);
    return '';
  };
  const bar = () => document.querySelector('.st-key-rate-choose');
  const panes = (group) => find('[class*="st-key-rate-formula-"]', group);

  // --- formulas that fit: broken at top-level operators, then smaller, both alike ---

  const height = (group) => {
    if (!bar()) return Infinity;
    const main = document.querySelector('[data-testid="stMain"]') || document.documentElement;
    const top = group.getBoundingClientRect().top + main.scrollTop;
    const room = window.innerHeight - top - bar().getBoundingClientRect().height;
    return Math.max(room, 0.3 * window.innerHeight);
  };
  const fits = (group, room) => panes(group).every(pane => {
    const box = pane.getBoundingClientRect();
    return pane.scrollWidth <= pane.clientWidth + 1 && find('.katex-html .base', pane).every(
      base => base.getBoundingClientRect().right <= box.right + 0.5);
  }) && group.getBoundingClientRect().height <= room;
  const fit = () => {
    for (const group of find('[class*="st-key-rate-formulas-"]')) {
      if (panes(group).some(pane => !pane.querySelector('.katex'))) continue;
      const room = height(group), side = largest(group, room, '');
      if (side === 1 || window.innerWidth < BESIDE) continue;
      if (largest(group, room, 'minmax(0, 1fr)') <= side) largest(group, room, '');  // else below each other
    }
  };
  const largest = (group, room, columns) => {
    const size = (scale) => group.style.setProperty('--fit', scale.toFixed(3));
    group.style.gridTemplateColumns = columns;
    size(1);
    if (fits(group, room)) return 1;
    let low = SMALLEST, high = 1;
    for (let i = 0; i < 7; i++) {
      const middle = (low + high) / 2;
      size(middle);
      if (fits(group, room)) low = middle; else high = middle;
    }
    size(low);
    return low;
  };
  const shape = () => [window.innerWidth, window.innerHeight, document.fonts?.status,
    bar()?.offsetHeight, ...find('[class*="st-key-rate-formulas-"]').map(
      group => `${group.className} ${group.clientWidth} ${group.offsetTop} ` +
        find('.katex-html .base', group).map(base => base.offsetWidth))].join('|');

  // --- the clock ---

  const account = () => {
    const now = performance.now(), gap = now - clock.last;
    if (clock.runs && clock.visible && gap > 0 && gap < LONGEST_GAP) clock.ms += gap;
    clock.last = now;
    clock.visible = !document.hidden;
  };
  const begin = (token) => {
    Object.assign(clock, {token, runs: false, restored: false, since: performance.now()});
    clock.ms = +store(`rate ${token} ms`) || 0;
    seen = new Set();
    fitted = '';  // what was in view of the ballot before does not count: look again
    delete told.rateUnseen;
    delete told.rateLost;
    sent = +store(`rate ${token} sent`) ? {token, run: '', at: performance.now(), still: 0} : null;
  };
  const start = (token) => {
    waiting = true;
    requestAnimationFrame(() => requestAnimationFrame(() => {
      waiting = false;
      if (clock.token !== token) return;
      account();
      clock.runs = true;
      told.rateClock = token;
    }));
  };
  const shown = () => {
    const all = panes(document);
    return all.length === 2 && all.every(pane => pane.querySelector('.katex'));
  };
  const watch = () => {
    observer?.disconnect();
    if (!OBSERVES) return;
    const covered = bar() ? Math.ceil(bar().getBoundingClientRect().height) : 0;
    observer = new IntersectionObserver(entries => {
      for (const {target, intersectionRatio} of entries)
        if (intersectionRatio > 0.97) seen.add(panes(document).indexOf(target));
    }, {rootMargin: `0px 0px -${covered}px 0px`, threshold: [0.98]});
    panes(document).forEach(pane => observer.observe(pane));
  };

  // --- what is sent with a press, and what a reload keeps ---

  const write = (box, text) => {
    if (!box || box.value === text) return;
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(box, text);
    box.dispatchEvent(new Event('input', {bubbles: true}));
  };
  const report = (event, by) => {
    look();
    if (!clock.token) return;  // pressed before the first frame: no time at all
    const late = Math.max(0, Math.min(performance.now() - event.timeStamp, 1000));
    const both = OBSERVES ? +(seen.size > 1) : '?';
    const ms = Math.max(0, Math.round(clock.ms - late));
    write(document.querySelector('[class*="st-key-rate-report-"] input'),
      `ms=${ms};w=${Math.round(window.innerWidth)};seen=${both};by=${by}`);
  };
  const reason = () => document.querySelector('[class*="st-key-reason-"] input');

  // --- a press whose answer does not come ---

  const run = () => document.querySelector('.rate-run')?.title || '';
  const press = () => {
    sent = {token: clock.token, run: run(), at: performance.now(), still: 0};
    delete told.rateLost;
    store(`rate ${clock.token} sent`, '1');  // for the page after a reload
  };
  const settle = () => {
    store(`rate ${sent.token} sent`, '0');
    sent = null;
  };
  const answered = () => {
    const {testConnectionState: line, testScriptState: script} =
      document.querySelector('.stApp')?.dataset || {};
    const now = performance.now();
    if (sent && run() !== sent.run && line === 'CONNECTED' && script === 'notRunning') {
      // the page was drawn anew, with the same ballot: that vote is in no database
      sent.still = sent.still || now;
      if (document.querySelector('.st-key-rate-choose .rate-notice')) settle();
      else if (now - sent.still > STILL) { settle(); told.rateLost = 'yes'; }
    } else if (sent) {
      sent.still = 0;
    }
    if (told.rateOffline || (sent && now - sent.at > SILENCE)) ask();
  };
  const ask = async () => {
    if (performance.now() - asking < 2500) return;
    asking = performance.now();
    try {
      await fetch('./healthz', {cache: 'no-store', signal: AbortSignal.timeout(1500)});
      delete told.rateOffline;
      // the line is dead though the server is there
      if (sent && performance.now() - sent.at > PATIENCE) { keep(); location.reload(); }
    } catch { told.rateOffline = 'yes'; }
  };
  addEventListener('offline', ask);

  addEventListener('click', event => {
    if (!event.target.closest?.('.st-key-rate-choose button')) return;
    const pointer = event.detail > 0;  // keys and assistive software press without one
    if (pointer && OBSERVES && seen.size < 2 && shown()) {
      event.preventDefault();
      event.stopImmediatePropagation();
      told.rateUnseen = 'yes';
      panes(document).find((_, i) => !seen.has(i))?.scrollIntoView({block: 'center'});
      return;
    }
    delete told.rateUnseen;
    report(event, pointer ? 'pointer' : 'keys');
    press();
  }, {capture: true});
  addEventListener('keydown', event => {
    if (event.repeat || event.target.closest?.('input, textarea')) return;
    if (/^[ab ]$|^Enter$/i.test(event.key)) {
      if (told.rateOffline) { event.preventDefault(); event.stopImmediatePropagation(); return; }
      report(event, 'keys');
    }
    const letter = /^[ab]$/i.test(event.key) && event.key.toUpperCase();
    const button = letter && document.querySelector(`[class*="st-key-choose-${letter}-"] button`);
    if (button && !button.disabled && !event.ctrlKey && !event.metaKey && !event.altKey) press();
  }, {capture: true});
  addEventListener('input', event => {
    if (event.target === reason()) store(`rate ${clock.token} why`, event.target.value);
  }, {capture: true});
  document.addEventListener('visibilitychange', account);
  addEventListener('pagehide', () => { account(); keep(); });
  const keep = () => { if (clock.token) store(`rate ${clock.token} ms`, clock.ms.toFixed(0)); };

  const look = () => {
    account();
    const token = keyed('rate-report-');
    if (token !== clock.token) { keep(); begin(token); }
    const now = shape();
    if (now !== fitted) { fit(); watch(); fitted = shape(); }
    const given = performance.now() - clock.since > LONGEST_WAIT;  // no formula ever came
    if (token && !clock.runs && !waiting && (shown() || given)) {
      start(token);
    }
    if (clock.runs && reason() && !clock.restored) {
      clock.restored = true;
      const typed = store(`rate ${token} why`);
      if (typed && !reason().value) write(reason(), typed);
    }
  };
  window.rateBallot = look;
  new MutationObserver(look).observe(document.body, {childList: true, subtree: true});
  addEventListener('resize', look);
  setInterval(() => { look(); keep(); answered(); }, 250);
  look();
})();
