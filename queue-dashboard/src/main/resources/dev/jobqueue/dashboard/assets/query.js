// The words of a query such as: state:dead type:invoice.send error:"timed out"

const WORDS = /(?:[^\s"]|"(?:[^"\\]|\\.)*"?)+/g;

export const words = (q) => q.match(WORDS) ?? [];

/** The value of a key in the query, without its quotes; null if it is not there. */
export function valueOf(q, key) {
  const word = words(q).find((each) => each.startsWith(`${key}:`));
  return word ? word.slice(key.length + 1).replaceAll('"', '') : null;
}

/** The query with one word for the key, or none if the value is null. */
export function withValue(q, key, value) {
  const rest = words(q).filter((each) => !each.startsWith(`${key}:`));
  return (value === null ? rest : [`${key}:${value}`, ...rest]).join(' ');
}

/** Where the word under the caret begins: after the last space that is not in quotes. */
export function wordStart(text, at) {
  let start = 0;
  let isQuoted = false;
  for (let i = 0; i < at; i++) {
    if (text[i] === '"') isQuoted = !isQuoted;
    else if (/\s/.test(text[i]) && !isQuoted) start = i + 1;
  }
  return start;
}
