// JSON whose numbers keep their digits: an id of twenty digits must not be shown rounded.

/** A number as it was written, where JavaScript would write it otherwise. */
export class WrittenNumber {
  #text;

  constructor(text) {
    this.#text = text;
  }

  toString() {
    return this.#text;
  }

  valueOf() {
    return Number(this.#text);
  }

  toJSON() {
    return JSON.rawJSON ? JSON.rawJSON(this.#text) : this.valueOf();
  }
}

/** Older browsers do not tell the source of a value; they show what they can. */
export const parse = (text) =>
  JSON.parse(text, (name, value, context) =>
    typeof value === 'number' && context?.source && context.source !== String(value)
      ? new WrittenNumber(context.source)
      : value,
  );
