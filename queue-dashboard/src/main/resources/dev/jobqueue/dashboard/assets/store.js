// What all parts of the page share, and the one way to draw it again.

export const shared = {
  /** Who looks, and what they may do; null until the server has answered. */
  me: null,
  /** The latest overview, whatever brought it. */
  overview: null,
  /** How much the server's clock is ahead of this one, in milliseconds. */
  skew: 0,
};

let draw = () => {};
let asked = false;

export function drawWith(callback) {
  draw = callback;
}

/** Draws soon, and once for all who asked meanwhile. */
export function redraw() {
  if (asked) return;
  asked = true;
  queueMicrotask(() => {
    asked = false;
    draw();
  });
}

/** The time by the server's clock, because ages are told by it. */
export const now = () => Date.now() + shared.skew;

export const canAct = () => Boolean(shared.me?.canAct && !shared.me.readOnly);
export const canPublish = () => Boolean(canAct() && shared.me.canPublish);

/** Remembers small choices of the reader; a browser that refuses storage forgets them. */
export const choices = {
  get(name, otherwise = null) {
    try {
      return localStorage.getItem(`queue.${name}`) ?? otherwise;
    } catch {
      return otherwise;
    }
  },
  set(name, value) {
    try {
      if (value === null) localStorage.removeItem(`queue.${name}`);
      else localStorage.setItem(`queue.${name}`, value);
    } catch {
      // Forgotten with the tab.
    }
  },
};
